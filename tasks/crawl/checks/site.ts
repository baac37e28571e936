import { type Executor, db } from '../../../sql/pool.ts'
import { attachIssues, idsOf, overWholeCrawl } from '../../../sql/site-checks.ts'
import { prices, scored } from '../score.ts'
import { siteChecks } from './index.ts'

/** Judges a crawl as a whole and adds what is found to its pages and their scores. Can be repeated. */
export async function attachSiteIssues(crawlId: number, on: Executor = db()): Promise<void> {
  const codes = siteChecks.map(({ code }) => code)
  await overWholeCrawl(async (tx) => {
    const found: { id: number; code: string }[] = []
    for (const check of siteChecks) {
      for (const id of await idsOf(check.finds(crawlId), tx)) found.push({ id, code: check.code })
    }
    await attachIssues(crawlId, found, { codes, scored, prices }, tx)
  }, on)
}
