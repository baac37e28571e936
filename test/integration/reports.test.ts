import { randomUUID } from 'node:crypto'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

import { config } from '../../config.ts'
import { removeConnection } from '../../sql/external-accounts.ts'
import { db, sql } from '../../sql/pool.ts'
import { freshAnswer, sweepReports } from '../../sql/report-cache.ts'
import { closeAnswers, jobs } from '../../tasks/jobs.ts'
import { analyticsRows, listProperties, reportAnalytics } from '../../tasks/reports/analytics.ts'
import { listSites, reportSearch, searchRows } from '../../tasks/reports/search-console.ts'
import { crewsOf } from '../../worker/crews.ts'
import { openQueuePool } from '../../worker/database.ts'
import { startRunners } from '../../worker/runners.ts'
import type { Visits } from '../fakes/google/analytics.ts'
import type { Fault } from '../fakes/google/api.ts'
import type { Seen } from '../fakes/google/search-console.ts'
import { useApi } from '../support/api.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'
import { useGoogle } from '../support/google.ts'

vi.hoisted(() => vi.stubEnv('RATE_LIMIT_PER_MINUTE', '100000'))

const database = useDatabase()
const api = useApi()
const google = useGoogle()

const CONCURRENCY = 12
const SITE = 'sc-domain:example.com'
const OTHER_SITE = 'https://www.example.com/blog/'
/** The windows of 28 days are those of 2026-10-22 to 11-18 and 10-24 to 11-20. */
const NOW = '2026-11-21T10:00:00Z'

let mario: Person
let giulia: Person
let nobody: Person
let stop: () => Promise<void>

const runs = {
  'search-console.sites': listSites,
  'search-console.report': reportSearch,
  'search-console.rows': searchRows,
  'analytics.properties': listProperties,
  'analytics.report': reportAnalytics,
  'analytics.rows': analyticsRows,
}

beforeAll(async () => {
  const workerId = randomUUID()
  await db().query(sql.typeAlias('void')`
    insert into workers (id, host, pools) values (${workerId}, 'test', '{interactive}')`)
  const crews = crewsOf(jobs, runs, { workerId, pools: ['interactive'], concurrency: CONCURRENCY })
  const pool = openQueuePool(database.url, crews.size, CONCURRENCY)
  const crew = await startRunners(pool, crews, () => {})
  stop = async () => {
    await crew.stop()
    await pool.end()
  }
  mario = await makePerson('mario')
  giulia = await makePerson('giulia')
  nobody = await makePerson('nobody')
})
afterAll(async () => {
  await stop?.()
  await closeAnswers()
})
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOW) })
  google.accounts.clear()
  google.accounts.set('mario@gmail.test', { sites: [SITE], properties: [1000] })
  google.accounts.set('giulia@gmail.test', { sites: [OTHER_SITE], properties: [2000] })
  google.console.seen.clear()
  google.analytics.visits.clear()
  await google.connect(mario, 'mario@gmail.test')
  await google.connect(giulia, 'giulia@gmail.test')
})
afterEach(() => void vi.useRealTimers())

type Body = Record<string, unknown>
const get = async (path: string, as = mario) => await api.get<Body>(path, { as })
const data = async (path: string, as = mario) => {
  const answer = await get(path, as)
  expect([path, answer.status, answer.body.errors]).toEqual([path, 200, undefined])
  return answer.body.data
}
const questions = () => google.console.calls.filter(({ method }) => method === 'POST').map(({ body }) => body)
const reports = () => google.analytics.calls.filter(({ method }) => method === 'POST').map(({ body }) => body)
const age = async (seconds: number) =>
  await db().query(sql.typeAlias('void')`
    update report_cache set fetched_at = now() - make_interval(secs => ${seconds}), failed_at = null`)
const HOUR = 3600

const seen = (more: Partial<Seen>): Seen => ({
  date: '2026-11-10',
  query: 'crm',
  page: 'https://example.com/',
  country: 'ita',
  device: 'MOBILE',
  clicks: 0,
  impressions: 1,
  position: 1,
  ...more,
})

describe.each(['/search-console', '/search-console/sites', '/analytics', '/analytics/properties'])(
  'GET %s',
  (path) => {
    const wrong = `${path}?dimensions=x&metrics=x&site=x&property=9`

    test('asks for an account before anything else', async () => {
      expect((await get(wrong, nobody)).status).toBe(409)
      await google.connect(mario, 'mario@gmail.test', [])
      const unconsented = await get(wrong)
      expect(unconsented.status).toBe(409)
      expect(unconsented.body.errors[0]?.title).toMatch(/consenso/)
      const { GOOGLE_CLIENT_SECRET: secret } = config
      delete config.GOOGLE_CLIENT_SECRET
      expect((await get(wrong)).status).toBe(409)
      config.GOOGLE_CLIENT_SECRET = secret
      expect([...google.console.calls, ...google.analytics.calls]).toEqual([])
    })

    test('a key and a known method are needed', async () => {
      expect((await api.get(path)).status).toBe(401)
      const posted = await api.post(path, { as: mario })
      expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET'])
    })

    test('a grant that Google ended: 502, then 409', async () => {
      google.oauth.withdraw('mario@gmail.test')
      const first = await get(path)
      expect([first.status, first.body.errors[0]?.title]).toEqual([
        502,
        expect.stringContaining('invalid_grant'),
      ])
      expect((await get(path)).status).toBe(409)
    })
  },
)

