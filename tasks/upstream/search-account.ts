import { z } from 'zod'

import type { Caller } from './account.ts'

export const searchDimensions = ['query', 'page', 'country', 'device', 'date', 'searchAppearance'] as const
export const searchTypes = ['web', 'image', 'video', 'news', 'discover', 'engineNews'] as const
export const devices = ['DESKTOP', 'MOBILE', 'TABLET'] as const

export const analyticsMetrics = [
  'sessions',
  'activeUsers',
  'newUsers',
  'totalUsers',
  'screenPageViews',
  'engagementRate',
  'averageSessionDuration',
  'bounceRate',
  'eventCount',
  'conversions',
  'screenPageViewsPerSession',
  'sessionsPerUser',
] as const
export const analyticsDimensions = [
  'pagePath',
  'pageTitle',
  'landingPage',
  'country',
  'city',
  'region',
  'deviceCategory',
  'browser',
  'operatingSystem',
  'sessionSource',
  'sessionMedium',
  'sessionSourceMedium',
  'date',
  'language',
] as const

/** Days as `YYYY-MM-DD`, both inclusive. */
export const Period = z.object({ start: z.iso.date(), end: z.iso.date() })
export type Period = z.output<typeof Period>

/** `queryText` and `pageText` are parts of the query and the page; `country` is ISO 3166-1 alpha-2 or alpha-3. */
export const SearchQuery = z.object({
  dimensions: z.array(z.enum(searchDimensions)),
  searchType: z.enum(searchTypes),
  limit: z.int(),
  queryText: z.string().optional(),
  pageText: z.string().optional(),
  country: z.string().optional(),
  device: z.enum(devices).optional(),
})
export type SearchQuery = z.output<typeof SearchQuery>

/** `ctr` is a fraction; `keys` are aligned with the dimensions asked for. */
export type SearchRow = {
  keys: string[]
  clicks: number
  impressions: number
  ctr: number
  position: number
}

/** With dimensions: at most `limit` rows, those with the most of `order`, which is one of the metrics, first. */
export const AnalyticsQuery = z.object({
  metrics: z.array(z.enum(analyticsMetrics)).min(1),
  dimensions: z.array(z.enum(analyticsDimensions)),
  order: z.enum(analyticsMetrics).optional(),
  limit: z.int().optional(),
})
export type AnalyticsQuery = z.output<typeof AnalyticsQuery>

/** One field for each dimension and metric; rates are fractions, durations seconds. */
export type AnalyticsRow = Record<string, string | number>

/** Whoever reads an account: a job, the connection it reads through, and what lets it in. */
export type Reader = Caller & {
  connection: number
  /** An access token; after one was refused, another than that. */
  token(refused?: string): Promise<string>
}

/** What we need of an account with search-console data; every method throws `UpstreamFault`s. */
export type SearchConsole = {
  /** Identifiers of the sites whose data it may read. */
  sites(reader: Reader): Promise<string[]>
  /** Rows by clicks; without dimensions the only row has the totals, or there is none. */
  search(site: string, period: Period, query: SearchQuery, reader: Reader): Promise<SearchRow[]>
}

/** What we need of an account with analytics data; every method throws `UpstreamFault`s. */
export type Analytics = {
  /** As the source describes them, `property` being `properties/<digits>`. */
  properties(reader: Reader): Promise<{ property: string }[]>
  /** `property` is the number; without dimensions the only row has the totals, or there is none. */
  report(property: string, period: Period, query: AnalyticsQuery, reader: Reader): Promise<AnalyticsRow[]>
}
