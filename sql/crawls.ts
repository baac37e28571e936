import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

/** Longer than the slowest fetch; every write of a slice prolongs it. */
export const LEASE_SECONDS = 90

const Id = z.object({ id: z.int() })

/** What a slice needs to know of its crawl and of the scan it belongs to. */
const Crawl = z.object({
  id: z.int(),
  scan_id: z.int(),
  start_url: z.string(),
  scope_host: z.string(),
  mode: z.enum(['undecided', 'plain', 'rendered']),
  render_trials: z.int(),
  robots_txt: z.string().nullable(),
  robots_status: z.int().nullable(),
  seeded: z.boolean(),
  /** As the slice before left them; null at first. */
  cookies: z.string().nullable(),
  next_fetch_at: z.number(),
  pages_found: z.int(),
  pages_processed: z.int(),
  max_pages: z.int(),
  max_depth: z.int(),
  speed: z.enum(['safe', 'fast', 'turbo']),
  include_subdomains: z.boolean(),
  respect_robots: z.boolean(),
  use_sitemap: z.boolean(),
  exclude_paths: z.string(),
})
export type Crawl = z.output<typeof Crawl>

/**
 * Begins a crawl of a scan and makes it the newest; a second one at once breaks `crawls_one_running`. Null when the scan
 * is gone.
 */
export async function begin(scanId: number, on: Executor = db()) {
  return await on.maybeOne(sql.type(Id)`
    with scan as (
      select id, host from scans where id = ${scanId} for update
    ), crawl as (
      insert into crawls (scan_id, scope_host) select id, host from scan returning id, scan_id
    )
    update scans s set crawl_id = crawl.id, shown_crawl_id = coalesce(s.shown_crawl_id, crawl.id)
      from crawl where s.id = crawl.scan_id returning crawl.id`)
}

/** Takes the crawl for one slice; null when it has ended or another slice holds it. */
export async function take(id: number, lease: string, workerId: string, on: Executor = db()) {
  return await on.maybeOne(sql.type(Crawl)`
    update crawls c
       set lease = ${lease}, leased_by = ${workerId}, leased_until = now() + make_interval(secs => ${LEASE_SECONDS}),
           started_at = coalesce(c.started_at, now())
      from scans s
     where c.id = ${id} and s.id = c.scan_id and c.status = 'crawling'
       and (c.lease is null or c.leased_until < now())
    returning c.id, c.scan_id, s.start_url, c.scope_host, c.mode, c.render_trials, c.robots_txt, c.robots_status,
              c.seeded, c.cookies, c.next_fetch_at, c.pages_found, c.pages_processed, s.max_pages, s.max_depth, s.speed,
              s.include_subdomains, s.respect_robots, s.use_sitemap, s.exclude_paths`)
}

/** Whether the crawl is still to be worked on. */
export async function isCrawling(id: number, on: Executor = db()) {
  return await on.exists(sql.type(z.unknown())`select 1 from crawls where id = ${id} and status = 'crawling'`)
}

/** Prolongs the lease; false when it was lost, and then nothing more may be written. */
export async function renew(id: number, lease: string, on: Executor = db()) {
  const held = await on.maybeOne(sql.type(Id)`
    update crawls set leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where id = ${id} and lease = ${lease} and status = 'crawling' returning id`)
  return held !== null
}