describe('GET /search-console/sites', () => {
  test('a plain array without the unverified; six hours', async () => {
    const sites = {
      [SITE]: 'siteOwner',
      [OTHER_SITE]: 'siteRestrictedUser',
      'https://x.example/': 'siteUnverifiedUser',
    }
    google.accounts.set('mario@gmail.test', { sites })
    const answer = await get('/search-console/sites?format=csv&per_page=1')
    expect(answer.body).toEqual({ data: [SITE, OTHER_SITE] })
    google.accounts.set('mario@gmail.test', { sites: [] })
    await age(6 * HOUR - 5)
    expect(await data('/search-console/sites')).toEqual([SITE, OTHER_SITE])
    expect(google.console.calls).toHaveLength(1)
    await age(6 * HOUR)
    expect(await data('/search-console/sites')).toEqual([])
  })
})

describe('GET /search-console', () => {
  test('totals without dimensions, queries and pages: to the letter', async () => {
    google.console.seen.set(SITE, [
      seen({ date: '2026-10-22', query: 'crm', clicks: 12, impressions: 340, position: 7.42 }),
      seen({
        date: '2026-11-18',
        query: 'crm gratis',
        page: 'https://example.com/a',
        clicks: 3,
        impressions: 41,
        position: 2,
      }),
      seen({ date: '2026-11-01', query: null, clicks: 1, impressions: 19, position: 20 }),
      seen({ date: '2026-10-21', query: 'early', clicks: 99 }),
      seen({ date: '2026-11-19', query: 'late', clicks: 99 }),
      seen({ type: 'image', query: 'picture', clicks: 99 }),
    ])
    expect(await data(`/search-console?site=${encodeURIComponent(SITE)}&range=28`)).toEqual({
      site: SITE,
      range_days: 28,
      start: '2026-10-22',
      end: '2026-11-18',
      totals: { clicks: 16, impressions: 400, ctr: 4, position: 7.5 },
      queries: [
        { key: 'crm', clicks: 12, impressions: 340, ctr: 3.53, position: 7.4 },
        { key: 'crm gratis', clicks: 3, impressions: 41, ctr: 7.32, position: 2 },
      ],
      pages: [
        { key: 'https://example.com/', clicks: 13, impressions: 359, ctr: 3.62, position: 8.1 },
        { key: 'https://example.com/a', clicks: 3, impressions: 41, ctr: 7.32, position: 2 },
      ],
    })
    const period = { startDate: '2026-10-22', endDate: '2026-11-18', type: 'web', dataState: 'final' }
    expect(new Set(questions())).toEqual(
      new Set([
        { ...period, rowLimit: 1 },
        { ...period, rowLimit: 25, dimensions: ['query'] },
        { ...period, rowLimit: 25, dimensions: ['page'] },
      ]),
    )
  })

  test('25 rows at most; nothing seen is zeros', async () => {
    const many = Array.from({ length: 40 }, (_, n) =>
      seen({ query: `q${n}`, page: `https://example.com/${n}`, clicks: n }),
    )
    google.console.seen.set(SITE, many)
    const full = (await data('/search-console')) as { queries: { key: string }[]; pages: unknown[] }
    expect([full.queries.length, full.pages.length, full.queries[0]?.key]).toEqual([25, 25, 'q39'])
    expect(await data('/search-console?range=90', giulia)).toMatchObject({
      totals: { clicks: 0, impressions: 0, ctr: 0, position: 0 },
      queries: [],
      pages: [],
    })
  })

  test.each([
    ['', 28, '2026-10-22'],
    ['?range=7', 7, '2026-11-12'],
    ['?range=28', 28, '2026-10-22'],
    ['?range=90', 90, '2026-08-21'],
    ['?range=30', 28, '2026-10-22'],
    ['?range=6', 28, '2026-10-22'],
    ['?range=-7', 28, '2026-10-22'],
    ['?range=9999', 28, '2026-10-22'],
    ['?range=x', 28, '2026-10-22'],
    ['?range=', 28, '2026-10-22'],
    ['?range[]=7', 7, '2026-11-12'],
  ])('%s is %i days from %s', async (query, days, start) => {
    expect(await data(`/search-console${query}`)).toMatchObject({
      range_days: days,
      start,
      end: '2026-11-18',
    })
  })

  test('days change at midnight UTC', async () => {
    vi.setSystemTime('2026-12-31T23:59:59Z')
    expect(await data('/search-console?range=7')).toMatchObject({ start: '2026-12-22', end: '2026-12-28' })
    vi.setSystemTime('2027-01-01T00:00:00Z')
    expect(await data('/search-console?range=7')).toMatchObject({ start: '2026-12-23', end: '2026-12-29' })
    vi.setSystemTime('2027-01-03T00:00:00Z')
    expect(await data('/search-console?range=7')).toMatchObject({ start: '2026-12-25', end: '2026-12-31' })
  })

  test.each([
    ['?dimensions=', 'dimensions'],
    ['?dimensions=,colour,', 'dimensions'],
    ['?dimensions=Query', 'dimensions'],
    ['?site=sc-domain:other.example', 'site'],
    [`?site=${OTHER_SITE}`, 'site'],
    ['?site=SC-DOMAIN:example.com', 'site'],
    ['?dimensions=query&site=x', 'site'],
  ])('%s is 422', async (query, field) => {
    const answer = await get(`/search-console${query}`)
    expect([answer.status, answer.body.errors[0]?.title]).toEqual([422, expect.stringContaining(field)])
    expect(questions()).toEqual([])
  })

  test.each([
    [[], 422],
    [[SITE], 200],
    [[SITE, OTHER_SITE], 422],
  ])('no site named, of %j: %i', async (sites, status) => {
    google.accounts.set('mario@gmail.test', { sites })
    for (const query of ['', '?site=', '?site=%20', '?dimensions=page'])
      expect((await get(`/search-console${query}`)).status).toBe(status)
  })

  test('an address as site goes into the path whole', async () => {
    const site = 'https://example.com/ü?b&c/'
    google.accounts.set('mario@gmail.test', { sites: [SITE, site] })
    google.console.seen.set(site, [seen({ clicks: 7 })])
    expect(await data(`/search-console?site=${encodeURIComponent(site)}`)).toMatchObject({
      site,
      totals: { clicks: 7 },
    })
  })
})

