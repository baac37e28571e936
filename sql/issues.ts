import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'
import { shownCrawl } from './scans.ts'

const Severity = z.enum(['major', 'moderate', 'minor'])

/** One distinct code of a scan and how many pages have it. */
export const Issue = z.object({ code: z.string(), severity: Severity, pages: z.int() })

/** The codes of a scan's pages, most frequent first; one that no check declares any more is minor. */
export async function summary(scanId: number, on: Executor = db()) {
  return await on.any(sql.type(Issue)`
    select issue.code, coalesce(k.severity, 'minor') as severity, count(*) as pages
      from pages p cross join unnest(p.issues) as issue (code) left join checks k on k.code = issue.code
     where p.crawl_id = ${shownCrawl(scanId)}
     group by issue.code, k.severity
     order by pages desc, issue.code`)
}
