import { createHash } from 'node:crypto'

import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

const HOUR = 3600
/** How old an answer may grow, seconds. */
const FRESH = {
  sites: 6 * HOUR,
  properties: 6 * HOUR,
  'search-console': 3 * HOUR,
  analytics: 3 * HOUR,
}
/** A failure is everybody's for this long: who waited for the same need not try it again one after the other. */
const FAILED_SECONDS = 5
/** Kept no longer than anything is fresh. */
const KEPT_SECONDS = Math.max(...Object.values(FRESH))

/** What was asked through a connection: a list, or the report of a site or property (`of`) over a period. */
export type Entry = {
  connection: number
  report: keyof typeof FRESH
  of?: string
  start?: string
  end?: string
}

const Kept = z.object({ result: z.unknown() })

/** What was answered, as long as it is fresh; null when nothing was. */
export async function freshAnswer(entry: Entry, on: Executor = db()) {
  return await on.maybeOne(sql.type(Kept)`
    select result from report_cache
     where connection_id = ${entry.connection} and key = ${keyOf(entry)}
       and fetched_at > now() - make_interval(secs => ${FRESH[entry.report]})`)
}

const State = z.object({
  is_connected: z.boolean(),
  is_fresh: z.boolean(),
  is_mine: z.boolean(),
  result: z.unknown(),
  failure: z.string().nullable(),
})

/**
 * Begins to fetch, for at most `seconds` (`is_mine`), unless there is a fresh answer, it has just failed (`failure`),
 * another worker is at it, or the account has been disconnected.
 */
export async function beginFetch(entry: Entry, worker: string, seconds: number, on: Executor = db()) {
  const fresh = sql.fragment`make_interval(secs => ${FRESH[entry.report]})`
  return await on.one(sql.type(State)`
    with connection as (
      select id from external_connections where id = ${entry.connection}
    ), known as (
      select coalesce(fetched_at > now() - ${fresh}, false) as is_fresh, result,
             case when failed_at > now() - make_interval(secs => ${FAILED_SECONDS}) then failure end as failure
        from report_cache where connection_id = ${entry.connection} and key = ${keyOf(entry)}
    ), taken as (
      insert into report_cache as c (connection_id, key, worker, fetching_until)
      select id, ${keyOf(entry)}, ${worker}, now() + make_interval(secs => ${seconds}) from connection
       where not exists (select from known where is_fresh or failure is not null)
      on conflict (connection_id, key)
        do update set worker = excluded.worker, fetching_until = excluded.fetching_until
        where (c.fetching_until is null or c.fetching_until < now()
               or not exists (select from workers w where w.id = c.worker))
          and (c.fetched_at is null or c.fetched_at <= now() - ${fresh})
      returning 1
    )
    select exists (select from connection) as is_connected, exists (select from taken) as is_mine,
           exists (select from known where is_fresh) as is_fresh,
           (select result from known where is_fresh) as result, (select failure from known) as failure`)
}

/** Keeps what was fetched; not when the account has been disconnected meanwhile, or another worker is at it. */
export async function keepAnswer(entry: Entry, worker: string, result: unknown, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update report_cache
       set result = ${sql.jsonb(result as never)}, fetched_at = now(), fetching_until = null, failure = null
     where connection_id = ${entry.connection} and key = ${keyOf(entry)} and worker = ${worker}`)
}

/** Another may try at once, or after a `failure` a little later. */
export async function breakOffFetch(
  entry: Entry,
  worker: string,
  failure: string | null,
  on: Executor = db(),
) {
  await on.query(sql.typeAlias('void')`
    update report_cache set fetching_until = null, failure = ${failure}, failed_at = now()
     where connection_id = ${entry.connection} and key = ${keyOf(entry)} and worker = ${worker}`)
}

const Counted = z.object({ rows: z.int() })

export async function sweepReports(on: Executor = db()): Promise<number> {
  return await on.oneFirst(sql.type(Counted)`
    with swept as (
      delete from report_cache
       where greatest(fetched_at, fetching_until, failed_at) < now() - make_interval(secs => ${KEPT_SECONDS})
      returning 1
    ) select count(*) as rows from swept`)
}

function keyOf({ report, of = '', start = '', end = '' }: Entry) {
  return sql.binary(
    createHash('sha256')
      .update(JSON.stringify([report, of, start, end]))
      .digest(),
  )
}
