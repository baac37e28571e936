import type { Executor } from '../../../sql/pool.ts'
import * as probes from '../../../sql/probes.ts'
import { idsOf } from '../../../sql/site-checks.ts'
import { startPage } from '../checks/site/relations.ts'
import { probeChecks } from './checks/index.ts'

/** What the probes of a crawl found, by page; nothing when they did not run. */
export async function probeIssues(crawlId: number, on: Executor): Promise<{ id: number; code: string }[]> {
  const facts = await probes.find(crawlId, on)
  const start = facts ? await idsOf(startPage(crawlId), on) : []
  const found: { id: number; code: string }[] = []
  for (const check of probeChecks) {
    if (!facts || !check.finds(facts)) continue
    const concerned = check.pages ? await idsOf(check.pages(crawlId), on) : []
    for (const id of concerned.length > 0 ? concerned : start) found.push({ id, code: check.code })
  }
  return found
}