/** Gives the crawl back, so that the next slice need not wait for the lease to run out. */
export async function release(id: number, lease: string, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update crawls set lease = null, leased_by = null, leased_until = null where id = ${id} and lease = ${lease}`)
}

/** Keeps what robots.txt said; `status` 0 when it could not be fetched. */
export async function keepRobots(
  id: number,
  lease: string,
  robots: { status: number; text: string },
  on: Executor = db(),
) {
  await on.query(sql.typeAlias('void')`
    update crawls set robots_txt = ${robots.text}, robots_status = ${robots.status}
     where id = ${id} and lease = ${lease}`)
}

/** Keeps how many URLs sitemaps list, and whether all was read. */
export async function keepSitemaps(
  id: number,
  lease: string,
  listed: { urls: number; whole: boolean },
  on: Executor = db(),
) {
  await on.query(sql.typeAlias('void')`
    update crawls set sitemap_urls = ${listed.urls}, sitemap_whole = ${listed.whole}
     where id = ${id} and lease = ${lease}`)
}

export async function markSeeded(id: number, lease: string, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`update crawls set seeded = true where id = ${id} and lease = ${lease}`)
}

/** Makes the `www.` twin that the start URL redirects to part of the site. */
export async function widenScope(id: number, lease: string, host: string, on: Executor = db()) {
  await on.query(
    sql.typeAlias('void')`update crawls set scope_host = ${host} where id = ${id} and lease = ${lease}`,
  )
}

/** Keeps the site's cookies for the next slice. */
export async function keepCookies(id: number, lease: string, cookies: string, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update crawls set cookies = ${cookies} where id = ${id} and lease = ${lease}`)
}

/** Remembers whether rendering pays for this crawl. */
export async function decideMode(
  id: number,
  lease: string,
  mode: Crawl['mode'],
  trials: number,
  on: Executor = db(),
) {
  await on.query(sql.typeAlias('void')`
    update crawls set mode = ${mode}, render_trials = ${trials} where id = ${id} and lease = ${lease}`)
}

/** Crawls of these worker processes are free again: they died. */
export async function releaseHeldBy(workerIds: readonly string[], on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update crawls set lease = null, leased_by = null, leased_until = null
     where leased_by = any(${sql.array([...workerIds], 'uuid')})`)
}

const Ended = z.object({
  scan_id: z.int(),
  obsolete_crawl_id: z.int().nullable(),
  pages: z.int(),
  seconds: z.int(),
})

/**
 * Ends a crawl: counts what its pages show and makes it the one that is read, unless it failed (`failure` is not null)
 * and a completed one can still be read. Returns the crawl whose pages are no longer needed, and what this one came to;
 * null when the lease was lost.
 * The scan is locked before the crawl, as its deletion does: the other way round the two would wait for each other.
 */
export async function end(
  id: number,
  lease: string,
  result: { failure: string | null; score: number | null; scoreVersion: number },
  on: Executor = db(),
) {
  const status = result.failure === null ? 'completed' : 'failed'
  return await on.maybeOne(sql.type(Ended)`
    with scan as (
      select s.id, s.shown_crawl_id,
             ${result.failure !== null} and shown.id <> ${id} and shown.status = 'completed' as is_kept
        from scans s join crawls c on c.scan_id = s.id join crawls shown on shown.id = s.shown_crawl_id
       where c.id = ${id} for update of s
    ), counted as (
      select count(*) filter (where status_code between 200 and 299) as s2,
             count(*) filter (where status_code between 300 and 399) as s3,
             count(*) filter (where status_code between 400 and 499) as s4,
             count(*) filter (where status_code between 500 and 599) as s5
        from pages where crawl_id = ${id}
    ), found as (
      select count(*) filter (where k.severity = 'major') as major,
             count(*) filter (where k.severity = 'moderate') as moderate
        from pages p cross join unnest(p.issues) as issue (code) join checks k on k.code = issue.code
       where p.crawl_id = ${id}
    ), ended as (
      update crawls c
         set status = ${status}, failure = ${result.failure}, score = ${result.score},
             score_version = ${result.scoreVersion}, finished_at = now(),
             errors_count = found.major, warnings_count = found.moderate,
             status_2xx = s2, status_3xx = s3, status_4xx = s4, status_5xx = s5,
             lease = null, leased_by = null, leased_until = null
        from scan, counted, found
       where c.id = ${id} and c.scan_id = scan.id and c.lease = ${lease} and c.status = 'crawling'
      returning c.id, c.pages_processed as pages, extract(epoch from c.finished_at - c.started_at)::int as seconds
    )
    update scans s set shown_crawl_id = case when scan.is_kept then s.shown_crawl_id else ended.id end
      from ended, scan where s.id = scan.id
    returning s.id as scan_id, ended.pages, ended.seconds,
              case when scan.is_kept then ended.id else nullif(scan.shown_crawl_id, ended.id) end as obsolete_crawl_id`)
}
