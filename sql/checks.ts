import { db, type Executor, sql } from './pool.ts'

type Declared = { code: string; severity: string; about: string }

/** Makes the table of checks equal to what the workers know; the API reads severities there. */
export async function publishChecks(checks: readonly Declared[], on: Executor = db()): Promise<void> {
  await on.query(sql.typeAlias('void')`
    with given as (
      select * from ${sql.unnest(
        checks.map(({ code, severity, about }) => [code, severity, about]),
        ['text', 'text', 'text'],
      )} as g (code, severity, about)
    ), gone as (
      delete from checks where code not in (select code from given)
    )
    insert into checks (code, severity, about) select code, severity, about from given order by code
    on conflict (code) do update set severity = excluded.severity, about = excluded.about
      where (checks.severity, checks.about) is distinct from (excluded.severity, excluded.about)`)
}
