import { z } from 'zod'

import { config } from '../../../config.ts'
import type { Account } from '../account.ts'
import type { Analytics, AnalyticsQuery, AnalyticsRow, Period, Reader } from '../search-account.ts'
import { call, listOf } from './call.ts'

const PAGE = 200
/** 10,000 accounts; who has more does not see them. */
const PAGES = 50
/** A report has no more metrics. */
const METRICS = 10

/** A property takes 10 calls at once, of all who may read it, and 10 of its own failures an hour. */
const account: Account = { name: 'analytics', limit: 8, reserved: 0, callSeconds: 60, tries: 2 }

const Property = z.looseObject({ property: z.string().regex(/^properties\/\d+$/) })
const Summaries = z.object({
  accountSummaries: listOf(z.object({ propertySummaries: listOf(z.unknown()) })),
  nextPageToken: z.string().nullish(),
})
const number = z.union([z.string(), z.number()]).transform(Number).pipe(z.number())
const Report = z.object({
  rows: listOf(
    z.object({
      dimensionValues: listOf(z.object({ value: z.string().default('') })),
      metricValues: listOf(z.object({ value: number })),
    }),
  ),
})

/** Google Analytics Admin and Data API v1beta (https://developers.google.com/analytics/devguides/reporting/data/v1). */
export const googleAnalytics: Analytics = {
  async properties(reader) {
    const found: z.output<typeof Property>[] = []
    let token: string | null | undefined
    for (let page = 0; page < PAGES; page++) {
      const query = new URLSearchParams({ pageSize: String(PAGE), ...(token && { pageToken: token }) })
      const question = {
        name: 'accountSummaries.list',
        origin: config.GOOGLE_ANALYTICSADMIN_URL,
        path: `/v1beta/accountSummaries?${query.toString()}`,
      }
      const owned = { ...account, owner: `connection ${reader.connection}` }
      const { accountSummaries, nextPageToken } = await call(owned, question, Summaries, reader)
      const listed = accountSummaries.flatMap(({ propertySummaries }) => propertySummaries)
      found.push(...listed.flatMap((property) => Property.safeParse(property).data ?? []))
      token = nextPageToken
      if (!token) break
    }
    return found
  },

  async report(property, period, query, reader) {
    const parts = partsOf(query)
    const [all = [], ...others] = await Promise.all(
      parts.map((metrics) => run(property, period, { ...query, metrics }, parts.length > 1, reader)),
    )
    const keyOf = (row: AnalyticsRow) => JSON.stringify(query.dimensions.map((dimension) => row[dimension]))
    const more = others.map((rows) => new Map(rows.map((row) => [keyOf(row), row])))
    return all.map(
      (row) => Object.assign({}, row, ...more.map((rows) => rows.get(keyOf(row)))) as AnalyticsRow,
    )
  },
}

/** The metrics of each report to be asked for; the one that orders is in all, so that all have the same rows. */
function partsOf({ metrics, order = metrics[0] }: AnalyticsQuery): AnalyticsQuery['metrics'][] {
  if (metrics.length <= METRICS || order === undefined) return [metrics]
  const others = metrics.filter((metric) => metric !== order)
  const parts: AnalyticsQuery['metrics'][] = []
  for (let at = 0; at < others.length; at += METRICS - 1)
    parts.push([order, ...others.slice(at, at + METRICS - 1)])
  return parts
}

/** `isPart`: among rows with the same of what orders, the order must not be left to chance. */
async function run(
  property: string,
  { start, end }: Period,
  { metrics, dimensions, order, limit }: AnalyticsQuery,
  isPart: boolean,
  reader: Reader,
): Promise<AnalyticsRow[]> {
  const orderBys = [
    ...(order ? [{ metric: { metricName: nameOf(order) }, desc: true }] : []),
    ...(isPart ? dimensions.map((dimensionName) => ({ dimension: { dimensionName } })) : []),
  ]
  const question = {
    name: 'runReport',
    origin: config.GOOGLE_ANALYTICSDATA_URL,
    path: `/v1beta/properties/${property}:runReport`,
    body: {
      dateRanges: [{ startDate: start, endDate: end }],
      metrics: metrics.map((name) => ({ name: nameOf(name) })),
      ...(dimensions.length > 0 && { dimensions: dimensions.map((name) => ({ name })) }),
      ...(orderBys.length > 0 && { orderBys }),
      ...(limit !== undefined && { limit }),
    },
  }
  const { rows } = await call({ ...account, owner: `property ${property}` }, question, Report, reader)
  return rows.map(({ dimensionValues, metricValues }) =>
    Object.fromEntries([
      ...dimensions.map((name, at) => [name, dimensionValues[at]?.value ?? '']),
      ...metrics.map((name, at) => [name, metricValues[at]?.value ?? 0]),
    ]),
  )
}

/** Conversions have been called key events since 2024. */
const nameOf = (metric: string) => (metric === 'conversions' ? 'keyEvents' : metric)
