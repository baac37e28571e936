import { z } from 'zod'

import { tellEnded } from './answers.ts'
import { db, type Executor, sql } from './pool.ts'
import { removeJobs } from './queue.ts'

export const presets = [
  'html_only',
  'images_only',
  'no_images',
  'no_videos',
  'no_media',
  'essential_only',
  'no_tracking',
] as const

const MAX_PATTERNS = 100
const MAX_PATTERN_LENGTH = 500
const MAX_EXTENSION_LENGTH = 32

const patterns = z.array(z.string().min(1).max(MAX_PATTERN_LENGTH)).max(MAX_PATTERNS).optional()

/** Which files a job keeps; what is stored is what was sent. */
export const Filters = z
  .object({
    presets: z.array(z.enum(presets)).max(MAX_PATTERNS).optional(),
    exclude_patterns: patterns.describe('Paths to skip, as globs.'),
    include_patterns: patterns.describe('Paths to keep, as globs.'),
    max_size: z
      .string()
      .regex(/^\d{1,9}(\.\d{1,3})? ?[KMG]B$/i)
      .optional()
      .describe('Larger files are skipped: `500KB`, `5MB`, `1GB`, of 1024 each.'),
    blocked_extensions: z
      .array(z.string().min(1).max(MAX_EXTENSION_LENGTH))
      .max(MAX_PATTERNS)
      .optional()
      .describe('File extensions to skip, without the dot.'),
  })
  .meta({ id: 'ScrapeFilters' })
export type Filters = z.output<typeof Filters>

export const statuses = ['pending', 'running', 'completed', 'failed'] as const

/** What a job has done so far. */
export const Stats = z
  .object({
    pages_downloaded: z.int(),
    resources_downloaded: z.int(),
    bytes_downloaded: z.int().describe('Of decoded bodies.'),
    duplicates_skipped: z.int(),
    errors: z.int(),
  })
  .meta({ id: 'ScrapeStats' })
export type Stats = z.output<typeof Stats>

/** A job as its owner sees it; times in Unix seconds, null what is not known yet. */
export const ScrapeJob = z.object({
  id: z.string(),
  url: z.string(),
  status: z.enum(statuses),
  created_at: z.int(),
  started_at: z.int().nullable(),
  completed_at: z.int().nullable(),
  duration: z.int().nullable(),
  zip_file: z.string().nullable(),
  zip_size: z.int().nullable(),
  truncated: z.boolean().nullable(),
  failure: z.string().nullable(),
  ...Stats.shape,
})

const Created = z.object({ id: z.int() })
const Removed = z.object({ id: z.int(), archive: z.string().nullable(), held: z.boolean() })
const Count = z.object({ count: z.int() })

const seconds = (column: 'created_at' | 'started_at' | 'completed_at') =>
  sql.fragment`floor(extract(epoch from ${sql.identifier([column])}))::int8`

const columns = sql.fragment`
  public_id as id, url, status, ${seconds('created_at')} as created_at, ${seconds('started_at')} as started_at,
  ${seconds('completed_at')} as completed_at, ${seconds('completed_at')} - ${seconds('started_at')} as duration,
  case when status = 'completed' then archive end as zip_file, zip_size, truncated, failure, pages_downloaded,
  resources_downloaded, bytes_downloaded, duplicates_skipped, errors`

export type NewJob = {
  publicId: string
  userId: number
  url: string
  host: string
  depth: number
  maxPages: number
  htmlOnly: boolean
  filters: Filters
  /** An open answer that is settled when the job ends. */
  answer: string | null
}

export async function create(job: NewJob, on: Executor = db()): Promise<number> {
  return await on.oneFirst(sql.type(Created)`
    insert into scrape_jobs (public_id, user_id, url, host, depth, max_pages, html_only, filters, answer)
    values (${job.publicId}, ${job.userId}, ${job.url}, ${job.host}, ${job.depth}, ${job.maxPages}, ${job.htmlOnly},
            ${sql.jsonb(job.filters as never)}, ${job.answer})
    returning id`)
}

export async function find(userId: number, publicId: string, on: Executor = db()) {
  return await on.maybeOne(sql.type(ScrapeJob)`
    select ${columns} from scrape_jobs where public_id = ${publicId} and user_id = ${userId}`)
}

export type Search = {
  status: (typeof statuses)[number] | null
  /** Part of the URL in any case; `*` is any run of characters. */
  url: string | null
  limit: number
  offset: number
}

/** One page of the jobs that match, newest first, and how many match in all. */
export async function list(userId: number, search: Search, on: Executor = db()) {
  const pattern = search.url === null ? null : likePattern(search.url)
  const matching = sql.fragment`
    user_id = ${userId} and (${search.status}::text is null or status = ${search.status})
    and (${pattern}::text is null or url ilike ${pattern})`
  const jobs = await on.any(sql.type(ScrapeJob)`
    select ${columns} from scrape_jobs where ${matching}
     order by scrape_jobs.created_at desc, scrape_jobs.id desc limit ${search.limit} offset ${search.offset}`)
  const count = await on.oneFirst(
    sql.type(Count)`select count(*) as count from scrape_jobs where ${matching}`,
  )
  return { jobs, count }
}

/**
 * Deletes a job in whatever state, and the queue's job with it; null when there is none. `held`: a worker is at it, and
 * may write to the archive until it notices.
 */
export async function remove(userId: number, publicId: string, on: Executor) {
  const removed = await on.maybeOne(sql.type(Removed)`
    with ended as (
      delete from scrape_jobs where public_id = ${publicId} and user_id = ${userId} returning id, archive, lease, answer
    ), ${tellEnded}
    select id, archive, lease is not null as held, (select count(*) from told) from ended`)
  if (removed) await removeJobs([`scrape:${removed.id}`], on)
  return removed
}

function likePattern(text: string) {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&').replaceAll(/\*+/g, '%')}%`
}