describe('GET /search-console?dimensions', () => {
  test('rows aligned with the dimensions', async () => {
    google.console.seen.set(SITE, [
      seen({ query: 'crm', clicks: 1, impressions: 3, position: 1.25 }),
      seen({ query: 'crm', clicks: 1, impressions: 1, position: 4, device: 'DESKTOP' }),
      seen({ query: 'erp', clicks: 0, impressions: 2, position: 3, country: 'usa' }),
    ])
    expect(await data('/search-console?dimensions=device,%20query,colour,device&range=90')).toEqual({
      site: SITE,
      range_days: 90,
      dimensions: ['device', 'query'],
      search_type: 'web',
      rows: [
        { keys: ['MOBILE', 'crm'], clicks: 1, impressions: 3, ctr: 33.33, position: 1.3 },
        { keys: ['DESKTOP', 'crm'], clicks: 1, impressions: 1, ctr: 100, position: 4 },
        { keys: ['MOBILE', 'erp'], clicks: 0, impressions: 2, ctr: 0, position: 3 },
      ],
    })
    expect(questions()).toEqual([
      {
        startDate: '2026-08-21',
        endDate: '2026-11-18',
        dimensions: ['device', 'query'],
        type: 'web',
        dataState: 'final',
        rowLimit: 100,
      },
    ])
  })

  const filter = (dimension: string, operator: string, expression: string) => ({
    dimensionFilterGroups: [{ groupType: 'and', filters: [{ dimension, operator, expression }] }],
  })
  test.each([
    ['row_limit=0', { rowLimit: 1 }],
    ['row_limit=-5', { rowLimit: 1 }],
    ['row_limit=1000', { rowLimit: 1000 }],
    ['row_limit=1001', { rowLimit: 1000 }],
    ['row_limit=x', { rowLimit: 100 }],
    ['search_type=image', { type: 'image' }],
    ['search_type=engineNews', { type: 'googleNews' }],
    ['search_type=discover', { type: 'discover' }],
    ['search_type=colour', { type: 'web' }],
    ['search_type=googleNews', { type: 'web' }],
    ['query_filter=CR%20m', filter('query', 'contains', 'CR m')],
    ['page_filter=/blog', filter('page', 'contains', '/blog')],
    ['country=IT', filter('country', 'equals', 'ita')],
    ['country=ita', filter('country', 'equals', 'ita')],
    ['country=de', filter('country', 'equals', 'deu')],
    ['device=DESKTOP', filter('device', 'equals', 'DESKTOP')],
    ['device=tablet', filter('device', 'equals', 'TABLET')],
    ['device=FRIDGE', {}],
    ['query_filter=&page_filter=&country=&device=', {}],
  ])('%s', async (query, expected) => {
    await data(`/search-console?dimensions=page&${query}`)
    const common = {
      startDate: '2026-10-22',
      endDate: '2026-11-18',
      dimensions: ['page'],
      dataState: 'final',
    }
    expect(questions()).toEqual([{ ...common, type: 'web', rowLimit: 100, ...expected }])
  })

  test('filters together, and the name of the search type that was asked for', async () => {
    google.console.seen.set(SITE, [
      seen({ type: 'googleNews', query: 'crm', page: 'https://example.com/blog', clicks: 4 }),
      seen({ type: 'googleNews', query: 'crm', page: 'https://example.com/', clicks: 5 }),
      seen({ type: 'googleNews', query: 'crm', country: 'usa', clicks: 6 }),
    ])
    const path =
      '/search-console?dimensions=query&search_type=engineNews&query_filter=CRM&page_filter=BLOG&country=it&device=MOBILE'
    const found = await data(path)
    expect([found['search_type'], found['rows']]).toEqual([
      'engineNews',
      [{ keys: ['crm'], clicks: 4, impressions: 1, ctr: 400, position: 1 }],
    ])
  })

  test('discover has no positions', async () => {
    google.console.seen.set(SITE, [seen({ type: 'discover', clicks: 1, impressions: 8 })])
    expect((await data('/search-console?dimensions=page&search_type=discover'))['rows']).toEqual([
      { keys: ['https://example.com/'], clicks: 1, impressions: 8, ctr: 12.5, position: 0 },
    ])
  })

  test('what Google does not combine is told in its words', async () => {
    const answer = await get('/search-console?dimensions=page,searchAppearance')
    expect([answer.status, answer.body.errors[0]?.title]).toEqual([
      502,
      expect.stringContaining('searchAppearance cannot be grouped'),
    ])
    expect(questions()).toHaveLength(1)
  })
})

