import { randomUUID } from 'node:crypto'

import * as crawls from '../../sql/crawls.ts'
import { log } from '../../telemetry.ts'
import { findBrowser, openSession, type Session } from '../browser.ts'
import { userAgent } from '../http.ts'
import { enqueue, type JobName, type Payload } from '../jobs.ts'
import { Later, type Tools } from '../outcome.ts'
import { LeaseLost } from './batch.ts'
import { abandon } from './finish.ts'
import { type Next, Run } from './run.ts'
import { seed } from './seed.ts'

/** A slice gives its worker back after this long, milliseconds: so thousands of slow scans share a fleet fairly. */
const SLICE = 20_000
/** Wait for a slice that somebody else still holds, seconds. */
const HELD = 5

const successors = {
  finish: 'crawl.probe',
  slice: 'crawl.slice',
  render: 'crawl.render',
} as const satisfies Record<Next, JobName>

/** Crawls one scan for a while without a browser. */
export const sliceCrawl = ({ crawl }: Payload<'crawl.slice'>, tools: Tools) => slice(crawl, tools)

/** Crawls one scan for a while with a browser at hand. */
export async function renderCrawl({ crawl }: Payload<'crawl.render'>, tools: Tools) {
  if (findBrowser() === null) return await slice(crawl, tools, 'plain')
  const session = await openSession({ userAgent })
  try {
    await slice(crawl, tools, session)
  } finally {
    await session.close()
  }
}

/** Takes the crawl, fetches for about 20 s, writes, and queues its successor with the last write. */
async function slice(id: number, tools: Tools, browser?: Session | 'plain') {
  const lease = randomUUID()
  const crawl = await crawls.take(id, lease, tools.workerId)
  if (!crawl) {
    if (await crawls.isCrawling(id)) throw new Later(HELD)
    return
  }
  try {
    if (browser === 'plain' && crawl.mode !== 'plain') await goPlain(crawl, lease)
    const refusal = crawl.seeded ? null : await seed(crawl, lease, tools.signal)
    if (refusal !== null) return await abandon(id, lease, refusal)
    const run = new Run(crawl, lease, browser === 'plain' ? undefined : browser)
    const next = await run.go(AbortSignal.timeout(SLICE), tools.signal)
    await run.batch.flush(async (tx) => {
      await crawls.release(id, lease, tx)
      await enqueue(successors[next], { crawl: id }, { on: tx, key: `crawl:${id}` })
    })
  } catch (error) {
    if (error instanceof LeaseLost) return
    await crawls.release(id, lease).catch(() => {})
    throw error
  }
}

let toldPlain = false

async function goPlain(crawl: crawls.Crawl, lease: string) {
  if (!toldPlain) log.warn('no Chromium here: pages that need JavaScript are crawled as plain HTML')
  toldPlain = true
  crawl.mode = 'plain'
  await crawls.decideMode(crawl.id, lease, 'plain', crawl.render_trials)
}
