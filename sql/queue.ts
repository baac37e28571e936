import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

export type JobSpec = {
  task: string
  payload: Record<string, unknown>
  attempts: number
  priority: number
  key?: string | undefined
  runAt?: Date | undefined
}

/** Adds a job to graphile-worker's queue; in a caller's transaction it exists exactly when that commits. */
export async function addJob(job: JobSpec, on: Executor = db()): Promise<void> {
  await on.query(sql.type(z.unknown())`
    select 1 from queue_job(
      ${job.task}, ${sql.json(job.payload as never)}::json, ${job.runAt?.toISOString() ?? null}::timestamptz,
      ${job.attempts}::int, ${job.key ?? null}, ${job.priority}::int)`)
}

/** Adds many at once: 50,000 jobs/s against 2,000 of one by one, as every statement notifies. No key may occur twice. */
export async function addJobs(jobs: readonly JobSpec[], on: Executor = db()): Promise<void> {
  if (jobs.length === 0) return
  const rows = jobs.map(({ runAt, ...job }) => ({ ...job, run_at: runAt?.toISOString() ?? null }))
  await on.query(sql.type(z.unknown())`
    select 1 from queue_jobs(${sql.jsonb(rows as never)})`)
}

/** Takes back the jobs with these keys; one that runs goes on. */
export async function removeJobs(keys: readonly string[], on: Executor = db()): Promise<void> {
  await on.query(sql.type(z.unknown())`select 1 from unqueue_jobs(${sql.array([...keys], 'text')})`)
}

// What follows writes to the queue's private tables: its functions refuse locked jobs, and do not know of deaths.

const Taken = z.object({ id: z.string() })

/**
 * Has a running job run again later without counting this attempt: its place is taken by a copy, and the run that ends
 * now completes what is left of it. Does nothing when a newer job has its key, or when another worker has the job.
 */
export async function postponeJob(
  job: JobSpec & { id: string; lockedBy: string; used: number },
  seconds: number,
): Promise<void> {
  await db().transaction(async (tx) => {
    const held = await tx.maybeOne(sql.type(Taken)`
      update graphile_worker._private_jobs
         set key = null, attempts = max_attempts, updated_at = now(),
             payload = (payload::jsonb || '{"_key": ""}')::json
       where id = ${job.id}::bigint and locked_by = ${job.lockedBy} and key is not distinct from ${job.key ?? null}
      returning id::text`)
    if (!held) return
    await tx.query(sql.type(z.unknown())`
      select 1 from graphile_worker.reschedule_jobs(
        array(select id from graphile_worker.add_job(
          ${job.task}, ${sql.json(job.payload as never)}::json,
          run_at => now() + make_interval(secs => ${seconds}),
          max_attempts => ${job.attempts}::int, job_key => ${job.key ?? null}, priority => ${job.priority}::int)),
        attempts => ${job.used}::int)`)
  })
}

/** Takes a running job's retries away: the failure that follows is its last. */
export async function exhaustJob(id: string): Promise<void> {
  await db().query(sql.typeAlias('void')`
    update graphile_worker._private_jobs set attempts = max_attempts where id = ${id}::bigint`)
}

/** Whether a newer job has this one's key, so that it is never tried again. */
export async function isReplaced(id: string, on: Executor = db()): Promise<boolean> {
  return await on.exists(sql.type(z.unknown())`
    select 1 from graphile_worker._private_jobs
     where id = ${id}::bigint and key is null and payload ->> '_key' is not null`)
}

/** Whether a job of one of these kinds waits for a worker. */
export async function isAnyReady(tasks: readonly string[], on: Executor = db()): Promise<boolean> {
  return await on.exists(sql.type(z.unknown())`
    select 1 from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where t.identifier = any(${sql.array([...tasks], 'text')})
       and j.locked_at is null and j.run_at <= now() and j.attempts < j.max_attempts`)
}

const Depth = z.object({
  task: z.string(),
  ready: z.int(),
  scheduled: z.int(),
  running: z.int(),
  dead: z.int(),
  oldest_ready_age: z.number().nullable(),
  oldest_running_age: z.number().nullable(),
})

/** How many jobs of each kind wait, run or failed for good, and for how many seconds the oldest have. */
export async function queueDepth(on: Executor = db()) {
  return await on.any(sql.type(Depth)`
    select task_identifier as task,
           count(*) filter (where locked_at is null and attempts < max_attempts and run_at <= now()) as ready,
           count(*) filter (where locked_at is null and attempts < max_attempts and run_at > now()) as scheduled,
           count(*) filter (where locked_at is not null) as running,
           count(*) filter (where locked_at is null and attempts >= max_attempts) as dead,
           extract(epoch from now() - min(run_at)
             filter (where locked_at is null and attempts < max_attempts and run_at <= now()))::float8 as oldest_ready_age,
           extract(epoch from now() - min(locked_at))::float8 as oldest_running_age
      from graphile_worker.jobs group by 1`)
}

/** Tells scalers which pool runs which job. */
export async function publishPools(pools: readonly { task: string; pool: string }[], on: Executor = db()) {
  const rows = sql.unnest(
    pools.map(({ task, pool }) => [task, pool]),
    ['text', 'text'],
  )
  await on.query(sql.typeAlias('void')`
    with given as (select * from ${rows} as j (task, pool)), gone as (
      delete from job_pools where task not in (select task from given)
    )
    insert into job_pools select task, pool from given on conflict (task) do update set pool = excluded.pool`)
}
