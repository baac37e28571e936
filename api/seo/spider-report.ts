import { Problem } from '../../problem.ts'
import { readReport } from '../../sql/report.ts'
import { documentHeaders } from '../document.ts'
import { endpoint, page } from '../endpoint.ts'
import { reportPage } from './report/page.ts'
import { oneScan } from './scan.ts'

export const spiderReport = [
  endpoint({
    method: 'get',
    path: '/spider/:id/report',
    summary: 'Read a scan as a report',
    description:
      "One HTML page in the account's language: score, issues with fixes, answers, depth, slowest and heaviest pages, " +
      'history. It needs nothing besides itself, runs no script and can be printed. A scan that is still crawling or has ' +
      'failed has one too; while a rescan runs it is about the crawl before.',
    params: oneScan.params,
    reply: page(),
    headers: documentHeaders,
    problems: ['not_found'],
    find: oneScan.find,
    async handle({ record: { id }, user }) {
      const report = await readReport(id)
      if (!report) throw new Problem('not_found')
      return reportPage(report, id, user.locale)
    },
  }),
]
