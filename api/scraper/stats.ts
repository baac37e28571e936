import { z } from 'zod'

import { periods, Statistics, statistics } from '../../sql/scrape-statistics.ts'
import { endpoint, item } from '../endpoint.ts'

export const stats = endpoint({
  method: 'get',
  path: '/stats',
  summary: 'Read scrape statistics',
  description:
    'Of the jobs created today, this week (from Monday), month or year, or ever, in UTC. Deleted jobs do not count.',
  query: z.object({ period: z.enum(periods).default('all') }),
  reply: item(Statistics, {
    total_jobs: 4,
    completed: 2,
    failed: 1,
    running: 1,
    pending: 0,
    total_pages: 57,
    total_resources: 170,
    total_bytes: 6127730,
    avg_duration: 9.25,
    success_rate: 66.66666666666667,
    top_domains: { 'example.com': 3, 'example.org': 1 },
    top_cms: { WordPress: 2 },
  }),
  problems: ['invalid'],
  handle: ({ query: { period }, user }) => statistics(user.id, period),
})
