import { type Call, type FakeApi, invalid, onlyKnown, Refusal, startApi } from './api.ts'

/** What was seen on one day; `query` null: by so few people that it is in no row. */
export type Seen = {
  date: string
  query: string | null
  page: string
  country: string
  device: string
  searchAppearance?: string
  type?: string
  clicks: number
  impressions: number
  position: number
}

export type FakeSearchConsole = FakeApi & {
  /** Who owns a token sees these sites. */
  sitesOf: (token: string) => { siteUrl: string; permissionLevel: string }[]
  seen: Map<string, Seen[]>
}

const DIMENSIONS = ['date', 'query', 'page', 'country', 'device', 'searchAppearance']
const TYPES = ['web', 'image', 'video', 'news', 'discover', 'googleNews']
const FIELDS = [
  'startDate',
  'endDate',
  'dimensions',
  'type',
  'searchType',
  'aggregationType',
  'dataState',
  'dimensionFilterGroups',
  'rowLimit',
  'startRow',
]

type Filter = { dimension: string; operator?: string; expression: string }
type Asked = {
  startDate?: string
  endDate?: string
  dimensions?: string[]
  type?: string
  searchType?: string
  dimensionFilterGroups?: { groupType?: string; filters?: Filter[] }[]
  rowLimit?: number
  startRow?: number
}

/** Google Search Console API v1 as its documents describe it: sites, and searchAnalytics.query over what was seen. */
export async function startSearchConsole(): Promise<FakeSearchConsole> {
  const api = await startApi('https://www.googleapis.com/auth/webmasters.readonly', (call) =>
    answer(fake, call),
  )
  const fake: FakeSearchConsole = Object.assign(api, { sitesOf: () => [], seen: new Map() })
  return fake
}

function answer(fake: FakeSearchConsole, call: Call): object {
  const sites = fake.sitesOf(call.token)
  if (call.method === 'GET' && call.path === '/webmasters/v3/sites')
    return sites.length > 0 ? { siteEntry: sites } : {}
  const [, name] = /^\/webmasters\/v3\/sites\/([^/]+)\/searchAnalytics\/query$/.exec(call.path) ?? []
  if (call.method !== 'POST' || name === undefined)
    throw new Refusal(404, 'NOT_FOUND', 'Requested entity was not found.')
  const siteUrl = decodeURIComponent(name)
  const site = sites.find((each) => each.siteUrl === siteUrl)
  if (!site || site.permissionLevel === 'siteUnverifiedUser')
    throw new Refusal(
      403,
      'PERMISSION_DENIED',
      `User does not have sufficient permission for site '${siteUrl}'. See also: https://support.google.com/webmasters/answer/2451999.`,
      { reason: 'forbidden' },
    )
  return query(call.body, fake.seen.get(siteUrl) ?? [])
}

function query(asked: Asked, seen: Seen[]): object {
  const { startDate, endDate, dimensions = [], rowLimit = 1000, startRow = 0 } = asked
  const type = asked.type ?? asked.searchType ?? 'web'
  const filters = (asked.dimensionFilterGroups ?? []).flatMap((group) => group.filters ?? [])
  check(asked, type, dimensions, filters)
  const matching = seen.filter(
    (each) =>
      each.date >= startDate! &&
      each.date <= endDate! &&
      (each.type ?? 'web') === type &&
      filters.every((filter) => matches(filter, each)) &&
      dimensions.every((dimension) => valueOf(each, dimension) !== undefined),
  )
  const groups = Map.groupBy(matching, (each) =>
    JSON.stringify(dimensions.map((name) => valueOf(each, name))),
  )
  const rows = [...groups].map(([keys, members]) => {
    const [clicks, impressions] = [total(members, 'clicks'), total(members, 'impressions')]
    const places = members.reduce((sum, each) => sum + each.position * each.impressions, 0)
    return {
      ...(dimensions.length > 0 && { keys: JSON.parse(keys) as string[] }),
      clicks,
      impressions,
      ctr: clicks / impressions,
      ...(type !== 'discover' && { position: places / impressions }),
    }
  })
  const day = dimensions.indexOf('date')
  rows.sort((a, b) =>
    day < 0 ? b.clicks - a.clicks : (a.keys?.[day] ?? '').localeCompare(b.keys?.[day] ?? ''),
  )
  const shown = rows.slice(startRow, startRow + rowLimit)
  const aggregation = dimensions.includes('page') ? 'byPage' : 'byProperty'
  return { ...(shown.length > 0 && { rows: shown }), responseAggregationType: aggregation }
}

function check(asked: Asked, type: string, dimensions: string[], filters: Filter[]) {
  onlyKnown(asked, FIELDS)
  for (const name of ['startDate', 'endDate'] as const) {
    const day = asked[name]
    if (!day) throw invalid(`'${name}' is a required parameter.`)
    if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(day)))
      throw invalid(`'${name}' is not a date.`)
  }
  if (asked.startDate! > asked.endDate!) throw invalid("'startDate' must not be after 'endDate'.")
  if (!TYPES.includes(type))
    throw invalid(`Invalid value at 'type' (type.googleapis.com/SearchType), "${type}"`)
  if (!Number.isInteger(asked.rowLimit ?? 1) || (asked.rowLimit ?? 1) < 1 || (asked.rowLimit ?? 1) > 25_000)
    throw invalid("'rowLimit' must be from 1 to 25000.")
  if (new Set(dimensions).size < dimensions.length) throw invalid('Duplicate dimensions.')
  if (dimensions.includes('searchAppearance') && dimensions.length > 1)
    throw invalid('Invalid combination of dimensions: searchAppearance cannot be grouped with others.')
  for (const { dimension, operator = 'contains' } of filters) {
    if (!['equals', 'notEquals', 'contains', 'notContains'].includes(operator))
      throw invalid(`Invalid operator "${operator}".`)
    if (dimension === 'date') throw invalid("'date' cannot be filtered.")
  }
  for (const dimension of [...dimensions, ...filters.map((filter) => filter.dimension)]) {
    if (!DIMENSIONS.includes(dimension)) throw invalid(`Invalid value at 'dimensions', "${dimension}"`)
    if (type === 'discover' && dimension === 'query')
      throw invalid("'query' is not supported for 'discover'.")
  }
}

/** Not case-sensitive. */
function matches({ dimension, operator = 'contains', expression }: Filter, seen: Seen): boolean {
  const [value, wanted] = [(valueOf(seen, dimension) ?? '').toLowerCase(), expression.toLowerCase()]
  if (operator === 'equals') return value === wanted
  if (operator === 'notEquals') return value !== wanted
  return value.includes(wanted) === (operator === 'contains')
}

const valueOf = (seen: Seen, dimension: string) =>
  (seen as unknown as Record<string, string | null>)[dimension] ?? undefined

const total = (seen: Seen[], figure: 'clicks' | 'impressions') =>
  seen.reduce((sum, each) => sum + each[figure], 0)
