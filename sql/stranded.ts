import { z } from 'zod'

import { tellEnded } from './answers.ts'
import { type Executor, sql } from './pool.ts'

/** A crawl and its job are written together, so one without is lost; the pause is for what nobody thought of. */
const STRANDED_SECONDS = 60
/** A crawl that loses its job again and again does so by its own fault. */
const RESCUES = 3
/** How long a crawl waits for a worker that renders before it goes on without. */
const RENDER_PATIENCE_SECONDS = 600

const Id = z.object({ id: z.int() })

/** The job of a crawl has this key, whichever kind of job it is. */
const jobOfCrawl = sql.fragment`select 1 from graphile_worker._private_jobs j where j.key = 'crawl:' || c.id`

/** Crawls under way for which nothing is queued; they are counted, for the caller queues them again. */
export async function strandedCrawls(on: Executor) {
  return await on.anyFirst(sql.type(Id)`
    update crawls c set rescues = rescues + 1
     where c.status = 'crawling' and c.rescues < ${RESCUES}
       and greatest(c.created_at, c.leased_until) < now() - make_interval(secs => ${STRANDED_SECONDS})
       and not exists (${jobOfCrawl})
    returning c.id`)
}

const Hopeless = z.object({ id: z.int(), last_error: z.string().nullable() })

/** Crawls whose job was given up, and those that were rescued in vain. */
export async function hopelessCrawls(on: Executor) {
  return await on.any(sql.type(Hopeless)`
    select c.id, j.last_error
      from crawls c left join graphile_worker._private_jobs j on j.key = 'crawl:' || c.id
     where c.status = 'crawling'
       and ((j.locked_at is null and j.attempts >= j.max_attempts)
         or (j.id is null and c.rescues >= ${RESCUES}
             and greatest(c.created_at, c.leased_until) < now() - make_interval(secs => ${STRANDED_SECONDS})))`)
}

const jobOfScrape = sql.fragment`select 1 from graphile_worker._private_jobs j where j.key = 'scrape:' || s.id`

/** Scrape jobs under way for which nothing is queued; they are counted, for the caller queues them again. */
export async function strandedScrapes(on: Executor) {
  return await on.anyFirst(sql.type(Id)`
    update scrape_jobs s set rescues = rescues + 1
     where s.status in ('pending', 'running') and s.rescues < ${RESCUES}
       and greatest(s.created_at, s.leased_until) < now() - make_interval(secs => ${STRANDED_SECONDS})
       and not exists (${jobOfScrape})
    returning s.id`)
}

const Ended = z.object({ id: z.int(), archive: z.string().nullable(), last_error: z.string().nullable() })

/** Ends the scrape jobs whose queued job was given up, and those rescued in vain; their archives are to be removed. */
export async function endHopelessScrapes(reason: string, on: Executor) {
  return await on.any(sql.type(Ended)`
    with hopeless as (
      select s.id, s.archive, j.last_error
        from scrape_jobs s left join graphile_worker._private_jobs j on j.key = 'scrape:' || s.id
       where s.status in ('pending', 'running') and (s.lease is null or s.leased_until < now())
         and ((j.locked_at is null and j.attempts >= j.max_attempts)
           or (j.id is null and s.rescues >= ${RESCUES}
               and greatest(s.created_at, s.leased_until) < now() - make_interval(secs => ${STRANDED_SECONDS})))
         for update of s
    ), ended as (
      update scrape_jobs s
         set status = 'failed', failure = ${reason}, completed_at = now(), archive = null,
             lease = null, leased_by = null, leased_until = null
        from hopeless where s.id = hopeless.id
      returning s.id, s.answer, hopeless.archive, hopeless.last_error
    ), ${tellEnded}
    select id, archive, last_error, (select count(*) from told) from ended`)
}

/** Crawls that wait in vain for a worker that renders go on with plain HTML; the caller queues them for it. */
export async function unrenderableCrawls(on: Executor) {
  return await on.anyFirst(sql.type(Id)`
    update crawls c set mode = 'plain'
      from graphile_worker.jobs j
     where c.status = 'crawling' and j.key = 'crawl:' || c.id and j.task_identifier = 'crawl.render'
       and j.locked_at is null and j.attempts < j.max_attempts
       and j.run_at < now() - make_interval(secs => ${RENDER_PATIENCE_SECONDS})
       and not exists (select 1 from workers where 'render' = any(pools))
    returning c.id`)
}
