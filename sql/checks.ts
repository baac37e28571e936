import { db, type Executor, sql } from './pool.ts'
import { type Priced, prices } from './scores.ts'

type Declared = { code: string; severity: Priced['severity']; about: string; fix: string; scored?: false }

/** Makes the table of checks equal to what the workers know; the API reads them there. */
export async function publishChecks(checks: readonly Declared[], on: Executor = db()): Promise<void> {
  const points = ({ severity, scored }: Declared) => (scored === false ? 0 : prices[severity].each)
  await on.query(sql.typeAlias('void')`
    with given as (
      select * from ${sql.unnest(
        checks.map((check) => [check.code, check.severity, check.about, check.fix, points(check)]),
        ['text', 'text', 'text', 'text', 'int2'],
      )} as g (code, severity, about, fix, points)
    ), gone as (
      delete from checks where code not in (select code from given)
    )
    insert into checks (code, severity, about, fix, points)
    select code, severity, about, fix, points from given order by code
    on conflict (code) do update
       set severity = excluded.severity, about = excluded.about, fix = excluded.fix, points = excluded.points
     where (checks.severity, checks.about, checks.fix, checks.points)
           is distinct from (excluded.severity, excluded.about, excluded.fix, excluded.points)`)
}
