import type { EventEmitter } from 'node:events'

import type { WorkerEvents } from 'graphile-worker'

import type { Pool } from '../config.ts'
import { lastFetch } from './metrics.ts'

/** Longer than any pause between two looks at the queue. */
export const POLL_MS = 2000
const SILENT_MS = 3 * POLL_MS + 30_000
const FATAL_MS = 10_000
const BEATLESS_MS = 45_000

/** What one pool of this process is doing, read off its runner's events. */
export function watch(pool: Pool, concurrency: number, events: WorkerEvents & EventEmitter) {
  let fetched = performance.now()
  let running = 0
  let fatal: number | undefined
  let settled = false
  events.on('worker:getJob:start', () => {
    fetched = performance.now()
    lastFetch.set({ pool }, Date.now() / 1000)
  })
  events.on('job:start', () => running++)
  events.on('job:complete', () => running--)
  events.on('pool:fatalError', () => (fatal ??= performance.now()))
  events.on('pool:release', () => (settled = true))

  /** Why this pool is beyond help; undefined while it works. */
  function ailment(): string | undefined {
    const now = performance.now()
    if (settled) return `pool ${pool} has ended`
    if (fatal !== undefined && now - fatal > FATAL_MS) return `pool ${pool} could not write to the queue`
    // A pool whose places are all taken need not look for jobs.
    const silent = running < concurrency && now - fetched > SILENT_MS
    return silent ? `pool ${pool} no longer asks for jobs` : undefined
  }
  return ailment
}

/** Why a process whose last heartbeat is so old should be replaced; undefined while that is not so. */
export const heartFailure = (ageMs: number) => (ageMs > BEATLESS_MS ? 'no heartbeat' : undefined)
