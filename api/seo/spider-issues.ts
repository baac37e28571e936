import { z } from 'zod'

import { affected, AuditedPage } from '../../sql/audit.ts'
import * as checks from '../../sql/checks.ts'
import * as issues from '../../sql/issues.ts'
import { endpoint, item, list } from '../endpoint.ts'
import { IssueDetail, issueExample } from './explanation.ts'
import { oneScan } from './scan.ts'
import { auditedExample } from './spider-pages.ts'
import { worded } from './wording.ts'

const Issues = z
  .object({
    by_severity: z.object({ major: z.int(), moderate: z.int(), minor: z.int() }),
    issues: z.array(issues.Issue),
  })
  .meta({ id: 'IssueSummary' })

/** What a crawl found wrong. */
export const spiderIssues = [
  endpoint({
    method: 'get',
    path: '/spider/:id/issues',
    summary: 'Summarise the issues of a scan',
    params: oneScan.params,
    reply: item(Issues, {
      by_severity: { major: 3, moderate: 20, minor: 91 },
      issues: [{ code: 'title_missing', severity: 'major', pages: 3 }],
    }),
    problems: ['not_found'],
    find: oneScan.find,
    async handle({ record }) {
      const found = await issues.summary(record.id)
      const by_severity = { major: 0, moderate: 0, minor: 0 }
      for (const { severity, pages } of found) by_severity[severity] += pages
      return { by_severity, issues: [...found] }
    },
  }),
  endpoint({
    method: 'get',
    path: '/spider/:id/issues/:code',
    summary: 'List the pages with an issue',
    description:
      'The pages that have the issue, by id; none when no page has it. `meta.issue` says what it is and how to fix it, ' +
      "in the account's language. " +
      'A code that no check has is 404; `/docs/checks` lists them all. While a rescan runs these are the pages of the crawl before.',
    params: oneScan.params.extend({
      code: z
        .string()
        .regex(/^[a-z0-9_]{1,64}$/)
        .describe('Code of an issue.'),
    }),
    reply: list(AuditedPage.meta({ id: 'AuditedPage' }), auditedExample, {
      schema: z.object({ issue: IssueDetail }),
      example: { issue: issueExample },
    }),
    problems: ['not_found'],
    async find(input) {
      const scan = await oneScan.find(input)
      const check = scan && (await checks.find(input.code))
      return check && { id: scan.id, check }
    },
    async handle({ record: { id, check }, window, user }) {
      return { ...(await affected(id, check.code, window)), meta: { issue: worded(check, user.locale) } }
    },
  }),
]
