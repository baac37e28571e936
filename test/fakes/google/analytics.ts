import { type Call, type FakeApi, invalid, onlyKnown, Refusal, startApi } from './api.ts'

/** Visits of one day with the same of everything; what is not told is `(not set)` or 0. */
export type Visits = {
  /** `YYYY-MM-DD`. */
  date: string
  sessions?: number
  engaged?: number
  /** Of all sessions, seconds. */
  seconds?: number
  active?: number
  fresh?: number
  users?: number
  views?: number
  events?: number
  keyEvents?: number
} & Partial<Record<Exclude<(typeof DIMENSIONS)[number], 'date'>, string>>

type Summary = { account: string; displayName: string; propertySummaries?: { property: string }[] }

export type FakeAnalytics = FakeApi & {
  /** Who owns a token sees these accounts and their properties. */
  accountsOf: (token: string) => Summary[]
  /** By the number of the property. */
  visits: Map<string, Visits[]>
}

const DIMENSIONS = [
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

type Figure = Exclude<keyof Visits, 'date' | (typeof DIMENSIONS)[number]>
const sum = (visits: Visits[], figure: Figure) => visits.reduce((all, each) => all + (each[figure] ?? 0), 0)
const ratio = (a: number, b: number) => (b === 0 ? 0 : a / b)
const count = (figure: Figure) => ({ type: 'TYPE_INTEGER', of: (all: Visits[]) => sum(all, figure) })
const rate = (type: string, over: Figure, under: Figure) => ({
  type,
  of: (all: Visits[]) => ratio(sum(all, over), sum(all, under)),
})

/** `conversions` is no name of today's. */
const METRICS: Record<string, { type: string; of: (visits: Visits[]) => number }> = {
  sessions: count('sessions'),
  activeUsers: count('active'),
  newUsers: count('fresh'),
  totalUsers: count('users'),
  screenPageViews: count('views'),
  eventCount: count('events'),
  keyEvents: { ...count('keyEvents'), type: 'TYPE_FLOAT' },
  engagementRate: rate('TYPE_FLOAT', 'engaged', 'sessions'),
  bounceRate: {
    type: 'TYPE_FLOAT',
    of: (all) => 1 - ratio(sum(all, 'engaged'), sum(all, 'sessions')),
  },
  averageSessionDuration: rate('TYPE_SECONDS', 'seconds', 'sessions'),
  screenPageViewsPerSession: rate('TYPE_FLOAT', 'views', 'sessions'),
  sessionsPerUser: rate('TYPE_FLOAT', 'sessions', 'active'),
}

type Order = {
  desc?: boolean
  metric?: { metricName: string }
  dimension?: { dimensionName: string }
}
type Asked = {
  dateRanges?: { startDate: string; endDate: string }[]
  dimensions?: { name: string }[]
  metrics?: { name: string }[]
  orderBys?: Order[]
  limit?: string | number
  offset?: string | number
}
const FIELDS = [
  'property',
  'dateRanges',
  'dimensions',
  'metrics',
  'orderBys',
  'limit',
  'offset',
  'returnPropertyQuota',
]
const CONCURRENT = 10

/** Google Analytics Admin and Data API v1beta as their documents describe them: account summaries, and reports over visits. */
export async function startAnalytics(): Promise<FakeAnalytics> {
  const api = await startApi('https://www.googleapis.com/auth/analytics.readonly', (call) =>
    answer(fake, call),
  )
  const fake: FakeAnalytics = Object.assign(api, { accountsOf: () => [], visits: new Map() })
  return fake
}

function answer(fake: FakeAnalytics, call: Call): object {
  const accounts = fake.accountsOf(call.token)
  if (call.method === 'GET' && call.path === '/v1beta/accountSummaries') return list(call, accounts)
  const [, property] = /^\/v1beta\/properties\/(\d+):runReport$/.exec(call.path) ?? []
  if (call.method !== 'POST' || property === undefined)
    throw new Refusal(404, 'NOT_FOUND', 'Requested entity was not found.')
  const owned = accounts.flatMap(({ propertySummaries = [] }) => propertySummaries)
  if (!owned.some((each) => each.property === `properties/${property}`))
    throw new Refusal(
      403,
      'PERMISSION_DENIED',
      'User does not have sufficient permissions for this property. To learn more about Property ID, see https://developers.google.com/analytics/devguides/reporting/data/v1/property-id.',
    )
  if (fake.inFlight() > CONCURRENT)
    throw new Refusal(429, 'RESOURCE_EXHAUSTED', 'Exhausted concurrent requests quota.')
  return report(call.body, fake.visits.get(property) ?? [])
}

function list({ query }: Call, accounts: Summary[]): object {
  const size = Math.min(Number(query.get('pageSize') ?? 50) || 50, 200)
  const token = query.get('pageToken')
  const from = token === null ? 0 : Number(/^from-(\d+)$/.exec(token)?.[1] ?? Number.NaN)
  if (Number.isNaN(from)) throw invalid('The page token is not valid.')
  const shown = accounts
    .slice(from, from + size)
    .map((each) => ({ name: each.account.replace('accounts/', 'accountSummaries/'), ...each }))
  const more = from + size < accounts.length && { nextPageToken: `from-${from + size}` }
  return { ...(shown.length > 0 && { accountSummaries: shown }), ...more }
}

function report(asked: Asked, visits: Visits[]): object {
  const dimensions = (asked.dimensions ?? []).map(({ name }) => name)
  const metrics = (asked.metrics ?? []).map(({ name }) => name)
  check(asked, dimensions, metrics)
  const { startDate, endDate } = asked.dateRanges![0]!
  const matching = visits.filter(({ date }) => date >= startDate && date <= endDate)
  const groups = Map.groupBy(matching, (each) =>
    JSON.stringify(dimensions.map((name) => valueOf(each, name))),
  )
  const rows = [...groups].map(([keys, members]) => ({
    dimensions: JSON.parse(keys) as string[],
    metrics: metrics.map((name) => METRICS[name]!.of(members)),
  }))
  for (const { desc, metric, dimension } of (asked.orderBys ?? []).toReversed()) {
    const sign = desc ? -1 : 1
    const at = metric ? metrics.indexOf(metric.metricName) : dimensions.indexOf(dimension!.dimensionName)
    rows.sort((a, b) =>
      metric
        ? sign * (a.metrics[at]! - b.metrics[at]!)
        : sign * a.dimensions[at]!.localeCompare(b.dimensions[at]!),
    )
  }
  const offset = Number(asked.offset ?? 0)
  const shown = rows.slice(offset, offset + Number(asked.limit ?? 10_000))
  return {
    ...(dimensions.length > 0 && { dimensionHeaders: dimensions.map((name) => ({ name })) }),
    metricHeaders: metrics.map((name) => ({ name, type: METRICS[name]!.type })),
    ...(shown.length > 0 && {
      rows: shown.map((row) => ({
        ...(dimensions.length > 0 && { dimensionValues: row.dimensions.map((value) => ({ value })) }),
        metricValues: row.metrics.map((value) => ({ value: String(value) })),
      })),
      rowCount: rows.length,
    }),
    metadata: { currencyCode: 'EUR', timeZone: 'Europe/Rome' },
    kind: 'analyticsData#runReport',
  }
}

function check(asked: Asked, dimensions: string[], metrics: string[]) {
  onlyKnown(asked, FIELDS)
  const [range] = asked.dateRanges ?? []
  for (const day of [range?.startDate, range?.endDate])
    if (!/^\d{4}-\d\d-\d\d$/.test(day ?? '')) throw invalid(`Invalid date: ${day}.`)
  if (range!.startDate > range!.endDate) throw invalid('startDate is after endDate.')
  if (metrics.length === 0) throw invalid('At least one metric or dimension is needed.')
  if (metrics.length > 10)
    throw invalid(
      `Requests are limited to 10 metrics within a nested request. This request is for ${metrics.length} metrics.`,
    )
  if (dimensions.length > 9)
    throw invalid(
      `Requests are limited to 9 dimensions within a nested request. This request is for ${dimensions.length} dimensions.`,
    )
  for (const name of dimensions)
    if (!(DIMENSIONS as readonly string[]).includes(name))
      throw invalid(`Field ${name} is not a valid dimension.`)
  for (const name of metrics) if (!METRICS[name]) throw invalid(`Field ${name} is not a valid metric.`)
  if (new Set([...dimensions, ...metrics]).size < dimensions.length + metrics.length)
    throw invalid('Duplicate fields.')
  for (const { metric, dimension } of asked.orderBys ?? [])
    if (!metrics.includes(metric?.metricName ?? '') && !dimensions.includes(dimension?.dimensionName ?? ''))
      throw invalid('What orders must be in the request.')
  if (asked.limit !== undefined && !/^[1-9]\d*$/.test(String(asked.limit)))
    throw invalid('The limit must be positive.')
}

const valueOf = (visits: Visits, dimension: string) =>
  dimension === 'date'
    ? visits.date.replaceAll('-', '')
    : ((visits as unknown as Record<string, string>)[dimension] ?? '(not set)')
