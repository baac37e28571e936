import { UniqueIntegrityConstraintViolationError } from 'slonik'
import { z } from 'zod'

import { Problem } from '../../problem.ts'
import * as crawls from '../../sql/crawls.ts'
import * as frontier from '../../sql/frontier.ts'
import { db, type Executor } from '../../sql/pool.ts'
import * as scans from '../../sql/scans.ts'
import { enqueue } from '../../tasks/jobs.ts'
import { created, endpoint, item, list } from '../endpoint.ts'
import { clamped, name, oneOf, optionalName, text, truthy } from '../fields.ts'
import { oneScan, Scan, scanExample } from './scan.ts'
import { startUrl } from './start-url.ts'

const EXCLUDE_PATHS_LENGTH = 2000
const MAX_PAGES = 10_000
const SPEEDS = ['safe', 'fast', 'turbo'] as const

const ScanDetail = Scan.extend({
  pending: z.int().optional().describe('URLs still queued; only while crawling.'),
  failure: z.string().optional().describe('Why the crawl failed; only when it did.'),
}).meta({ id: 'ScanDetail' })
const Started = z.object({ id: z.int(), status: z.literal('crawling') }).meta({ id: 'StartedScan' })
const Id = z.object({ id: z.int() })

export const spider = [
  endpoint({
    method: 'get',
    path: '/spider',
    summary: 'List scans',
    reply: list(Scan, scanExample),
    handle: ({ user, window }) => scans.list(user.id, window),
  }),
  endpoint({
    method: 'post',
    path: '/spider',
    summary: 'Start a scan',
    body: z
      .object({
        start_url: text(4096),
        url: text(4096).describe('Alias of `start_url`.'),
        name: optionalName,
        max_pages: clamped(1, MAX_PAGES).describe("Capped to the plan's limit, which is also the default."),
        max_depth: clamped(0, 50, 10),
        speed: oneOf(SPEEDS, 'fast').describe('A page every 4, 2 or 1 seconds.'),
        include_subdomains: truthy(),
        respect_robots: truthy(),
        use_sitemap: truthy(),
        exclude_paths: text(EXCLUDE_PATHS_LENGTH).describe(
          'A rule a line, matched like those of robots.txt.',
        ),
      })
      .meta({ example: { start_url: 'https://example.com/', max_pages: 50, speed: 'turbo' } }),
    reply: created(Started, { id: 12, status: 'crawling' }),
    problems: ['invalid'],
    async handle({ body, user }) {
      const url = startUrl(body.start_url || body.url)
      const id = await db().transaction(async (tx) => {
        const scan = await scans.create(
          {
            userId: user.id,
            name: body.name,
            startUrl: url.href,
            host: url.host,
            maxPages: Math.min(body.max_pages ?? user.maxPages, user.maxPages, MAX_PAGES),
            maxDepth: body.max_depth,
            speed: body.speed,
            includeSubdomains: body.include_subdomains,
            respectRobots: body.respect_robots,
            useSitemap: body.use_sitemap,
            excludePaths: body.exclude_paths,
          },
          tx,
        )
        await startCrawl(scan.id, tx)
        return scan.id
      })
      return { id, status: 'crawling' as const }
    },
  }),
  endpoint({
    method: 'get',
    path: '/spider/:id',
    summary: 'Read a scan',
    params: oneScan.params,
    reply: item(ScanDetail, scanExample),
    problems: ['not_found'],
    find: oneScan.find,
    async handle({ record }) {
      const pending = record.status === 'crawling' ? await frontier.pending(record.crawl_id) : undefined
      return { ...record, pending, failure: record.status === 'failed' ? (record.failure ?? '') : undefined }
    },
  }),
  endpoint({
    method: 'patch',
    path: '/spider/:id',
    summary: 'Rename a scan',
    params: oneScan.params,
    body: z.object({ name }),
    reply: item(z.object({ id: z.int(), name: z.string() }), { id: 12, name: 'Blog' }),
    problems: ['not_found', 'invalid'],
    find: oneScan.find,
    async handle({ id, user, body }) {
      if (!(await scans.rename(user.id, id, body.name))) throw new Problem('not_found')
      return { id, name: body.name }
    },
  }),
  endpoint({
    method: 'delete',
    path: '/spider/:id',
    summary: 'Delete a scan',
    params: oneScan.params,
    reply: item(Id, { id: 12 }),
    problems: ['not_found'],
    async handle({ id, user }) {
      const removed = await scans.remove(user.id, id)
      if (!removed) throw new Problem('not_found')
      return removed
    },
  }),
  endpoint({
    method: 'post',
    path: '/spider/:id/rescan',
    summary: 'Crawl a scan again',
    params: oneScan.params,
    reply: item(Started, { id: 12, status: 'crawling' }),
    problems: ['not_found', 'invalid'],
    find: oneScan.find,
    async handle({ id }) {
      try {
        await db().transaction((tx) => startCrawl(id, tx))
      } catch (error) {
        if (error instanceof UniqueIntegrityConstraintViolationError) throw new Problem('still_crawling')
        throw error
      }
      return { id, status: 'crawling' as const }
    },
  }),
]

/** A new crawl and the job that begins it exist together or not at all. */
async function startCrawl(scanId: number, tx: Executor) {
  const crawl = await crawls.begin(scanId, tx)
  if (!crawl) throw new Problem('not_found')
  await enqueue('crawl.slice', { crawl: crawl.id }, { on: tx, key: `crawl:${crawl.id}` })
}
