import { randomUUID } from 'node:crypto'

import * as crawls from '../../../sql/crawls.ts'
import * as pages from '../../../sql/pages.ts'
import { db } from '../../../sql/pool.ts'
import * as probes from '../../../sql/probes.ts'
import { idsOf } from '../../../sql/site-checks.ts'
import * as targets from '../../../sql/targets.ts'
import { enqueue, type Payload } from '../../jobs.ts'
import { Later, type Tools } from '../../outcome.ts'
import { LeaseLost } from '../batch.ts'
import { startPage } from '../checks/site/relations.ts'
import { rulesOf } from '../rules.ts'
import { checkTargets } from '../targets/check.ts'
import { ICON, SCRIPT, STYLE } from '../targets/uses.ts'
import { accessOf } from './access.ts'
import { gather } from './gather.ts'

/** The worker is given back after this long, milliseconds, as it is by the slices before. */
const SLICE = 20_000
/** Wait for a slice that somebody else still holds, seconds. */
const HELD = 5

/** Asks the site what its pages do not tell, then looks at what they use; queues itself until that is done, then the end. */
export async function probeCrawl({ crawl: id }: Payload<'crawl.probe'>, tools: Tools) {
  const lease = randomUUID()
  const crawl = await crawls.take(id, lease, tools.workerId)
  if (!crawl) {
    if (await crawls.isCrawling(id)) throw new Later(HELD)
    return
  }
  try {
    const isDone = await probe(crawl, lease, tools.signal)
    tools.signal.throwIfAborted()
    await db().transaction(async (tx) => {
      if (!(await crawls.renew(id, lease, tx))) throw new LeaseLost()
      await crawls.release(id, lease, tx)
      await enqueue(isDone ? 'crawl.finish' : 'crawl.probe', { crawl: id }, { on: tx, key: `crawl:${id}` })
    })
  } catch (error) {
    if (error instanceof LeaseLost) return
    await crawls.release(id, lease).catch(() => {})
    throw error
  }
}

/** True when nothing is left to do, or no time for it. */
async function probe(crawl: crawls.Crawl, lease: string, signal: AbortSignal): Promise<boolean> {
  // Where nothing answered there is nothing to ask.
  if (await pages.silence(crawl.id)) return true
  const { probed, sitemaps } = await probes.state(crawl.id)
  if (!probed) await probeSite(crawl, lease, sitemaps, signal)
  const { targets_seconds: left } = await probes.state(crawl.id)
  const slice = AbortSignal.timeout(SLICE)
  const deadline = AbortSignal.timeout(Math.ceil(left * 1000))
  await checkTargets(crawl, lease, slice, AbortSignal.any([signal, deadline]))
  return deadline.aborted || !slice.aborted
}

async function probeSite(
  crawl: crawls.Crawl,
  lease: string,
  sitemaps: probes.Sitemaps | null,
  signal: AbortSignal,
) {
  const [start] = await idsOf(startPage(crawl.id))
  if (start === undefined) return
  const known = {
    start: await probes.page(crawl.id, start),
    sitemaps,
    hasIcon: await targets.isUsed(crawl.id, ICON),
  }
  const facts = await gather(crawl, known, signal)
  const robots = { status: crawl.robots_status ?? 404, text: crawl.robots_txt ?? '' }
  const agents = accessOf({ robots, visits: facts.visits }).map(({ token, purpose, allowed, met }) => {
    return { token, purpose, allowed, met }
  })
  const closed = closedTo(crawl, await targets.waiting(crawl.id))
  await db().transaction(async (tx) => {
    if (!(await crawls.renew(crawl.id, lease, tx))) throw new LeaseLost()
    await probes.keep(crawl.id, { ...facts, agents }, tx)
    await targets.close(crawl.id, closed, tx)
  })
}

/** Code that pages need and robots.txt keeps search engines from: they see the pages without it. */
function closedTo(crawl: crawls.Crawl, waiting: readonly targets.Waiting[]): number[] {
  const { isOpen } = rulesOf(crawl)
  if (crawl.robots_status === null || crawl.robots_status < 200 || crawl.robots_status > 299) return []
  return waiting
    .filter(({ internal, uses, url }) => internal && uses & (SCRIPT | STYLE) && !isOpen(new URL(url)))
    .map(({ id }) => id)
}
