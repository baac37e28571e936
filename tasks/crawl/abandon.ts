import { randomUUID } from 'node:crypto'

import * as crawls from '../../sql/crawls.ts'
import type { Payload } from '../jobs.ts'
import { Later, type Tools } from '../outcome.ts'
import { abandon } from './finish.ts'

/** Wait for a slice that somebody else still holds, seconds. */
const HELD = 5

/** Ends a crawl whose own jobs could not. */
export async function abandonCrawl({ crawl: id, failure }: Payload<'crawl.abandon'>, tools: Tools) {
  const lease = randomUUID()
  if (await crawls.take(id, lease, tools.workerId)) return await abandon(id, lease, failure)
  if (await crawls.isCrawling(id)) throw new Later(HELD)
}