describe('GET /analytics/properties', () => {
  test('as they are, of all accounts, page by page; six hours', async () => {
    const accounts = Array.from({ length: 450 }, (_, n) => ({
      account: `accounts/${n}`,
      displayName: `Acme ${n}`,
      ...(n % 2 === 0 && {
        propertySummaries: [
          { property: `properties/${n}`, displayName: 'Web', parent: `accounts/${n}`, new: [1] },
        ],
      }),
    }))
    google.accounts.set('mario@gmail.test', { accounts })
    const answer = await get('/analytics/properties')
    expect(answer.body.meta).toBeUndefined()
    const found = answer.body.data as unknown as { property: string }[]
    expect(found).toHaveLength(225)
    expect(found.at(-1)).toEqual({
      property: 'properties/448',
      displayName: 'Web',
      parent: 'accounts/448',
      new: [1],
    })
    expect(google.analytics.calls).toHaveLength(3)
    await age(6 * HOUR - 5)
    await data('/analytics/properties')
    expect(google.analytics.calls).toHaveLength(3)
    await age(6 * HOUR)
    await data('/analytics/properties')
    expect(google.analytics.calls).toHaveLength(6)
  })
})

describe('GET /analytics', () => {
  const visits: Visits[] = [
    {
      date: '2026-10-24',
      pagePath: '/',
      sessions: 5,
      engaged: 3,
      seconds: 331,
      active: 4,
      fresh: 2,
      views: 9,
    },
    {
      date: '2026-11-20',
      pagePath: '/a',
      sessions: 3,
      engaged: 2,
      seconds: 100,
      active: 3,
      fresh: 1,
      views: 12,
    },
    { date: '2026-10-23', pagePath: '/', sessions: 99, views: 99 },
    { date: '2026-11-21', pagePath: '/', sessions: 99, views: 99 },
  ]

  test('totals and pages: to the letter', async () => {
    google.analytics.visits.set('1000', visits)
    expect(await data('/analytics?property=properties/1000')).toEqual({
      property: '1000',
      range_days: 28,
      start: '2026-10-24',
      end: '2026-11-20',
      totals: {
        sessions: 8,
        active_users: 7,
        new_users: 3,
        page_views: 21,
        engagement_rate: 62.5,
        avg_session_duration: 53.9,
      },
      top_pages: [
        { page: '/a', views: 12 },
        { page: '/', views: 9 },
      ],
    })
    const dateRanges = [{ startDate: '2026-10-24', endDate: '2026-11-20' }]
    const names = [
      'sessions',
      'activeUsers',
      'newUsers',
      'screenPageViews',
      'engagementRate',
      'averageSessionDuration',
    ]
    expect(new Set(reports())).toEqual(
      new Set([
        { dateRanges, metrics: names.map((name) => ({ name })) },
        {
          dateRanges,
          metrics: [{ name: 'screenPageViews' }],
          dimensions: [{ name: 'pagePath' }],
          orderBys: [{ metric: { metricName: 'screenPageViews' }, desc: true }],
          limit: 15,
        },
      ]),
    )
  })

  test('15 pages at most; no visits are zeros', async () => {
    const many = Array.from({ length: 30 }, (_, n) => ({ date: '2026-11-01', pagePath: `/${n}`, views: n }))
    google.analytics.visits.set('1000', many)
    const full = (await data('/analytics')) as { top_pages: unknown[] }
    expect([full.top_pages.length, full.top_pages[0]]).toEqual([15, { page: '/29', views: 29 }])
    const empty = await data('/analytics', giulia)
    expect([new Set(Object.values(empty['totals'] as object)), empty['top_pages']]).toEqual([
      new Set([0]),
      [],
    ])
  })

  test.each([
    ['?range=7', 7, '2026-11-14'],
    ['?range=90', 90, '2026-08-23'],
    ['?range=8', 28, '2026-10-24'],
  ])('%s is %i days from %s', async (query, days, start) => {
    expect(await data(`/analytics${query}`)).toMatchObject({ range_days: days, start, end: '2026-11-20' })
  })

  test('a month, a leap day and a year end', async () => {
    vi.setSystemTime('2028-03-01T00:00:00Z')
    expect(await data('/analytics?range=7')).toMatchObject({ start: '2028-02-23', end: '2028-02-29' })
    vi.setSystemTime('2028-02-29T23:59:59Z')
    expect(await data('/analytics?range=7')).toMatchObject({ start: '2028-02-22', end: '2028-02-28' })
    vi.setSystemTime('2027-01-01T00:00:00Z')
    expect(await data('/analytics?range=7')).toMatchObject({ start: '2026-12-25', end: '2026-12-31' })
  })

  test.each([
    ['?metrics=', 'metrics'],
    ['?metrics=colour', 'metrics'],
    ['?metrics=&dimensions=date', 'metrics'],
    ['?property=2000', 'property'],
    ['?property=100', 'property'],
    ['?metrics=sessions&property=01000', 'property'],
  ])('%s is 422', async (query, field) => {
    const answer = await get(`/analytics${query}`)
    expect([answer.status, answer.body.errors[0]?.title]).toEqual([422, expect.stringContaining(field)])
    expect(reports()).toEqual([])
  })

  test.each([
    [[], 422],
    [[1000], 200],
    [[1000, 2000], 422],
  ])('no property named, of %j: %i', async (properties, status) => {
    google.accounts.set('mario@gmail.test', { properties })
    for (const query of ['', '?property=', '?property=none', '?metrics=sessions'])
      expect((await get(`/analytics${query}`)).status).toBe(status)
  })

  test.each(['1000', 'properties/1000', ' 1000 ', '10.00'])('the property %s is 1000', async (property) => {
    google.accounts.set('mario@gmail.test', { properties: [1000, 2000] })
    const found = await data(`/analytics?property=${encodeURIComponent(property)}`)
    expect(found['property']).toBe('1000')
  })
})

