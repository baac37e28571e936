import { randomUUID } from 'node:crypto'

import { afterEach } from 'vitest'

import { type Pool, pools } from '../../config.ts'
import { crewsOf } from '../../worker/crews.ts'
import { openQueuePool } from '../../worker/database.ts'
import { startRunners } from '../../worker/runners.ts'
import { jobs, runs } from './jobs.ts'

const running = new Set<() => Promise<void>>()

/** Stops, after each test, the workers it started in this process. */
export function useCrew(database: { readonly url: string }) {
  afterEach(async () => {
    for (const stop of running) await stop()
    running.clear()
  })

  return async function startCrew(options: { pools?: readonly Pool[]; concurrency?: number } = {}) {
    const concurrency = options.concurrency ?? 4
    const crews = crewsOf(jobs, runs, { workerId: randomUUID(), pools: options.pools ?? pools, concurrency })
    const queuePool = openQueuePool(database.url, crews.size, concurrency)
    const failures: string[] = []
    const crew = await startRunners(queuePool, crews, (_error, what) => failures.push(what))
    running.add(async () => {
      await crew.stop()
      await queuePool.end()
    })
    return { ...crew, failures }
  }
}
