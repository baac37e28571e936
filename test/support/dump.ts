import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'

const Table = z.object({ schema: z.string(), name: z.string() })
const Whole = z.object({ whole: z.string().nullable() })

/** All rows of all tables as text, as whoever steals a backup has them. */
export async function dumpDatabase(): Promise<string> {
  const tables = await db().any(sql.type(Table)`
    select schemaname as schema, tablename as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`)
  const texts: (string | null)[] = []
  for (const { schema, name } of tables)
    texts.push(
      await db().oneFirst(sql.type(Whole)`
        select string_agg(t::text, chr(10)) as whole from ${sql.identifier([schema, name])} t`),
    )
  return texts.join('\n')
}
