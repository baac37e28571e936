import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

/** Faults of the site as a whole, and what is left of its score with each; found on any page. */
const gates = {
  robots_txt_blocks_all: 0.5,
  noindex_sitewide: 0.5,
  robots_txt_unreachable: 0.8,
  certificate_invalid: 0.7,
  soft_404_site: 0.95,
  sitemap_missing: 0.97,
} as const
/** What is left with a fault of the start page. */
const startGates = { https_missing: 0.8 } as const

const Sums = z.object({ pages: z.int(), points: z.int(), closed: z.array(z.string()) })
export type Sums = z.output<typeof Sums>

/** The score of a crawl: the mean over its indexable pages and its broken ones, less for faults of the whole. */
export async function siteScore(crawlId: number, on: Executor = db()): Promise<number | null> {
  const sums = await on.one(sql.type(Sums)`
    with recursive start (issues, redirect_key, hops) as (
      select p.issues, p.redirect_key, 0
        from pages p join crawls c on c.id = p.crawl_id join scans s on s.id = c.scan_id
       where p.crawl_id = ${crawlId} and p.url = s.start_url
      union all
      select p.issues, p.redirect_key, start.hops + 1
        from start join pages p on p.crawl_id = ${crawlId} and p.url_key = start.redirect_key where start.hops < 20
    ), scored as (
      select coalesce(score, 0) as score from pages
       where crawl_id = ${crawlId} and (is_indexable or status_code = 0 or status_code >= 400)
    ), closed as (
      select distinct issue.code from pages p cross join unnest(p.issues) as issue (code)
       where p.crawl_id = ${crawlId} and issue.code = any(${sql.array(Object.keys(gates), 'text')})
      union
      select issue.code from (select issues from start order by hops desc limit 1) s cross join unnest(s.issues) as issue (code)
       where issue.code = any(${sql.array(Object.keys(startGates), 'text')})
    )
    select (select count(*) from scored) as pages, (select coalesce(sum(score), 0) from scored)::bigint as points,
           (select coalesce(json_agg(code), '[]') from closed) as closed`)
  return combine(sums)
}

/** The formula itself. Null when there is nothing to judge. */
export function combine({ pages, points, closed }: Sums): number | null {
  if (pages === 0) return null
  const left = Object.entries({ ...gates, ...startGates }).reduce(
    (left, [code, gate]) => (closed.includes(code) ? left * gate : left),
    1,
  )
  return Math.round((points / pages) * left)
}
