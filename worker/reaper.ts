import * as crawls from '../sql/crawls.ts'
import { db, type Executor } from '../sql/pool.ts'
import * as scrapes from '../sql/scrape-runs.ts'
import {
  endHopelessScrapes,
  hopelessCrawls,
  strandedCrawls,
  strandedScrapes,
  unrenderableCrawls,
} from '../sql/stranded.ts'
import { freeSlots } from '../sql/upstreams.ts'
import { freeJobs, orphanedPools, removeDeadWorkers, tryReaperLock } from '../sql/workers.ts'
import { enqueueAll } from '../tasks/jobs.ts'
import { log } from '../telemetry.ts'
import { jobsFreed, workersDied } from './metrics.ts'

const MIN_PAUSE_MS = 5000
const SPREAD_MS = 5000
/** Looking for what should never be is dearer; about once a minute is enough. */
const ROUNDS_TO_THOROUGH = 8
/** For the scan's owner; what really happened is in the log. */
const FAILURE = 'The crawl was given up after repeated internal errors.'
const SCRAPE_FAILURE = 'The job was given up after repeated internal errors.'

/** Runs in the clock and in every worker, so that it runs while anything does. Returns what stops it. */
export function startReaper(): () => void {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  // Not from zero: of a fleet started at once, each looks thoroughly at another time.
  let round = Math.floor(Math.random() * ROUNDS_TO_THOROUGH)

  async function go() {
    try {
      await reap({ thorough: ++round % ROUNDS_TO_THOROUGH === 0 })
    } catch (error) {
      log.warn({ err: error }, 'reaper failed')
    }
    wait()
  }
  function wait() {
    if (!stopped) timer = setTimeout(() => void go(), MIN_PAUSE_MS + Math.random() * SPREAD_MS)
  }

  wait()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

/** Gives the work of dead workers to the living and, when thorough, helps crawls that lost their job. */
export async function reap({ thorough }: { thorough: boolean }): Promise<void> {
  const found = await db().transaction(async (tx) => {
    if (!(await tryReaperLock(tx))) return undefined
    const dead = await removeDeadWorkers(tx)
    const orphaned = thorough ? await orphanedPools(tx) : []
    const pools = [...dead.flatMap(({ pool_ids }) => pool_ids), ...orphaned]
    const freed = pools.length > 0 ? await freeJobs(pools, tx) : 0
    const ids = dead.map(({ id }) => id)
    if (ids.length > 0) await crawls.releaseHeldBy(ids, tx)
    if (ids.length > 0) await scrapes.releaseHeldBy(ids, tx)
    await freeSlots(tx)
    const stranded = thorough ? await strandedCrawls(tx) : []
    const unrenderable = thorough ? await unrenderableCrawls(tx) : []
    const again = [...stranded, ...unrenderable].map((crawl) => ({
      payload: { crawl },
      key: `crawl:${crawl}`,
    }))
    await enqueueAll('crawl.slice', again, { on: tx })
    const hopeless = thorough ? await hopelessCrawls(tx) : []
    const endings = hopeless.map(({ id }) => ({
      payload: { crawl: id, failure: FAILURE },
      key: `crawl:${id}`,
    }))
    await enqueueAll('crawl.abandon', endings, { on: tx })
    const scraping = thorough ? await helpScrapes(tx) : undefined
    return { dead, orphaned, freed, stranded, unrenderable, hopeless, scraping }
  })
  if (!found) return
  const { dead, orphaned, freed, stranded, unrenderable, hopeless, scraping } = found
  workersDied.inc(dead.length)
  jobsFreed.inc(freed)
  for (const { id, host } of dead) log.warn({ worker: id, host }, 'worker died')
  if (dead.length + orphaned.length > 0) log.warn({ orphaned, freed }, 'jobs of dead workers freed')
  if (stranded.length > 0) log.error({ crawls: stranded }, 'crawls without a job queued again')
  if (unrenderable.length > 0)
    log.warn({ crawls: unrenderable }, 'no worker renders: crawls go on as plain HTML')
  for (const { id, last_error } of hopeless) log.error({ crawl: id, last_error }, 'crawl given up')
  if (scraping?.stranded.length)
    log.error({ jobs: scraping.stranded }, 'scrape jobs without a job queued again')
  for (const { id, last_error } of scraping?.ended ?? [])
    log.error({ scrape: id, last_error }, 'scrape job given up')
}

/** Queues again the scrape jobs that lost their queued job, and ends those that nothing helps. */
async function helpScrapes(on: Executor) {
  const stranded = await strandedScrapes(on)
  const again = stranded.map((job) => ({ payload: { job }, key: `scrape:${job}` }))
  await enqueueAll('scrape.run', again, { on })
  const ended = await endHopelessScrapes(SCRAPE_FAILURE, on)
  const archives = ended.flatMap(({ archive }) => (archive === null ? [] : [{ payload: { archive } }]))
  await enqueueAll('scrape.remove', archives, { on })
  return { stranded, ended }
}
