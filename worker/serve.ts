import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'

import { config } from '../config.ts'
import * as crawls from '../sql/crawls.ts'
import { closePool } from '../sql/pool.ts'
import * as scrapes from '../sql/scrape-runs.ts'
import { removeWorker, returnJobs } from '../sql/workers.ts'
import type { Runs } from '../tasks/index.ts'
import { closeAnswers } from '../tasks/jobs.ts'
import type { Jobs } from '../tasks/queue.ts'
import { log, serveMetrics, stopTracing } from '../telemetry.ts'
import { crewsOf } from './crews.ts'
import { openDatabase, openQueuePool } from './database.ts'
import { startLooking } from './forgotten.ts'
import { heartFailure } from './health.ts'
import { heartbeat } from './heartbeat.ts'
import { endWith, within } from './lifecycle.ts'
import { startReaper } from './reaper.ts'
import { type Crew, startRunners } from './runners.ts'

/** For each thing that is closed at the end. */
const STEP_MS = 1500

/** Runs these jobs, of the pools in `WORKER_POOLS`, until the process is told to end. `prepare` runs once before. */
export async function serve<All extends Jobs>(
  jobs: All,
  runs: Partial<Runs<All>>,
  { prepare, close }: { prepare?: () => Promise<unknown>; close?: () => Promise<unknown> } = {},
): Promise<void> {
  const id = randomUUID()
  const undo: (() => unknown)[] = []
  let crew: Crew | undefined
  let ready = false

  const fail = endWith(async (patience) => {
    ready = false
    const stopped = await within(patience, crew?.stop() ?? Promise.resolve())
    if (!stopped) log.warn('jobs did not end in time and are handed back')
    for (const step of undo.toReversed()) await within(STEP_MS, (async () => step())())
    log.info('stopped')
  }, config.SHUTDOWN_GRACE_SECONDS)

  try {
    const url = await openDatabase()
    // Undone from the last to the first: jobs are handed back when nothing here works on them any more.
    undo.push(stopTracing, closePool, closeAnswers, () => handBack(crew?.poolIds ?? [], id))
    if (close) undo.push(close)
    await prepare?.()

    const crews = crewsOf(jobs, runs, {
      workerId: id,
      pools: config.WORKER_POOLS,
      concurrency: config.WORKER_CONCURRENCY,
    })
    const queuePool = openQueuePool(url, crews.size, config.WORKER_CONCURRENCY)
    undo.push(() => queuePool.end())
    const worker = { id, host: hostname(), pools: config.WORKER_POOLS }
    const heart = heartbeat(
      url,
      () => ({ ...worker, poolIds: crew?.poolIds ?? [] }),
      (reason) => fail(undefined, reason),
    )
    undo.push(heart.stop)

    // First its row, then its jobs: a lock of a pool that is in no row counts as left behind.
    await heart.beatNow()
    crew = await startRunners(queuePool, crews, fail)
    await heart.beatNow()
    heart.start()
    undo.push(startReaper(), startLooking(crew))
    const server = serveMetrics(config.METRICS_PORT, {
      live: async () => crew?.ailment() ?? heartFailure(heart.ageMs()),
      ready: async () => (ready ? undefined : 'not serving'),
    })
    undo.push(() => server?.close())
    ready = true
    const places = Object.fromEntries([...crews].map(([pool, { concurrency }]) => [pool, concurrency]))
    log.info({ worker: id, places }, 'worker ready')
  } catch (error) {
    fail(error, 'the worker could not start')
  }
}

async function handBack(poolIds: readonly string[], id: string) {
  if (poolIds.length > 0) await returnJobs(poolIds)
  await crawls.releaseHeldBy([id])
  await scrapes.releaseHeldBy([id])
  await removeWorker(id)
}
