import type { Task } from 'graphile-worker'

import type { Pool } from '../config.ts'
import type { Run, Runs } from '../tasks/index.ts'
import type { Job, Jobs } from '../tasks/queue.ts'
import { shares } from './shares.ts'
import { task } from './task.ts'

export type Crews = ReadonlyMap<Pool, { concurrency: number; taskList: Record<string, Task> }>

/** The jobs of each pool that is served, and how many of them at once. A pool without jobs gets no share. */
export function crewsOf<All extends Jobs>(
  jobs: All,
  runs: Partial<Runs<All>>,
  { workerId, pools, concurrency }: { workerId: string; pools: readonly Pool[]; concurrency: number },
): Crews {
  const lists = new Map<Pool, Record<string, Task>>()
  for (const [name, job] of Object.entries<Job>(jobs)) {
    const run = (runs as Record<string, Run<Job> | undefined>)[name]
    if (!run || !pools.includes(job.pool)) continue
    const list = lists.get(job.pool) ?? {}
    lists.set(job.pool, list)
    list[name] = task(name, job, run, workerId)
  }
  const divided = shares([...lists.keys()], concurrency)
  return new Map(
    [...lists].map(([pool, taskList]) => [pool, { concurrency: divided.get(pool) ?? 1, taskList }]),
  )
}
