import { z } from 'zod'

import { tellEnded } from './answers.ts'
import { db, type Executor, sql } from './pool.ts'
import { Filters, type Stats } from './scrape-jobs.ts'

/** Every report of a run prolongs it; longer than a worker's event loop or a failover ever stalls. */
const LEASE_SECONDS = 90

const Id = z.object({ id: z.int() })

/** What a run needs to know of its job. */
const Taken = z.object({
  id: z.int(),
  /** What the API calls the job. */
  public_id: z.string(),
  url: z.string(),
  depth: z.int(),
  max_pages: z.int(),
  html_only: z.boolean(),
  filters: Filters,
  /** Name of the file to write; no other run ever writes it. */
  archive: z.string(),
  /** What a run that died may have left behind; to be removed. */
  abandoned: z.string().nullable(),
  /** Milliseconds since 1970. */
  started_at: z.number(),
})
export type TakenJob = z.output<typeof Taken>

/**
 * Takes a job: it runs from now on, from its beginning. Null when it is deleted, ended, or held by another run. After
 * a run that died the archive has a new name, so that a late write of the dead spoils nothing.
 */
export async function take(id: number, lease: string, workerId: string, on: Executor = db()) {
  return await on.maybeOne(sql.type(Taken)`
    with free as (
      select id, archive, archive is null or status = 'running' as fresh, attempt
        from scrape_jobs
       where id = ${id} and status in ('pending', 'running') and (lease is null or leased_until < now())
         for update
    )
    update scrape_jobs j
       set status = 'running', lease = ${lease}, leased_by = ${workerId},
           leased_until = now() + make_interval(secs => ${LEASE_SECONDS}),
           started_at = coalesce(j.started_at, now()),
           attempt = case when fresh then free.attempt + 1 else free.attempt end,
           archive = case when not fresh then free.archive
                          when free.attempt = 0 then j.public_id || '.zip'
                          else j.public_id || '_' || free.attempt + 1 || '.zip' end,
           ${counted(nothing)}
      from free where j.id = free.id
    returning j.id, j.public_id, j.url, j.depth, j.max_pages, j.html_only, j.filters, j.archive, j.started_at,
              case when fresh then free.archive end as abandoned`)
}

/** Whether the job exists and has not ended. */
export async function isUnderWay(id: number, on: Executor = db()) {
  return await on.exists(
    sql.type(z.unknown())`select 1 from scrape_jobs where id = ${id} and status in ('pending', 'running')`,
  )
}

/** Reports how far a run is, and prolongs its lease; false when the job was deleted or given to another: stop. */
export async function report(id: number, lease: string, stats: Stats, on: Executor = db()): Promise<boolean> {
  const held = await on.maybeOne(sql.type(Id)`
    update scrape_jobs
       set leased_until = now() + make_interval(secs => ${LEASE_SECONDS}), ${counted(stats)}
     where id = ${id} and lease = ${lease} and status = 'running' returning id`)
  return held !== null
}

/** Hands a job back, to be run again, also after an error; its archive keeps its name, as nobody else writes to it. */
export async function release(id: number, lease: string, on: Executor = db()): Promise<void> {
  await on.query(sql.typeAlias('void')`
    update scrape_jobs
       set status = 'pending', started_at = null, lease = null, leased_by = null, leased_until = null,
           ${counted(nothing)}
     where id = ${id} and lease = ${lease} and status = 'running'`)
}

/** Ends a job whose archive is readable; false when it was deleted or given to another: remove the archive. */
export async function complete(
  id: number,
  lease: string,
  result: { stats: Stats; zipSize: number; truncated: boolean; cms: string | null },
  on: Executor = db(),
): Promise<boolean> {
  const ended = await on.maybeOne(sql.type(Id)`
    with ended as (
      update scrape_jobs
         set status = 'completed', completed_at = now(), lease = null, leased_by = null, leased_until = null,
             zip_size = ${result.zipSize}, truncated = ${result.truncated}, cms = ${result.cms}, ${counted(result.stats)}
       where id = ${id} and lease = ${lease} and status = 'running' returning id, answer
    ), ${tellEnded}
    select id, (select count(*) from told) from ended`)
  return ended !== null
}

/** Ends a job that cannot be done; its archive is removed by whoever calls. False as above. */
export async function fail(
  id: number,
  lease: string,
  result: { stats: Stats; reason: string },
  on: Executor = db(),
): Promise<boolean> {
  const ended = await on.maybeOne(sql.type(Id)`
    with ended as (
      update scrape_jobs
         set status = 'failed', completed_at = now(), lease = null, leased_by = null, leased_until = null,
             archive = null, failure = ${result.reason}, ${counted(result.stats)}
       where id = ${id} and lease = ${lease} and status = 'running' returning id, answer
    ), ${tellEnded}
    select id, (select count(*) from told) from ended`)
  return ended !== null
}

/** Jobs of these worker processes are free again: they died, or stop. */
export async function releaseHeldBy(workerIds: readonly string[], on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update scrape_jobs set lease = null, leased_by = null, leased_until = null
     where leased_by = any(${sql.array([...workerIds], 'uuid')})`)
}

const nothing: Stats = {
  pages_downloaded: 0,
  resources_downloaded: 0,
  bytes_downloaded: 0,
  duplicates_skipped: 0,
  errors: 0,
}

const counted = (stats: Stats) => sql.fragment`
  pages_downloaded = ${stats.pages_downloaded}, resources_downloaded = ${stats.resources_downloaded},
  bytes_downloaded = ${stats.bytes_downloaded}, duplicates_skipped = ${stats.duplicates_skipped},
  errors = ${stats.errors}`
