import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

/** A completed crawl, as the history shows it. */
export const Snapshot = z.object({
  score: z.int().nullable(),
  pages_found: z.int(),
  pages_processed: z.int(),
  errors_count: z.int(),
  warnings_count: z.int(),
  status_2xx: z.int(),
  status_3xx: z.int(),
  status_4xx: z.int(),
  status_5xx: z.int(),
  duration_seconds: z.int(),
  started_datetime: z.number(),
  finished_datetime: z.number(),
  datetime: z.number(),
})

/** The completed crawls of a scan, oldest first. */
export async function list(scanId: number, on: Executor = db()) {
  return await on.any(sql.type(Snapshot)`
    select score, pages_found, pages_processed, errors_count, warnings_count,
           status_2xx, status_3xx, status_4xx, status_5xx,
           round(extract(epoch from finished_at - started_at))::int as duration_seconds,
           started_at as started_datetime, finished_at as finished_datetime, finished_at as datetime
      from crawls where scan_id = ${scanId} and status = 'completed' order by id`)
}
