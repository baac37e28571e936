import { z } from 'zod'

import { type Executor, sql } from './pool.ts'

/** Pages named as examples. */
const EXAMPLES = 5

const Outcome = z.object({
  scan_id: z.int(),
  user_id: z.int(),
  name: z.string(),
  host: z.string(),
  start_url: z.string(),
  scope_host: z.string(),
  robots_status: z.int().nullable(),
  robots_txt: z.string().nullable(),
  /** Why it failed; null when it completed. */
  failure: z.string().nullable(),
  score: z.int().nullable(),
  /** Of the last completed crawl before, if it was made by the same formula. */
  previous_score: z.int().nullable(),
  /** Pages that answered 5xx, and the first of them. */
  server_errors: z.int(),
  examples: z.array(z.object({ url: z.string(), status: z.int() })),
})
export type CrawlOutcome = z.output<typeof Outcome>

/** What an ended crawl came to, beside the one before. */
export async function crawlOutcome(crawlId: number, on: Executor): Promise<CrawlOutcome> {
  return await on.one(sql.type(Outcome)`
    select c.scan_id, s.user_id, s.name, s.host, s.start_url, c.scope_host, c.robots_status, c.robots_txt, c.failure,
           c.score, case when before.score_version = c.score_version then before.score end as previous_score,
           c.status_5xx as server_errors,
           (select coalesce(json_agg(e), '[]') from (
              select url, status_code as status from pages
               where c.status_5xx > 0 and crawl_id = c.id and status_code between 500 and 599
               order by id limit ${EXAMPLES}) e) as examples
      from crawls c join scans s on s.id = c.scan_id
      left join lateral (
        select score, score_version from crawls
         where scan_id = c.scan_id and id < c.id and status = 'completed' order by id desc limit 1
      ) before on true
     where c.id = ${crawlId}`)
}
