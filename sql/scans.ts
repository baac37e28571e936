import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'
import { removeJobs } from './queue.ts'
import { clear as clearTargets } from './targets.ts'

/** A scan with the figures of its newest crawl. */
export const Scan = z.object({
  id: z.int(),
  name: z.string(),
  host: z.string(),
  status: z.enum(['crawling', 'completed', 'failed']),
  score: z.int().nullable(),
  pages_found: z.int(),
  pages_processed: z.int(),
  errors_count: z.int(),
  warnings_count: z.int(),
  started_datetime: z.number().nullable(),
  finished_datetime: z.number().nullable(),
  datetime: z.number(),
})
const ScanDetail = Scan.extend({ failure: z.string().nullable(), crawl_id: z.int() })
const Id = z.object({ id: z.int() })
const Total = z.object({ total: z.int() })

const columns = sql.fragment`
  s.id, s.name, s.host, c.status, c.score, c.pages_found, c.pages_processed, c.errors_count, c.warnings_count,
  c.started_at as started_datetime, c.finished_at as finished_datetime, s.created_at as datetime`

export async function list(userId: number, window: { limit: number; offset: number }, on: Executor = db()) {
  const rows = await on.any(sql.type(Scan)`
    select ${columns} from scans s join crawls c on c.id = s.crawl_id
     where s.user_id = ${userId} order by s.id desc limit ${window.limit} offset ${window.offset}`)
  const { total } = await on.one(
    sql.type(Total)`select count(*) as total from scans where user_id = ${userId}`,
  )
  return { rows, total }
}

export async function find(userId: number, id: number, on: Executor = db()) {
  return await on.maybeOne(sql.type(ScanDetail)`
    select ${columns}, c.failure, s.crawl_id
      from scans s join crawls c on c.id = s.crawl_id
     where s.id = ${id} and s.user_id = ${userId}`)
}

/**
 * The crawl whose pages are read. Looked up by the statement that reads them: the end of a rescan makes another the
 * shown one and deletes the pages of the one before.
 */
export const shownCrawl = (scanId: number) =>
  sql.fragment`(select shown_crawl_id from scans where id = ${scanId})`

export type NewScan = {
  userId: number
  name: string
  startUrl: string
  host: string
  maxPages: number
  maxDepth: number
  speed: string
  includeSubdomains: boolean
  respectRobots: boolean
  useSitemap: boolean
  excludePaths: string
}

export async function create(scan: NewScan, on: Executor = db()) {
  return await on.one(sql.type(Id)`
    insert into scans (user_id, name, start_url, host, max_pages, max_depth, speed, include_subdomains,
                       respect_robots, use_sitemap, exclude_paths)
    values (${scan.userId}, ${scan.name}, ${scan.startUrl}, ${scan.host}, ${scan.maxPages}, ${scan.maxDepth},
            ${scan.speed}, ${scan.includeSubdomains}, ${scan.respectRobots}, ${scan.useSitemap}, ${scan.excludePaths})
    returning id`)
}

export async function rename(userId: number, id: number, name: string, on: Executor = db()) {
  return await on.maybeOne(sql.type(Id)`
    update scans set name = ${name} where id = ${id} and user_id = ${userId} returning id`)
}

/**
 * Deletes a scan with its crawls, pages, links, frontier and waiting job. The rows of its crawls go before the pages: a
 * slice that is writing holds its crawl's row, so its pages are committed, and seen below, or it finds the crawl gone
 * and rolls back.
 */
export async function remove(userId: number, id: number) {
  return await db().transaction(async (tx) => {
    const crawls = await tx.anyFirst(sql.type(Id)`
      select c.id from crawls c join scans s on s.id = c.scan_id
       where s.id = ${id} and s.user_id = ${userId} for update of s`)
    if (crawls.length === 0) return null
    const ids = sql.array([...crawls], 'int8')
    await tx.query(sql.typeAlias('void')`delete from scans where id = ${id}`)
    await tx.query(sql.typeAlias('void')`delete from pages where crawl_id = any(${ids})`)
    await tx.query(sql.typeAlias('void')`delete from links where crawl_id = any(${ids})`)
    await tx.query(sql.typeAlias('void')`delete from frontier where crawl_id = any(${ids})`)
    await clearTargets(crawls, tx)
    await removeJobs(
      crawls.map((crawl) => `crawl:${crawl}`),
      tx,
    )
    return { id }
  })
}