describe('GET /analytics?metrics', () => {
  const visits: Visits[] = [
    {
      date: '2026-11-01',
      country: 'Italy',
      browser: 'Safari',
      sessions: 3,
      engaged: 1,
      active: 2,
      keyEvents: 4,
    },
    {
      date: '2026-11-02',
      country: 'Italy',
      browser: 'Chrome',
      sessions: 4,
      engaged: 4,
      active: 4,
      keyEvents: 0,
    },
    {
      date: '2026-11-02',
      country: 'Spain',
      browser: 'Chrome',
      sessions: 6,
      engaged: 3,
      active: 5,
      keyEvents: 1,
    },
  ]
  beforeEach(() => void google.analytics.visits.set('1000', visits))

  test('one flat row with the figures of Google', async () => {
    expect(await data('/analytics?metrics=engagementRate,%20colour,sessions,engagementRate')).toEqual({
      property: '1000',
      range_days: 28,
      metrics: ['engagementRate', 'sessions'],
      dimensions: [],
      rows: [{ engagementRate: 8 / 13, sessions: 13 }],
    })
    // Neither an order nor a limit without dimensions.
    expect(reports()).toEqual([
      {
        dateRanges: [{ startDate: '2026-10-24', endDate: '2026-11-20' }],
        metrics: [{ name: 'engagementRate' }, { name: 'sessions' }],
      },
    ])
  })

  test('rows by dimensions; conversions are key events', async () => {
    const path =
      '/analytics?metrics=sessions,conversions&dimensions=country,colour,date&order_by=conversions&limit=2'
    expect(await data(path)).toEqual({
      property: '1000',
      range_days: 28,
      metrics: ['sessions', 'conversions'],
      dimensions: ['country', 'date'],
      rows: [
        { country: 'Italy', date: '20261101', sessions: 3, conversions: 4 },
        { country: 'Spain', date: '20261102', sessions: 6, conversions: 1 },
      ],
    })
    expect(reports()[0]).toMatchObject({
      metrics: [{ name: 'sessions' }, { name: 'keyEvents' }],
      orderBys: [{ metric: { metricName: 'keyEvents' }, desc: true }],
      limit: 2,
    })
  })

  test.each([
    ['order_by=activeUsers', 'activeUsers', 100],
    ['order_by=newUsers', 'sessions', 100],
    ['order_by=country', 'sessions', 100],
    ['', 'sessions', 100],
    ['limit=0', 'sessions', 1],
    ['limit=5000', 'sessions', 1000],
    ['limit=x', 'sessions', 100],
  ])('%s', async (query, metricName, limit) => {
    await data(`/analytics?metrics=sessions,activeUsers&dimensions=country&${query}`)
    expect(reports()[0]).toMatchObject({ orderBys: [{ metric: { metricName }, desc: true }], limit })
  })

  test('no dimension that is known is none', async () => {
    expect(await data('/analytics?metrics=sessions&dimensions=colour&limit=5')).toMatchObject({
      dimensions: [],
      rows: [{ sessions: 13 }],
    })
  })

  test('all metrics, which are more than Google takes at once', async () => {
    const metrics =
      'sessions,activeUsers,newUsers,totalUsers,screenPageViews,engagementRate,averageSessionDuration,bounceRate,eventCount,conversions,screenPageViewsPerSession,sessionsPerUser'
    const whole = await data(`/analytics?metrics=${metrics}`)
    expect(Object.keys((whole['rows'] as Body[])[0]!)).toEqual(metrics.split(','))
    expect((whole['rows'] as Body[])[0]).toMatchObject({
      sessions: 13,
      conversions: 5,
      sessionsPerUser: 13 / 11,
    })
    // Very many have the same of what orders: which ones are shown must not be left to chance.
    const many = Array.from({ length: 60 }, (_, n) => ({
      date: '2026-11-01',
      city: `c${n}`,
      active: 1,
      sessions: n + 1,
    }))
    google.analytics.visits.set('1000', many)
    const path = `/analytics?metrics=${metrics}&dimensions=city&order_by=activeUsers&limit=5`
    const rows = (await data(path))['rows'] as Body[]
    expect(rows.map(({ city, sessions, sessionsPerUser }) => [city, sessions, sessionsPerUser])).toEqual(
      ['c0', 'c1', 'c10', 'c11', 'c12'].map((city) => [
        city,
        Number(city.slice(1)) + 1,
        Number(city.slice(1)) + 1,
      ]),
    )
    expect(Object.keys(rows[0]!)).toEqual(['city', ...metrics.split(',')])
  })

  test('what Google refuses is told in its words', async () => {
    const dimensions =
      'pagePath,pageTitle,landingPage,country,city,region,deviceCategory,browser,operatingSystem,language'
    const answer = await get(`/analytics?metrics=sessions&dimensions=${dimensions}`)
    expect([answer.status, answer.body.errors[0]?.title]).toEqual([
      502,
      expect.stringContaining('limited to 9 dimensions'),
    ])
  })
})

