import { type Executor, db } from '../../../sql/pool.ts'
import { prices } from '../../../sql/scores.ts'
import { attachIssues, idsOf, overWholeCrawl } from '../../../sql/site-checks.ts'
import { probeChecks } from '../probes/checks/index.ts'
import { probeIssues } from '../probes/issues.ts'
import { scored } from '../score.ts'
import { targetChecks } from '../targets/checks/index.ts'
import { siteChecks } from './index.ts'

/** Judges a crawl as a whole and adds what is found to its pages and their scores. Can be repeated. */
export async function attachSiteIssues(crawlId: number, on: Executor = db()): Promise<void> {
  const codes = [...siteChecks, ...targetChecks, ...probeChecks].map(({ code }) => code)
  await overWholeCrawl(async (tx) => {
    const found = await probeIssues(crawlId, tx)
    for (const check of [...siteChecks, ...targetChecks]) {
      for (const id of await idsOf(check.finds(crawlId), tx)) found.push({ id, code: check.code })
    }
    await attachIssues(crawlId, found, { codes, scored, prices }, tx)
  }, on)
}
