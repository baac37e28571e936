import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

/** Kept for whoever looks into it. */
const FAILED_JOB_DAYS = 7
const ANSWER_DAYS = 1
const CLOCK_FIRE_DAYS = 30
const RATE_WINDOW_HOURS = 1
const QUOTA_DAYS = 2
const KNOWN_TARGET_DAYS = 1
const DELIVERY_DAYS = 30
const INCIDENT_DAYS = 400
/** Rows of one statement: short transactions keep the queue's dead rows few. */
const BATCH = 10_000

const Counted = z.object({ rows: z.int() })

/** Jobs that failed for good. No queue is ever named and tasks are few, so nothing else of the queue needs clearing. */
export async function sweepFailedJobs(on: Executor = db()): Promise<number> {
  return await on.oneFirst(sql.type(Counted)`
    with swept as (
      delete from graphile_worker._private_jobs
       where attempts >= max_attempts and locked_at is null
         and run_at < now() - make_interval(days => ${FAILED_JOB_DAYS}) returning 1
    ) select count(*) as rows from swept`)
}

export async function sweepAnswers(on: Executor = db()): Promise<number> {
  return await on.oneFirst(sql.type(Counted)`
    with swept as (
      delete from answers where created_at < now() - make_interval(days => ${ANSWER_DAYS}) returning 1
    ) select count(*) as rows from swept`)
}

export async function sweepClockFires(on: Executor = db()): Promise<number> {
  return await on.oneFirst(sql.type(Counted)`
    with swept as (
      delete from clock_fires where fired_at < now() - make_interval(days => ${CLOCK_FIRE_DAYS}) returning 1
    ) select count(*) as rows from swept`)
}

export async function sweepRateWindows(on: Executor = db()): Promise<number> {
  return await on.oneFirst(sql.type(Counted)`
    with swept as (
      delete from rate_windows where started_at < now() - make_interval(hours => ${RATE_WINDOW_HOURS}) returning 1
    ) select count(*) as rows from swept`)
}

/** One batch of scrape jobs that ended so many days ago; their archives are the caller's to remove. */
export async function expireScrapes(days: number, on: Executor): Promise<readonly (string | null)[]> {
  return await on.anyFirst(sql.type(z.object({ archive: z.string().nullable() }))`
    with old as (
      select id from scrape_jobs where completed_at < now() - make_interval(days => ${days})
       order by completed_at limit ${BATCH} for update skip locked
    )
    delete from scrape_jobs j using old where j.id = old.id returning j.archive`)
}

export async function sweepQuotaUses(on: Executor = db()): Promise<number> {
  return await on.oneFirst(sql.type(Counted)`
    with swept as (
      delete from quota_uses where used_at < now() - make_interval(days => ${QUOTA_DAYS}) returning 1
    ) select count(*) as rows from swept`)
}

/** What one crawl told the others of an address; see sql/targets.ts. */
export async function sweepKnownTargets(on: Executor = db()): Promise<number> {
  return await on.oneFirst(sql.type(Counted)`
    with swept as (
      delete from known_targets where checked_at < now() - make_interval(days => ${KNOWN_TARGET_DAYS}) returning 1
    ) select count(*) as rows from swept`)
}

/** The log of what was sent; and of what never came to an end. */
export async function sweepDeliveries(on: Executor = db()): Promise<number> {
  return await on.oneFirst(sql.type(Counted)`
    with swept as (
      delete from deliveries where created_at < now() - make_interval(days => ${DELIVERY_DAYS}) returning 1
    ) select count(*) as rows from swept`)
}

/** Incidents that keep nothing quiet any more, and those that nobody will ever recover from. */
export async function sweepIncidents(on: Executor = db()): Promise<number> {
  return await on.oneFirst(sql.type(Counted)`
    with swept as (
      delete from incidents
       where quiet_until < now() or alerted_at < now() - make_interval(days => ${INCIDENT_DAYS}) returning 1
    ) select count(*) as rows from swept`)
}

/** One batch of URLs that no running crawl needs; 0 when none is left. */
export async function sweepFrontier(on: Executor = db()): Promise<number> {
  return await on.oneFirst(sql.type(Counted)`
    with ended as (
      select f.crawl_id, f.url_key from frontier f
        left join crawls c on c.id = f.crawl_id and c.status = 'crawling'
       where c.id is null limit ${BATCH}
    ), swept as (
      delete from frontier f using ended
       where f.crawl_id = ended.crawl_id and f.url_key = ended.url_key returning 1
    ) select count(*) as rows from swept`)
}
