import { setTimeout as sleep } from 'node:timers/promises'

import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import { enqueue } from '../../tasks/jobs.ts'
import { randomOf } from '../support/random.ts'
import { waitFor } from '../support/service.ts'
import { startFaults } from './faults.ts'
import { keepUp } from './fleet.ts'
import { insist } from './insist.ts'
import { startLoad } from './load.ts'
import { setStage, type Stage } from './stage.ts'
import { type Check, judge } from './verdict.ts'

const REST_MS = 240_000
const LOOK_MS = 500
/** How long a process that gives up takes for it. */
const QUITTING_MS = 6000
/** After this the source is asked about answers it never listed. */
const SLOW_MINUTES = 20

export type Outcome = {
  checks: Check[]
  faults: Record<string, number>
  acts: Record<string, number>
  quitters: number
  restSeconds: number
}

/**
 * Breaks a working service in all ways, for so many seconds at least, lets it come to rest, and looks at what became of its work.
 * Impatient: the dead are told of and jobs that wait for another attempt get it at once.
 */
export async function runChaos(options: {
  seconds: number
  seed: number
  workers?: number
  impatient?: boolean
}): Promise<Outcome> {
  const { seconds, seed, workers = 3, impatient = false } = options
  const stage = await setStage({ workers })
  const fleet = keepUp(stage.service, { impatient })
  try {
    const load = await startLoad(stage, randomOf(seed))
    const faults = startFaults(stage, fleet, randomOf(seed + 1), { impatient })
    await Promise.all([sleep(seconds * 1000), faults.allBroken])
    await faults.stop()
    const began = performance.now()
    await load.stop()
    await rest(stage, impatient)
    await waitFor(async () => (await fleet.known()).length === fleet.living('worker').length, {
      within: REST_MS,
      what: 'no worker but the living',
    })
    // Files of killed workers go when the next job begins.
    await load.scraper.ended(await load.scraper.begin({ url: `${stage.sites.all[0]!.origin}/`, depth: 0 }))
    await rest(stage, impatient)
    for (const [, at] of fleet.quitters()) stage.losses.push({ from: at - QUITTING_MS, to: at })
    return {
      checks: await judge(stage, fleet, load),
      faults: faults.counts,
      acts: load.ledger.counts,
      quitters: fleet.quitters().length,
      restSeconds: (performance.now() - began) / 1000,
    }
  } finally {
    await fleet.leaveAlone()
    await stage.strike()
  }
}

/** Waits until nothing is queued or under way. */
async function rest({ source }: Stage, impatient: boolean) {
  source.queue.finish()
  await insist(async () => {
    await db().query(sql.typeAlias('void')`
      update rank_tasks set posted_at = now() - make_interval(mins => ${SLOW_MINUTES}) where posted_at is not null`)
    await enqueue('rankings.collect', {}, { key: 'rankings.collect' })
  })
  let left: readonly object[] = []
  const isOver = async () => {
    if (impatient)
      await db().query(sql.typeAlias('void')`
        update graphile_worker._private_jobs set run_at = now() where locked_at is null and run_at > now()`)
    left = await db().any(sql.type(z.object({ what: z.string(), n: z.int() }))`
      select what, n from (
        select 'crawls' as what, count(*) as n from crawls where status = 'crawling'
        union all select 'scrapes', count(*) from scrape_jobs where status in ('pending', 'running')
        union all select 'deliveries', count(*) from deliveries where state = 'waiting'
        union all select task_identifier, count(*) from graphile_worker.jobs where attempts < max_attempts group by 1
      ) each where n > 0`)
    return left.length === 0
  }
  try {
    await waitFor(() => isOver().catch(() => false), { within: REST_MS, every: LOOK_MS })
  } catch (error) {
    throw new Error(`the service did not come to rest: ${JSON.stringify(left)}`, { cause: error })
  }
}