describe('caches', () => {
  beforeEach(() => {
    google.console.seen.set(SITE, [seen({ clicks: 3 })])
    google.analytics.visits.set('1000', [{ date: '2026-11-10', sessions: 3 }])
  })
  const clicks = async (query = '', as = mario) =>
    ((await data(`/search-console${query}`, as)) as { totals: { clicks: number } }).totals.clicks
  const kept = async () =>
    await db().oneFirst(sql.type(z.object({ rows: z.int() }))`select count(*) as rows from report_cache`)

  test('a report is three hours old at most', async () => {
    expect(await clicks()).toBe(3)
    google.console.seen.set(SITE, [seen({ clicks: 4 })])
    await age(3 * HOUR - 5)
    expect(await clicks()).toBe(3)
    expect(questions()).toHaveLength(3)
    await age(3 * HOUR)
    expect(await clicks()).toBe(4)
    // The list of sites is good for longer.
    expect(google.console.calls.filter(({ method }) => method === 'GET')).toHaveLength(1)
    await data('/analytics')
    await data('/analytics')
    expect(reports()).toHaveLength(2)
  })

  test('an old report is never an answer, even when there is no new one', async () => {
    await clicks()
    await age(3 * HOUR)
    google.console.fault = () => ({ status: 400 })
    expect((await get('/search-console')).status).toBe(502)
  })

  test('site, range and day are apart; rows are never kept', async () => {
    google.accounts.set('mario@gmail.test', { sites: [SITE, OTHER_SITE] })
    for (const query of [`?site=${SITE}`, `?site=${OTHER_SITE}`, `?site=${SITE}&range=7`]) await clicks(query)
    vi.setSystemTime('2026-11-22T00:00:00Z')
    await clicks(`?site=${SITE}`)
    const asked = google.console.calls.map(({ path, body }) => `${path} ${String(body['startDate'])}`)
    expect(new Set(asked.filter((each) => each.includes('searchAnalytics'))).size).toBe(4)
    google.console.calls.length = 0
    for (let n = 0; n < 2; n++) await data(`/search-console?site=${SITE}&dimensions=query`)
    expect(questions()).toHaveLength(2)
  })

  test('users share nothing, though their Google account is the same', async () => {
    google.accounts.set('both@gmail.test', { sites: [SITE], properties: [1000] })
    await google.connect(mario, 'both@gmail.test')
    await google.connect(giulia, 'both@gmail.test')
    expect(await clicks()).toBe(3)
    await data('/analytics')
    google.console.seen.set(SITE, [seen({ clicks: 9 })])
    google.analytics.visits.set('1000', [{ date: '2026-11-10', sessions: 9 }])
    expect(await clicks('', giulia)).toBe(9)
    expect(await clicks()).toBe(3)
    expect(await data('/analytics', giulia)).toMatchObject({ totals: { sessions: 9 } })
    expect(await data('/analytics')).toMatchObject({ totals: { sessions: 3 } })
  })

  test('a hit needs no worker', async () => {
    await clicks()
    const made = async () =>
      await db().oneFirst(sql.type(z.object({ rows: z.int() }))`select count(*) as rows from answers`)
    const before = await made()
    await clicks()
    expect(await made()).toBe(before)
  })

  test('20 at once: one fetch', async () => {
    google.console.latency = 150
    const found = await Promise.all(Array.from({ length: 20 }, () => clicks()))
    expect(new Set(found)).toEqual(new Set([3]))
    expect(google.console.calls.filter(({ method }) => method === 'GET')).toHaveLength(1)
    expect(questions()).toHaveLength(3)
  })

  test('20 at once fail together', async () => {
    google.console.latency = 150
    google.console.fault = () => ({ status: 400 })
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await get('/search-console')).status),
    )
    expect(new Set(statuses)).toEqual(new Set([502]))
    expect(google.console.calls).toHaveLength(1)
  })

  test('another account, or none, drops what was kept', async () => {
    await clicks()
    await data('/analytics')
    const all = await kept()
    await db().transaction((on) => removeConnection(mario.id, on))
    expect(await kept()).toBe(all - 4)
    expect((await get('/search-console')).status).toBe(409)
    google.accounts.set('other@gmail.test', { sites: [OTHER_SITE] })
    await google.connect(mario, 'other@gmail.test')
    expect(await data('/search-console/sites')).toEqual([OTHER_SITE])
  })

  test('what ends after the account was changed is not kept for the new one', async () => {
    await data('/search-console/sites')
    google.accounts.set('other@gmail.test', { sites: [SITE] })
    google.console.latency = 300
    const asked = get('/search-console')
    await vi.waitFor(() => expect(questions().length).toBeGreaterThan(0), { timeout: 5000, interval: 5 })
    await google.connect(mario, 'other@gmail.test')
    google.console.latency = 0
    google.console.seen.set(SITE, [seen({ clicks: 7 })])
    await asked
    expect(await clicks()).toBe(7)
  })

  test('a worker that died while it fetched holds up nobody', async () => {
    await data('/search-console/sites')
    await db().query(sql.typeAlias('void')`
      update report_cache set fetched_at = null, worker = ${randomUUID()}, fetching_until = now() + interval '1 hour'`)
    expect(await data('/search-console/sites')).toEqual([SITE])
  })

  test('are swept', async () => {
    await data('/search-console/sites')
    await age(6 * HOUR - 60)
    expect(await sweepReports()).toBe(0)
    await age(6 * HOUR + 1)
    await db().query(sql.typeAlias('void')`update report_cache set fetching_until = null`)
    expect(await sweepReports()).toBeGreaterThan(0)
    expect(await kept()).toBe(0)
    expect(await freshAnswer({ connection: 0, report: 'sites' })).toBeNull()
  })
})

