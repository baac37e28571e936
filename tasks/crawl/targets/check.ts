import { setTimeout as sleep } from 'node:timers/promises'

import { config } from '../../../config.ts'
import * as crawls from '../../../sql/crawls.ts'
import { db } from '../../../sql/pool.ts'
import { spend } from '../../../sql/probes.ts'
import * as targets from '../../../sql/targets.ts'
import { LeaseLost } from '../batch.ts'
import { elsewhereDelay, resourceDelay } from '../pace.ts'
import { rulesOf } from '../rules.ts'
import { look } from './look.ts'
import { goRound } from './rounds.ts'

/** Verdicts wait this long at most until they are written, milliseconds. */
const WRITE = 1000
/** Requests to the site's hosts in flight at most, even where more pages may be. */
const AT_ONCE = 16

/**
 * Looks at what the pages of a crawl use and nobody has looked at yet. `until` stops new requests, `signal` also those
 * in flight; verdicts are written as they come.
 */
export async function checkTargets(
  crawl: crawls.Crawl,
  lease: string,
  until: AbortSignal,
  signal: AbortSignal,
): Promise<void> {
  await targets.believe(crawl.id)
  const { mayFetch } = rulesOf(crawl)
  const waiting = (await targets.waiting(crawl.id)).filter(
    ({ internal, url }) => !internal || mayFetch(new URL(url)),
  )
  const found: { target: targets.Waiting; verdict: targets.Verdict }[] = []
  let since = performance.now()
  const write = async () => {
    const verdicts = found.splice(0)
    const now = performance.now()
    const seconds = (now - since) / 1000
    since = now
    await db().transaction(async (tx) => {
      if (!(await crawls.renew(crawl.id, lease, tx))) throw new LeaseLost()
      await spend(crawl.id, seconds, tx)
      if (verdicts.length > 0) await targets.keep(crawl.id, verdicts, tx)
    })
  }
  const over = new AbortController()
  const going = AbortSignal.any([signal, over.signal])
  const pace = {
    atOnce: Math.min(config.SPIDER_CONCURRENCY, AT_ONCE),
    spacing: { site: resourceDelay(crawl.speed), elsewhere: elsewhereDelay() },
  }
  const round = goRound(
    waiting,
    pace,
    AbortSignal.any([until, going]),
    (target) => look(new URL(target.url), target.uses, { signal: going }).catch(nullIf(going)),
    (target, verdict) => found.push({ target, verdict }),
  ).then(() => 'done')
  try {
    while ((await Promise.race([round, sleep(WRITE)])) !== 'done') await write()
    await write()
  } finally {
    over.abort()
  }
}

/** Interrupted requests tell nothing. */
const nullIf = (signal: AbortSignal) => (error: unknown) => {
  if (signal.aborted) return null
  throw error
}
