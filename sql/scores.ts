import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

export type Severity = 'major' | 'moderate' | 'minor'

/** Points one issue costs, and what all of its severity may cost. */
export const prices: Record<Severity, { each: number; most: number }> = {
  major: { each: 15, most: 60 },
  moderate: { each: 5, most: 30 },
  minor: { each: 1, most: 10 },
}

/** An issue as the table of checks knows it; `points` is 0 for what only informs. */
export type Priced = { code: string; severity: Severity; points: number }

/** Why a page has its score. `lost` is what each severity costs: the sum of its points, but never more than `most`. */
export type PageScore = {
  score: number | null
  reason: 'issues' | 'unreadable' | 'blocked' | 'no_page'
  issues: Priced[]
  lost: Record<Severity, { points: number; most: number; counted: number }>
}

/** 0 to 100: what cannot be read is 0, a clean page 100; null for redirects and files. */
export function explainScore(
  { status, isHtml, isBlocked }: { status: number; isHtml: boolean; isBlocked: boolean },
  issues: readonly Priced[],
): PageScore {
  const lost = {
    major: loss(issues, 'major'),
    moderate: loss(issues, 'moderate'),
    minor: loss(issues, 'minor'),
  }
  const points = lost.major.counted + lost.moderate.counted + lost.minor.counted
  const priced = issues.filter((issue) => issue.points > 0)
  const told = (score: number | null, reason: PageScore['reason']) => ({
    score,
    reason,
    issues: priced,
    lost,
  })
  if (status === 0 || status >= 400) return told(0, 'unreadable')
  if (status >= 300 || !isHtml) return told(null, 'no_page')
  return isBlocked ? told(0, 'blocked') : told(100 - points, 'issues')
}

function loss(issues: readonly Priced[], severity: Severity) {
  const { most } = prices[severity]
  let points = 0
  for (const issue of issues) if (issue.severity === severity) points += issue.points
  return { points, most, counted: Math.min(most, points) }
}

/** Faults of the site as a whole, and what is left of its score with each; found on any page. */
export const gates = {
  robots_txt_blocks_all: 0.5,
  noindex_sitewide: 0.5,
  robots_txt_unreachable: 0.8,
  certificate_invalid: 0.7,
  soft_404_site: 0.95,
  sitemap_missing: 0.97,
} as const
/** What is left with a fault of the start page. */
export const startGates = { https_missing: 0.8 } as const

const Sums = z.object({ pages: z.int(), points: z.int(), closed: z.array(z.string()) })
export type Sums = z.output<typeof Sums>

/** Why a site has its score: the mean over its pages, times the gates that closed. */
export type SiteScore = {
  score: number | null
  pages: number
  mean: number | null
  gates: { code: string; factor: number }[]
}

/** The score of a crawl. */
export async function siteScore(crawlId: number, on: Executor = db()): Promise<number | null> {
  return explainSite(await sumScores(crawlId, on)).score
}

/** What the score of a crawl is made of: its indexable pages and its broken ones, and the faults of the whole. */
export async function sumScores(crawlId: number, on: Executor = db()): Promise<Sums> {
  return await on.one(sql.type(Sums)`
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
}

/** The formula itself; null when there is nothing to judge. */
export function explainSite({ pages, points, closed }: Sums): SiteScore {
  const known = Object.entries({ ...gates, ...startGates })
  const found = known.filter(([code]) => closed.includes(code)).map(([code, factor]) => ({ code, factor }))
  if (pages === 0) return { score: null, pages, mean: null, gates: found }
  const left = found.reduce((left, { factor }) => left * factor, 1)
  const mean = points / pages
  return { score: Math.round(mean * left), pages, mean, gates: found }
}
