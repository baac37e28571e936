import type { Payload } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import { googleAnalytics } from '../upstream/google/analytics.ts'
import type { AnalyticsQuery, AnalyticsRow } from '../upstream/search-account.ts'
import { orProblem } from '../upstream/source.ts'
import { cached } from './cached.ts'
import { readerOf } from './reader.ts'
import { percentage, rounded } from './rounding.ts'

/** Pages in the report. */
const TOP = 15

const totalsQuery: AnalyticsQuery = {
  metrics: [
    'sessions',
    'activeUsers',
    'newUsers',
    'screenPageViews',
    'engagementRate',
    'averageSessionDuration',
  ],
  dimensions: [],
}
const pagesQuery: AnalyticsQuery = {
  metrics: ['screenPageViews'],
  dimensions: ['pagePath'],
  order: 'screenPageViews',
  limit: TOP,
}

/** The properties that a connected account may read; one fetch in six hours. */
export async function listProperties(payload: Payload<'analytics.properties'>, tools: Tools) {
  const entry = { connection: payload.connection, report: 'properties' } as const
  return await cached(entry, tools, () => orProblem(googleAnalytics.properties(readerOf(payload, tools))))
}

/** Totals and the pages seen most of a property; one fetch in three hours. */
export async function reportAnalytics(payload: Payload<'analytics.report'>, tools: Tools) {
  const { connection, property, start, end } = payload
  const reader = readerOf(payload, tools)
  const ask = (query: AnalyticsQuery) => googleAnalytics.report(property, { start, end }, query, reader)
  return await cached({ connection, report: 'analytics', of: property, start, end }, tools, async () => {
    const [[totals = {}], pages] = await orProblem(Promise.all([ask(totalsQuery), ask(pagesQuery)]))
    return { totals: figures(totals), top_pages: pages.map(viewed) }
  })
}

/** Whatever rows are asked for, with the source's own figures. */
export async function analyticsRows(payload: Payload<'analytics.rows'>, tools: Tools) {
  const { property, start, end, query } = payload
  const reader = readerOf(payload, tools)
  return await orProblem(googleAnalytics.report(property, { start, end }, query, reader))
}

function figures(row: AnalyticsRow) {
  const of = (metric: (typeof totalsQuery.metrics)[number]) => Number(row[metric] ?? 0)
  return {
    sessions: rounded(of('sessions'), 0),
    active_users: rounded(of('activeUsers'), 0),
    new_users: rounded(of('newUsers'), 0),
    page_views: rounded(of('screenPageViews'), 0),
    engagement_rate: percentage(of('engagementRate'), 1),
    avg_session_duration: rounded(of('averageSessionDuration'), 1),
  }
}

const viewed = ({ pagePath, screenPageViews }: AnalyticsRow) => ({
  page: String(pagePath),
  views: rounded(Number(screenPageViews), 0),
})
