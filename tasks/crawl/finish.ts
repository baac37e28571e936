import { randomUUID } from 'node:crypto'

import * as crawls from '../../sql/crawls.ts'
import * as frontier from '../../sql/frontier.ts'
import * as pages from '../../sql/pages.ts'
import { db } from '../../sql/pool.ts'
import { siteScore } from '../../sql/scores.ts'
import * as targets from '../../sql/targets.ts'
import { log } from '../../telemetry.ts'
import { tellCrawl } from '../alerts/crawl.ts'
import type { Payload } from '../jobs.ts'
import { Later, type Tools } from '../outcome.ts'
import { attachSiteIssues } from './checks/site.ts'
import { scoreVersion } from './score.ts'

/** Wait for a slice that somebody else still holds, seconds. */
const HELD = 5

/** Looks at the site as a whole, scores it, and makes this crawl the one that is read. */
export async function finishCrawl({ crawl: id }: Payload<'crawl.finish'>, tools: Tools) {
  const lease = randomUUID()
  const crawl = await crawls.take(id, lease, tools.workerId)
  if (!crawl) {
    if (await crawls.isCrawling(id)) throw new Later(HELD)
    return
  }
  try {
    const silent = await pages.silence(id)
    if (silent)
      return await abandon(id, lease, `No page answered: ${silent.url} failed with ${silent.fault}.`)
    await attachSiteIssues(id)
    await end(id, lease, null, await siteScore(id))
  } catch (error) {
    await crawls.release(id, lease).catch(() => {})
    throw error
  }
}

/** Ends a crawl that brought nothing. */
export async function abandon(id: number, lease: string, failure: string) {
  await end(id, lease, failure, null)
}

async function end(id: number, lease: string, failure: string | null, score: number | null) {
  const ended = await db().transaction(async (tx) => {
    const ended = await crawls.end(id, lease, { failure, score, scoreVersion }, tx)
    if (!ended) return null
    await frontier.clear(id, tx)
    if (ended.obsolete_crawl_id !== null) {
      await pages.clear(ended.obsolete_crawl_id, tx)
      await targets.clear([ended.obsolete_crawl_id], tx)
    }
    await tellCrawl(id, tx)
    return ended
  })
  if (!ended) return
  const { scan_id: scan, pages: fetched, seconds } = ended
  log.info({ scan, crawl: id, pages: fetched, seconds, score, failure: failure ?? undefined }, 'crawl ended')
}
