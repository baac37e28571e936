import type { FragmentSqlToken } from 'slonik'

import { sql } from '../../../../sql/pool.ts'
import type { Verdict, Waiting } from '../../../../sql/targets.ts'
import type { Declared } from '../../checks/check.ts'
import { EAGER, IMAGE, LINK, SCRIPT, SOLE, STYLE } from '../uses.ts'

/** Something a page uses, where it differs from a plain success outside the site. `status` null: not looked at. */
export type TargetExample = Partial<Omit<Verdict, 'status'>> &
  Pick<Waiting, 'uses'> & { status?: number | null; internal?: boolean; closed?: boolean }

/** Judges what pages use: one statement that selects the `id` of each page it finds. Each example is one page's. */
export type TargetCheck = Declared & {
  finds(crawlId: number): FragmentSqlToken
  examples: { bad: readonly TargetExample[][]; good: readonly TargetExample[][] }
}

type Condition = ReturnType<typeof sql.fragment>

/** Pages that use a target so, in any of these ways, of which `condition` holds. */
export const using = (uses: number, condition: Condition) => (crawlId: number) =>
  sql.fragment`
  select p.id
    from pages p
    join (
      select distinct m.url_key
        from page_targets m cross join unnest(m.targets, m.uses) as u (target, uses)
        join (select id from targets where crawl_id = ${crawlId} and uses & ${uses}::int <> 0 and ${condition}) t
          on t.id = u.target
       where m.crawl_id = ${crawlId} and u.uses & ${uses}::int <> 0
    ) m on m.url_key = p.url_key
   where p.crawl_id = ${crawlId}`

/** Nobody is told more than that robots are not welcome. */
export const refused = sql.fragment`(status in (401, 403, 407, 429, 451, 999) or fault is not distinct from 'challenge')`
/** There is nobody; who does not answer in time may be there for others. */
export const away = sql.fragment`(status = 0 and fault in ('dns', 'connection', 'tls'))`
/** A page where a file should be is what many servers send instead of an error. */
export const broken = sql.fragment`
  (${away} or (status >= 400 and not ${refused}) or (status between 200 and 299 and content_type = 'text/html'))`
export const works = sql.fragment`status between 200 and 299`

/** Targets for examples: a link to another site, and an image, a script and a style sheet of the site. */
export const link = (given: Partial<TargetExample> = {}): TargetExample => ({ uses: LINK, ...given })
export const image = (given: Partial<TargetExample> = {}): TargetExample => ({
  uses: IMAGE | EAGER | SOLE,
  contentType: 'image/png',
  internal: true,
  ...given,
})
export const script = (given: Partial<TargetExample> = {}): TargetExample => ({
  uses: SCRIPT | EAGER,
  contentType: 'text/javascript',
  internal: true,
  ...given,
})
export const style = (given: Partial<TargetExample> = {}): TargetExample =>
  script({ uses: STYLE | EAGER, contentType: 'text/css', ...given })
