import { EventEmitter } from 'node:events'

import { Logger, run, type Runner, type WorkerEvents } from 'graphile-worker'
import type { Pool as PgPool } from 'pg'

import { log } from '../telemetry.ts'
import type { Crews } from './crews.ts'
import { POLL_MS, watch } from './health.ts'
import type { Fail } from './lifecycle.ts'

/** After this, running tasks are told that the worker stops. */
const ABORT_MS = 1000

export type Crew = {
  /** The names under which this process locks jobs. */
  poolIds: readonly string[]
  /** Takes no more jobs, and resolves when those that run have ended. */
  stop(): Promise<void>
  ailment(): string | undefined
  /** Whether the job with this id is being worked on here. */
  isRunning(id: string): boolean
}

/** Starts one runner for each pool, so that the long jobs of one never hold up another's. */
export async function startRunners(pgPool: PgPool, crews: Crews, fail: Fail): Promise<Crew> {
  const poolIds: string[] = []
  const ailments: (() => string | undefined)[] = []
  const runners: Runner[] = []
  const runningIds = new Set<string>()
  let stopping = false

  for (const [pool, { concurrency, taskList }] of crews) {
    const events: WorkerEvents & EventEmitter = new EventEmitter()
    events.on('pool:create', ({ workerPool }) => poolIds.push(workerPool.id))
    // A completion that could not be written is never tried again, and the runner may hang for ever.
    events.on('pool:fatalError', ({ error }) => fail(error, 'the queue could not be written to'))
    events.on('job:start', ({ job }) => runningIds.add(job.id))
    events.on('job:complete', ({ job }) => runningIds.delete(job.id))
    ailments.push(watch(pool, concurrency, events))
    const runner = await run({
      pgPool,
      taskList,
      concurrency,
      events,
      logger,
      parsedCronItems: [],
      noHandleSignals: true,
      pollInterval: POLL_MS,
      gracefulShutdownAbortTimeout: ABORT_MS,
      // Without batching, completions are not awaited: every shutdown would leave a locked job behind.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    })
    runner.promise.then(
      () => stopping || fail(undefined, `pool ${pool} ended by itself`),
      (error: unknown) => stopping || fail(error, `pool ${pool} ended by itself`),
    )
    runners.push(runner)
  }

  return {
    poolIds,
    async stop() {
      stopping = true
      await Promise.allSettled(runners.map((runner) => runner.stop()))
    },
    isRunning: (id) => runningIds.has(id),
    // One that stops asks for no jobs, and may take its time.
    ailment: () =>
      stopping ? undefined : ailments.map((ailment) => ailment()).find((reason) => reason !== undefined),
  }
}

const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const

/** Its lines in ours; how jobs end is told by worker/task.ts, with more to it. */
const logger = new Logger((scope) => (level, message, meta) => {
  if (meta?.['failure'] || meta?.['success']) return
  // That the pool has fewer connections than there are jobs at once is on purpose.
  if (meta?.['max'] !== undefined) return
  log[levels[level]]({ queue: scope.label, err: meta?.['error'] ?? meta?.['fatalError'] }, message)
})