describe('when Google does not do as it should', () => {
  const title = async (path: string) => {
    const answer = await get(path)
    expect(answer.status).toBe(502)
    return answer.body.errors[0]?.title ?? ''
  }
  /** Injected into the first calls that match. */
  const once = (fault: Fault, times = 1) => {
    let left = times
    return () => (left-- > 0 ? fault : undefined)
  }

  test('an access token that has ended between two calls is renewed once', async () => {
    await data('/search-console/sites')
    google.oauth.expireAccess()
    const before = google.oauth.refreshes().length
    google.console.seen.set(SITE, [seen({ clicks: 3 })])
    expect(await data('/search-console')).toMatchObject({ totals: { clicks: 3 } })
    expect(google.oauth.refreshes()).toHaveLength(before + 1)
    expect(questions()).toHaveLength(6)
  })

  test('a token that is refused again and again is a fault', async () => {
    google.console.scopesOf = () => null
    expect(await title('/search-console/sites')).toContain('invalid authentication credentials')
    expect(google.console.calls).toHaveLength(2)
    google.console.scopesOf = (token) => google.oauth.holderOf(token)?.scopes ?? null
    // Nobody is kept away from it because of that.
    expect((await get('/search-console/sites', giulia)).status).toBe(200)
  })

  test('a scope that Google wants, but the token has not', async () => {
    google.console.scopesOf = () => ['openid']
    expect(await title('/search-console/sites')).toContain('Connect the account again')
    expect(google.console.calls).toHaveLength(1)
    google.console.scopesOf = (token) => google.oauth.holderOf(token)?.scopes ?? null
  })

  test('a site whose rights were taken away', async () => {
    await data('/search-console/sites')
    google.accounts.set('mario@gmail.test', { sites: [] })
    expect(await title('/search-console')).toContain('sufficient permission for site')
  })

  const rate = {
    status: 429,
    body: { error: { code: 429, message: 'QPS quota exceeded', errors: [{ reason: 'rateLimitExceeded' }] } },
  }
  const day = {
    status: 429,
    body: { error: { code: 429, message: 'Exhausted property tokens for a project per hour.' } },
  }
  test.each<[string, Fault, number]>([
    ['too many calls in a second', rate, 2],
    ['its own failure', { status: 503 }, 1],
    ['a connection that breaks', { reset: true }, 1],
    ['half an answer', { cut: true }, 1],
  ])('%s passes when it is asked again', async (_what, fault, times) => {
    google.console.fault = once(fault, times)
    expect(await data('/search-console/sites')).toEqual([SITE])
    expect(google.console.calls).toHaveLength(times + 1)
  })

  test.each<[string, Fault, number, string]>([
    ['a quota of the hour', day, 1, 'Exhausted property tokens'],
    ['too many calls for long', rate, 2, 'QPS quota exceeded'],
    ['a failure that stays', { status: 500 }, 2, 'Injected 500'],
    ['half of every answer', { cut: true }, 2, 'not understood'],
    ['a page instead of an answer', { status: 200, body: '<html>' }, 2, 'not understood'],
    ['an answer of another kind', { status: 200, body: { accountSummaries: 'none' } }, 2, 'not understood'],
    ['an address that is elsewhere', { status: 302, headers: { location: '/x' }, body: '' }, 1, 'HTTP 302'],
  ])('%s is 502', async (_what, fault, calls, words) => {
    google.analytics.fault = () => fault
    expect(await title('/analytics/properties')).toContain(words)
    expect(google.analytics.calls).toHaveLength(calls)
  })

  test('no answer at all is not waited for twice', async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal)
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms === 25_000 ? 200 : ms))
    google.console.fault = () => ({ hang: true })
    expect(await title('/search-console/sites')).toContain('no answer')
    expect(google.console.calls).toHaveLength(1)
    vi.restoreAllMocks()
  })

  test('one of three calls that fails fails the report, and nothing of it is kept', async () => {
    await data('/search-console/sites')
    google.console.fault = ({ body }) => (body['rowLimit'] === 1 ? { status: 400 } : undefined)
    expect(await title('/search-console')).toContain('Injected 400')
    google.console.fault = () => undefined
    await db().query(sql.typeAlias('void')`update report_cache set failed_at = now() - interval '6 seconds'`)
    expect((await get('/search-console')).status).toBe(200)
  })

  test('an answer with what PostgreSQL cannot hold', async () => {
    google.console.seen.set(SITE, [seen({ query: 'a\0b\uD800c' })])
    expect(await data('/search-console')).toMatchObject({ queries: [{ key: 'ab\uFFFDc' }] })
  })

  test('a property is asked eight questions at once at most', async () => {
    google.analytics.latency = 100
    google.accounts.set('both@gmail.test', { properties: [1000] })
    await google.connect(mario, 'both@gmail.test')
    await google.connect(giulia, 'both@gmail.test')
    await data('/analytics/properties')
    await data('/analytics/properties', giulia)
    const all = Array.from({ length: 24 }, (_, n) =>
      get('/analytics?metrics=sessions', n % 2 ? mario : giulia),
    )
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(google.analytics.inFlightMax()).toBeLessThanOrEqual(8)
  })
})
