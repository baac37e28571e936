import { randomUUID } from 'node:crypto'

import * as crawls from '../../sql/crawls.ts'
import { log } from '../../telemetry.ts'
import { findBrowser, openSession, RenderFault, type Session } from '../browser.ts'
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
export const renderCrawl = ({ crawl }: Payload<'crawl.render'>, tools: Tools) =>
  slice(crawl, tools, browserFor)

/** Takes the crawl, fetches for about 20 s, writes, and queues its successor with the last write. */
async function slice(id: number, tools: Tools, open?: typeof browserFor) {
  const lease = randomUUID()
  const crawl = await crawls.take(id, lease, tools.workerId)
  if (!crawl) {
    if (await crawls.isCrawling(id)) throw new Later(HELD)
    return
  }
  let session: Session | undefined
  try {
    session = await open?.(crawl, lease)
    const refusal = crawl.seeded ? null : await seed(crawl, lease, tools.signal)
    if (refusal !== null) return await abandon(id, lease, refusal)
    const run = new Run(crawl, lease, session)
    const next = await run.go(AbortSignal.timeout(SLICE), tools.signal)
    const cookies = run.cookies.save()
    await run.batch.flush(async (tx) => {
      if (cookies !== null && next !== 'finish') await crawls.keepCookies(id, lease, cookies, tx)
      await crawls.release(id, lease, tx)
      await enqueue(successors[next], { crawl: id }, { on: tx, key: `crawl:${id}` })
    })
  } catch (error) {
    if (error instanceof LeaseLost) return
    await crawls.release(id, lease).catch(() => {})
    throw error
  } finally {
    await session?.close()
  }
}

/** A browser for a crawl; none where none can be had, and then the crawl goes on as plain HTML. */
async function browserFor(crawl: crawls.Crawl, lease: string): Promise<Session | undefined> {
  if (findBrowser() !== null) {
    try {
      return await openSession({ userAgent })
    } catch (error) {
      // What was begun with a browser is not ended without: another worker may have one that starts.
      if (!(error instanceof RenderFault) || crawl.mode === 'rendered') throw error
      log.warn({ err: error }, 'the browser does not start')
    }
  }
  if (crawl.mode !== 'plain') await goPlain(crawl, lease)
  return undefined
}

let toldPlain = false

async function goPlain(crawl: crawls.Crawl, lease: string) {
  if (!toldPlain) log.warn('no Chromium here: pages that need JavaScript are crawled as plain HTML')
  toldPlain = true
  crawl.mode = 'plain'
  await crawls.decideMode(crawl.id, lease, 'plain', crawl.render_trials)
}
