import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'
import { sumScores } from './scores.ts'

/** Bounds on what a report shows. */
const EXAMPLES = 5
const EXTREMES = 10
const HISTORY = 60
/** Pages deeper than this are counted together. */
const DEEPEST = 12

const Status = z.enum(['crawling', 'completed', 'failed'])

/** The scan, the crawl that is read, and how the newest one stands, if that is another. Times are milliseconds since 1970. */
const Crawl = z.object({
  id: z.int(),
  name: z.string(),
  host: z.string(),
  start_url: z.string(),
  max_pages: z.int(),
  max_depth: z.int(),
  include_subdomains: z.boolean(),
  respect_robots: z.boolean(),
  use_sitemap: z.boolean(),
  excludes: z.boolean(),
  status: Status,
  failure: z.string().nullable(),
  rendered: z.boolean(),
  score: z.int().nullable(),
  robots_status: z.int().nullable(),
  sitemap_urls: z.int(),
  started: z.number().nullable(),
  finished: z.number().nullable(),
  newest_status: Status,
  newest_failure: z.string().nullable(),
})

const Totals = z.object({
  pages: z.int(),
  indexable: z.int(),
  documents: z.int(),
  failed: z.int(),
  s2: z.int(),
  s3: z.int(),
  s4: z.int(),
  s5: z.int(),
})
const Depth = z.object({ depth: z.int(), pages: z.int() })
const Finding = z.object({
  code: z.string(),
  severity: z.enum(['major', 'moderate', 'minor']),
  about: z.string(),
  fix: z.string(),
  points: z.int(),
  pages: z.int(),
  examples: z.array(z.string()),
})
export type Finding = z.output<typeof Finding>
const Extreme = z.object({
  url: z.string(),
  title: z.string().nullable(),
  bytes: z.int(),
  ttfb_ms: z.int().nullable(),
  total_ms: z.int().nullable(),
})
export type Extreme = z.output<typeof Extreme>
const Past = z.object({ score: z.int().nullable(), version: z.int().nullable(), finished: z.number() })
export type Past = z.output<typeof Past>

/**
 * All that a report says of a scan, as of one moment: a rescan that ends meanwhile deletes what is being read. Null when
 * the scan is gone.
 */
export async function readReport(scanId: number) {
  return await db().transaction(async (tx) => {
    await tx.query(sql.typeAlias('void')`set transaction isolation level repeatable read read only`)
    const crawl = await crawlOf(scanId, tx)
    if (!crawl) return null
    return {
      crawl,
      deepest: DEEPEST,
      totals: await totals(crawl.id, tx),
      depths: await depths(crawl.id, tx),
      findings: await findings(crawl.id, tx),
      slowest: await extremes(crawl.id, 'total_ms', tx),
      heaviest: await extremes(crawl.id, 'bytes', tx),
      history: await history(scanId, tx),
      sums: await sumScores(crawl.id, tx),
    }
  })
}
export type Report = NonNullable<Awaited<ReturnType<typeof readReport>>>

async function crawlOf(scanId: number, on: Executor) {
  return await on.maybeOne(sql.type(Crawl)`
    select c.id, s.name, s.host, s.start_url, s.max_pages, s.max_depth, s.include_subdomains, s.respect_robots,
           s.use_sitemap, s.exclude_paths <> '' as excludes, c.status, c.failure, c.mode = 'rendered' as rendered,
           c.score, c.robots_status, c.sitemap_urls, c.started_at as started, c.finished_at as finished,
           newest.status as newest_status, newest.failure as newest_failure
      from scans s join crawls c on c.id = s.shown_crawl_id join crawls newest on newest.id = s.crawl_id
     where s.id = ${scanId}`)
}

async function totals(crawlId: number, on: Executor) {
  return await on.one(sql.type(Totals)`
    select count(*) as pages, count(*) filter (where is_indexable) as indexable,
           count(*) filter (where is_html) as documents, count(*) filter (where status_code = 0) as failed,
           count(*) filter (where status_code between 100 and 299) as s2,
           count(*) filter (where status_code between 300 and 399) as s3,
           count(*) filter (where status_code between 400 and 499) as s4,
           count(*) filter (where status_code >= 500) as s5
      from pages where crawl_id = ${crawlId}`)
}

async function depths(crawlId: number, on: Executor) {
  return await on.any(sql.type(Depth)`
    select least(depth, ${DEEPEST}::int) as depth, count(*) as pages from pages
     where crawl_id = ${crawlId} group by 1 order by 1`)
}

/** What was found, dearest first: points times pages. */
async function findings(crawlId: number, on: Executor) {
  return await on.any(sql.type(Finding)`
    with found as (
      select issue.code, count(*) as pages, (array_agg(p.id order by p.id))[1:${EXAMPLES}] as ids
        from pages p cross join unnest(p.issues) as issue (code) where p.crawl_id = ${crawlId} group by issue.code
    ), example as (
      select found.code, json_agg(p.url order by p.id) as urls
        from found cross join unnest(found.ids) as i (id) join pages p on p.crawl_id = ${crawlId} and p.id = i.id
       group by found.code
    )
    select found.code, coalesce(k.severity, 'minor') as severity, coalesce(k.about, '') as about,
           coalesce(k.fix, '') as fix, coalesce(k.points, 0) as points, found.pages, example.urls as examples
      from found join example using (code) left join checks k using (code)
     order by coalesce(k.points, 0) * found.pages desc, array_position(array['major', 'moderate', 'minor'], k.severity),
              found.pages desc, found.code`)
}

async function extremes(crawlId: number, by: 'total_ms' | 'bytes', on: Executor) {
  const figure = sql.identifier([by])
  return await on.any(sql.type(Extreme)`
    select url, title, bytes, ttfb_ms, total_ms from pages
     where crawl_id = ${crawlId} and is_html and status_code between 200 and 299 and ${figure} > 0
     order by ${figure} desc, id limit ${EXTREMES}`)
}

/** The newest completed crawls, oldest first. */
async function history(scanId: number, on: Executor) {
  return await on.any(sql.type(Past)`
    select score, version, finished
      from (select id, score, score_version as version, finished_at as finished from crawls
             where scan_id = ${scanId} and status = 'completed' order by id desc limit ${HISTORY}) newest
     order by id`)
}
