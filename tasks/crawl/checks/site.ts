import { type Executor, db } from '../../../sql/pool.ts'
import { attachIssues, idsOf } from '../../../sql/site-checks.ts'
import { prices, scored } from '../score.ts'
import { siteChecks } from './index.ts'

/** Judges a crawl as a whole and adds what is found to its pages and their scores. Can be repeated. */
export async function attachSiteIssues(crawlId: number, on: Executor = db()): Promise<void> {
  const found: { id: number; code: string }[] = []
  for (const { code, finds } of siteChecks) {
    for (const id of await idsOf(finds(crawlId), on)) found.push({ id, code })
  }
  await attachIssues(crawlId, found, { codes: siteChecks.map(({ code }) => code), scored, prices }, on)
}
