import { z } from 'zod'

import type { AuditedPage } from '../../sql/audit.ts'
import { Check } from '../../sql/checks.ts'
import { explainScore } from '../../sql/scores.ts'

/** A check in words, beside what it found. */
export const IssueDetail = Check.omit({ scope: true }).meta({ id: 'IssueDetail' })

export const issueExample = {
  code: 'meta_desc_missing',
  severity: 'moderate' as const,
  about: 'The head has no meta description, or an empty one.',
  fix: 'Write a meta description of 70 to 160 characters that says what the page offers.',
  points: 5,
}

const Loss = z.object({
  points: z.int().describe('The points of its issues.'),
  most: z.int().describe('What issues of this severity may cost at most.'),
  counted: z.int().describe('The smaller of the two.'),
})

/** How issues make a score. */
export const Explanation = z
  .object({
    score: z
      .int()
      .nullable()
      .describe(
        '100 minus `points_lost`. It differs from `score` of the page only when checks changed since.',
      ),
    reason: z
      .enum(['issues', 'unreadable', 'blocked', 'no_page'])
      .describe(
        '`issues`: they make the score. `unreadable` (failed, 4xx, 5xx) and `blocked` pages have 0, `no_page` ' +
          '(redirects, files) has none, whatever the issues.',
      ),
    points_lost: z.int().nullable(),
    lost: z.object({ major: Loss, moderate: Loss, minor: Loss }),
    issues: z.array(IssueDetail).describe('The dearest first.'),
  })
  .meta({ id: 'ScoreExplanation' })

export const explanationExample = {
  score: 95,
  reason: 'issues' as const,
  points_lost: 5,
  lost: {
    major: { points: 0, most: 60, counted: 0 },
    moderate: { points: 5, most: 30, counted: 5 },
    minor: { points: 0, most: 10, counted: 0 },
  },
  issues: [issueExample],
}

type Judged = Pick<z.output<typeof AuditedPage>, 'status_code' | 'is_html' | 'issues'>

/** The score of a page from what the checks of its issues cost; an issue that no check declares any more costs nothing. */
export function explain(
  { status_code, is_html, issues }: Judged,
  known: readonly z.output<typeof Check>[],
): z.output<typeof Explanation> {
  const byCode = new Map(known.map((check) => [check.code, check]))
  const found = issues
    .map((code) => byCode.get(code) ?? { code, severity: 'minor' as const, about: '', fix: '', points: 0 })
    .toSorted((a, b) => b.points - a.points)
  const { score, reason, lost } = explainScore(
    { status: status_code, isHtml: is_html, isBlocked: issues.includes('page_blocked') },
    found,
  )
  return { score, reason, points_lost: score === null ? null : 100 - score, lost, issues: found }
}
