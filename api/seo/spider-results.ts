import { z } from 'zod'

import { Problem } from '../../problem.ts'
import { compare, lists } from '../../sql/comparison.ts'
import * as issues from '../../sql/issues.ts'
import * as pages from '../../sql/pages.ts'
import * as scans from '../../sql/scans.ts'
import * as snapshots from '../../sql/snapshots.ts'
import { array, endpoint, item, list } from '../endpoint.ts'
import { clampedQuery, datetime, reference } from '../fields.ts'
import { oneScan, Scan, scanExample } from './scan.ts'

const Snapshot = snapshots.Snapshot.extend({
  started_datetime: datetime,
  finished_datetime: datetime,
  datetime,
}).meta({ id: 'Snapshot' })
const Page = pages.Page.meta({ id: 'Page' })
const Issues = z
  .object({
    by_severity: z.object({ major: z.int(), moderate: z.int(), minor: z.int() }),
    issues: z.array(issues.Issue),
  })
  .meta({ id: 'IssueSummary' })
const Comparison = z
  .object({
    from: Scan,
    to: Scan,
    summary: z.object({
      pages_from: z.int(),
      pages_to: z.int(),
      added: z.int(),
      removed: z.int(),
      changed: z.int(),
      score_delta: z.int().nullable(),
    }),
    added_pages: z.array(lists.AddedPage),
    removed_pages: z.array(lists.RemovedPage),
    changed_pages: z.array(lists.ChangedPage),
  })
  .meta({ id: 'Comparison' })

/** What a crawl found: its pages and issues, its history, and how it compares. */
export const spiderResults = [
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
    path: '/spider/:id/pages',
    summary: 'List the pages of a scan',
    params: oneScan.params,
    query: z.object({
      // No page has -1 or 1000: what lies beyond finds nothing.
      status: clampedQuery(-1, 1000, null).meta({
        override: { type: 'integer' },
        description: 'Exact HTTP status; 0 for failed fetches.',
      }),
      issues: z
        .unknown()
        .optional()
        .transform((value) => value !== undefined && value !== '')
        .meta({ override: { type: 'string' }, description: 'Any value: only pages with an issue.' }),
    }),
    reply: list(Page, {
      id: 3301,
      url: 'https://example.com/',
      status_code: 200,
      score: 94,
      title: 'Example',
      meta_description: null,
      h1: 'Example',
      canonical: 'https://example.com/',
      is_indexable: true,
      is_noindex: false,
      words_count: 320,
      images_no_alt: 0,
      internal_links: 12,
      external_links: 1,
      schema_types: 'Organization,WebSite',
      issues: ['meta_desc_missing'],
    }),
    problems: ['not_found'],
    find: oneScan.find,
    handle: ({ record, query, window }) =>
      pages.list(record.id, { status: query.status, onlyIssues: query.issues }, window),
  }),
  endpoint({
    method: 'get',
    path: '/spider/:id/history',
    summary: 'List the completed crawls of a scan',
    params: oneScan.params,
    reply: array(Snapshot, {
      score: 87,
      pages_found: 42,
      pages_processed: 42,
      errors_count: 3,
      warnings_count: 20,
      status_2xx: 39,
      status_3xx: 2,
      status_4xx: 1,
      status_5xx: 0,
      duration_seconds: 130,
      started_datetime: '2026-07-01 09:30:00',
      finished_datetime: '2026-07-01 09:32:10',
      datetime: '2026-07-01 09:32:10',
    }),
    problems: ['not_found'],
    find: oneScan.find,
    handle: ({ record }) => snapshots.list(record.id),
  }),
  endpoint({
    method: 'get',
    path: '/spider/:id/compare',
    summary: 'Compare two scans',
    params: oneScan.params,
    query: z.object({ to: reference.describe('The scan to compare with.') }),
    reply: item(Comparison, {
      from: scanExample,
      to: { ...scanExample, id: 13, score: 90 },
      summary: { pages_from: 42, pages_to: 43, added: 1, removed: 0, changed: 2, score_delta: 3 },
      added_pages: [{ url: 'https://example.com/new', status_code: 200, score: 95 }],
      removed_pages: [],
      changed_pages: [],
    }),
    problems: ['not_found', 'invalid'],
    find: oneScan.find,
    async handle({ record: from, query, user }) {
      const to = await scans.find(user.id, query.to)
      if (!to) throw new Problem('not_found')
      const { summary, added, removed, changed } = await compare(from.id, to.id)
      const score_delta = from.score === null || to.score === null ? null : to.score - from.score
      return {
        from,
        to,
        summary: { ...summary, score_delta },
        added_pages: [...added],
        removed_pages: [...removed],
        changed_pages: [...changed],
      }
    },
  }),
]
