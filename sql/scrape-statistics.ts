import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

/** How many hosts and systems are named. */
const TOP = 10

export const periods = ['today', 'week', 'month', 'year', 'all'] as const
export type Period = (typeof periods)[number]

const Counts = z.record(z.string(), z.int())

/** Figures of a user's jobs that were created in a period. */
export const Statistics = z
  .object({
    total_jobs: z.int(),
    completed: z.int(),
    failed: z.int(),
    running: z.int(),
    pending: z.int(),
    total_pages: z.int(),
    total_resources: z.int(),
    total_bytes: z.int(),
    avg_duration: z.number().describe('Seconds from start to end of a completed job; 0 without any.'),
    success_rate: z.number().describe('Completed jobs in percent of those that ended; 0 without any.'),
    top_domains: Counts.describe(`Jobs of each host, the ${TOP} largest.`),
    top_cms: Counts.describe(`Jobs of each content-management system, the ${TOP} largest.`),
  })
  .meta({ id: 'ScrapeStatistics' })

/** Weeks begin on Monday; all periods are of UTC and go on until now. */
const beginnings: Record<Exclude<Period, 'all'>, string> = {
  today: 'day',
  week: 'week',
  month: 'month',
  year: 'year',
}

export async function statistics(userId: number, period: Period, on: Executor = db()) {
  const unit = period === 'all' ? null : beginnings[period]
  return await on.one(sql.type(Statistics)`
    with mine as (
      select * from scrape_jobs
       where user_id = ${userId}
         and (${unit}::text is null or created_at >= date_trunc(${unit ?? 'day'}, now(), 'UTC'))
    ), hosts as (
      select host as name, count(*) as jobs from mine group by 1 order by 2 desc, 1 limit ${TOP}
    ), systems as (
      select cms as name, count(*) as jobs from mine where cms is not null group by 1 order by 2 desc, 1 limit ${TOP}
    )
    select count(*) as total_jobs,
           count(*) filter (where status = 'completed') as completed,
           count(*) filter (where status = 'failed') as failed,
           count(*) filter (where status = 'running') as running,
           count(*) filter (where status = 'pending') as pending,
           coalesce(sum(pages_downloaded), 0)::int8 as total_pages,
           coalesce(sum(resources_downloaded), 0)::int8 as total_resources,
           coalesce(sum(bytes_downloaded), 0)::int8 as total_bytes,
           coalesce(avg(extract(epoch from completed_at - started_at)) filter (where status = 'completed'), 0)::float8
             as avg_duration,
           coalesce(100.0 * count(*) filter (where status = 'completed')
             / nullif(count(*) filter (where status in ('completed', 'failed')), 0), 0)::float8 as success_rate,
           (select coalesce(json_object_agg(name, jobs order by jobs desc, name), '{}') from hosts) as top_domains,
           (select coalesce(json_object_agg(name, jobs order by jobs desc, name), '{}') from systems) as top_cms
      from mine`)
}
