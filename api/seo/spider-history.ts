import { z } from 'zod'

import { Problem } from '../../problem.ts'
import { compare, lists } from '../../sql/comparison.ts'
import * as scans from '../../sql/scans.ts'
import * as snapshots from '../../sql/snapshots.ts'
import { array, endpoint, item } from '../endpoint.ts'
import { datetime, reference } from '../fields.ts'
import { oneScan, Scan, scanExample } from './scan.ts'

const Snapshot = snapshots.Snapshot.extend({
  started_datetime: datetime,
  finished_datetime: datetime,
  datetime,
}).meta({ id: 'Snapshot' })
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

/** How a scan came to be what it is, and how it compares with another. */
export const spiderHistory = [
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
