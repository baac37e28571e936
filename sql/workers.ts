import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

/** A worker whose last beat is older is dead: its jobs go to others. It has stopped by itself well before. */
const DEAD_SECONDS = 30
/** A lock of nobody known; longer than any worker takes to enter its pools. */
const ORPHAN_SECONDS = 60
/** A job that kills its worker every time must end; this many deaths are not held against it. */
const FREE_DEATHS = 3
/** Numbers of ours. */
const REAPER_LOCK = 7_241_865_325_823_966

/** Only one reaper at a time; the lock goes with the transaction. */
export async function tryReaperLock(on: Executor): Promise<boolean> {
  return await on.oneFirst(
    sql.type(
      z.object({ locked: z.boolean() }),
    )`select pg_try_advisory_xact_lock(${REAPER_LOCK}::bigint) as locked`,
  )
}

const Dead = z.object({ id: z.string(), host: z.string(), pool_ids: z.array(z.string()) })

/** Strikes off the workers that stopped beating; one that comes back finds its row gone, and ends itself. */
export async function removeDeadWorkers(on: Executor) {
  return await on.any(sql.type(Dead)`
    delete from workers where beat_at < now() - make_interval(secs => ${DEAD_SECONDS})
    returning id, host, pool_ids`)
}

/** Lock holders that belong to no living worker. */
export async function orphanedPools(on: Executor): Promise<readonly string[]> {
  return await on.anyFirst(sql.type(z.object({ locked_by: z.string() }))`
    select distinct j.locked_by from graphile_worker._private_jobs j
     where j.locked_at < now() - make_interval(secs => ${ORPHAN_SECONDS})
       and not exists (select 1 from workers w where j.locked_by = any(w.pool_ids))`)
}

const Locked = z.object({ id: z.string() })

/**
 * Frees the jobs of dead pools. An attempt is used up when a job is taken, so a job killed on its last one would never
 * run again and nobody would be told: it gets the attempt back, three times over its life.
 */
export async function freeJobs(poolIds: readonly string[], on: Executor): Promise<number> {
  const pools = sql.array([...poolIds], 'text')
  await removeReplaced(sql.fragment`locked_by = any(${pools})`, on)
  const freed = await on.any(sql.type(Locked)`
    update graphile_worker._private_jobs
       set attempts = case when deaths < ${FREE_DEATHS} then greatest(attempts - 1, 0) else attempts end,
           last_error = 'its worker died',
           payload = (payload::jsonb || jsonb_build_object('_deaths', deaths + 1))::json
      from (select id as job_id, coalesce((payload ->> '_deaths')::int, 0) as deaths
              from graphile_worker._private_jobs where locked_by = any(${pools})) as killed
     where id = job_id
    returning id::text`)
  await on.query(sql.type(z.unknown())`select 1 from graphile_worker.force_unlock_workers(${pools})`)
  return freed.length
}

/** What these pools have held for so long that they should know of it. */
export async function lockedJobs(poolIds: readonly string[], seconds: number, on: Executor = db()) {
  return await on.anyFirst(sql.type(Locked)`
    select id::text from graphile_worker._private_jobs
     where locked_by = any(${sql.array([...poolIds], 'text')})
       and locked_at < now() - make_interval(secs => ${seconds})`)
}

/** Hands back what a worker does not work on any more, all or these; the attempt does not count. */
export async function returnJobs(
  poolIds: readonly string[],
  ids: readonly string[] | null = null,
  on: Executor = db(),
): Promise<number> {
  const theirs = sql.fragment`
    locked_by = any(${sql.array([...poolIds], 'text')})
    and (${ids === null} or id = any(${sql.array([...(ids ?? [])], 'int8')}))`
  await removeReplaced(theirs, on)
  const returned = await on.any(sql.type(Locked)`
    update graphile_worker._private_jobs
       set attempts = greatest(attempts - 1, 0), locked_at = null, locked_by = null
     where ${theirs} returning id::text`)
  return returned.length
}

/** A job whose key went to its successor (the payload still tells of one) had done its work, or the successor does it. */
async function removeReplaced(which: FragmentSqlToken, on: Executor) {
  await on.query(sql.typeAlias('void')`
    delete from graphile_worker._private_jobs
     where ${which} and key is null and payload ->> '_key' is not null`)
}

/** The last thing a worker does: whoever reads the table no longer counts on it. */
export async function removeWorker(id: string, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`delete from workers where id = ${id}`)
}

/** No worker outlives an embedded database, so when that starts, all that are noted died with it. */
export async function declareWorkersDead(on: Executor = db()) {
  await on.query(sql.typeAlias('void')`update workers set beat_at = '-infinity'`)
}

/** Those of these ids under which no worker is alive. */
export async function unknownWorkers(
  ids: readonly string[],
  on: Executor = db(),
): Promise<readonly string[]> {
  return await on.anyFirst(sql.type(z.object({ id: z.string() }))`
    select id from unnest(${sql.array([...ids], 'text')}) as given (id)
     where not exists (select 1 from workers w where w.id::text = given.id)`)
}
