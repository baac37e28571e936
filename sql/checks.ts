import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'
import { type Priced, prices } from './scores.ts'

/** What a check looks at; `target` is what pages use beside other pages, `probe` the host itself. */
const scopes = ['response', 'page', 'indexable', 'start', 'site', 'target', 'probe'] as const
export type Scope = (typeof scopes)[number]

/** A check in words. */
export const Check = z.object({
  code: z.string(),
  severity: z.enum(['major', 'moderate', 'minor']),
  about: z.string().describe('What is wrong.'),
  fix: z.string().describe('What to do about it.'),
  points: z.int().describe('What it costs a page; 0 when it only informs.'),
  scope: z.enum(scopes),
})

const columns = sql.fragment`code, severity, about, fix, points, scope`

/** Every check, by code; none before the first worker of a new database ran. */
export async function list(on: Executor = db()) {
  return await on.any(sql.type(Check)`select ${columns} from checks order by code`)
}

export async function find(code: string, on: Executor = db()) {
  return await on.maybeOne(sql.type(Check)`select ${columns} from checks where code = ${code}`)
}

/** Those of these codes that a check declares. */
export async function named(codes: readonly string[], on: Executor = db()) {
  return await on.any(sql.type(Check)`
    select ${columns} from checks where code = any(${sql.array([...codes], 'text')})`)
}

type Declared = {
  code: string
  severity: Priced['severity']
  about: string
  fix: string
  scored?: false
  scope?: Scope
}

/** Makes the table of checks equal to what the workers know; the API reads them there. */
export async function publishChecks(checks: readonly Declared[], on: Executor = db()): Promise<void> {
  const points = ({ severity, scored }: Declared) => (scored === false ? 0 : prices[severity].each)
  await on.query(sql.typeAlias('void')`
    with given as (
      select * from ${sql.unnest(
        checks.map((check) => [
          check.code,
          check.severity,
          check.about,
          check.fix,
          points(check),
          check.scope ?? 'page',
        ]),
        ['text', 'text', 'text', 'text', 'int2', 'text'],
      )} as g (code, severity, about, fix, points, scope)
    ), gone as (
      delete from checks where code not in (select code from given)
    )
    insert into checks (code, severity, about, fix, points, scope)
    select code, severity, about, fix, points, scope from given order by code
    on conflict (code) do update
       set severity = excluded.severity, about = excluded.about, fix = excluded.fix, points = excluded.points,
           scope = excluded.scope
     where (checks.severity, checks.about, checks.fix, checks.points, checks.scope)
           is distinct from (excluded.severity, excluded.about, excluded.fix, excluded.points, excluded.scope)`)
}
