import { type CrawlOutcome, crawlOutcome } from '../../sql/crawl-outcome.ts'
import type { Executor } from '../../sql/pool.ts'
import * as probes from '../../sql/probes.ts'
import { watchCrawled } from '../../sql/watched-hosts.ts'
import { judgeHosts } from './hosts.ts'
import { judge, settle, type Verdict } from './rules/rule.ts'
import { spiderFailed } from './rules/spider-failed.ts'
import { spiderScoreDrop } from './rules/spider-score-drop.ts'
import { spiderServerErrors } from './rules/spider-server-errors.ts'

/** Tells a scan's owner what its ended crawl means; called last in the transaction that ends it. */
export async function tellCrawl(crawlId: number, on: Executor): Promise<void> {
  const crawl = await crawlOutcome(crawlId, on)
  const { user_id: userId } = crawl
  const verdicts = [spiderFailed, spiderServerErrors, spiderScoreDrop].map((rule) =>
    judge(rule, userId, crawl),
  )
  await settle([...verdicts, ...(await judgeSite(crawlId, crawl, on))], on)
}

/** What the crawl saw of its host. */
async function judgeSite(crawlId: number, crawl: CrawlOutcome, on: Executor): Promise<Verdict[]> {
  const { user_id: userId, scope_host: host, robots_status: status, robots_txt: text } = crawl
  const facts = await probes.find(crawlId, on)
  const start = new URL(facts?.start.url ?? crawl.start_url)
  await watchCrawled({ host, userId, isHttps: start.protocol === 'https:' }, on)
  const certificate = facts && start.host === host ? facts.certificate : null
  const robots = status === null ? null : { status, text: text ?? '' }
  return await judgeHosts([{ host, certificate, robots }], userId, on)
}
