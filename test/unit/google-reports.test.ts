import { analyticsadmin } from '@googleapis/analyticsadmin'
import { analyticsdata } from '@googleapis/analyticsdata'
import { searchconsole } from '@googleapis/searchconsole'
import { OAuth2Client } from 'google-auth-library'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type FakeAnalytics, startAnalytics } from '../fakes/google/analytics.ts'
import { type FakeSearchConsole, startSearchConsole } from '../fakes/google/search-console.ts'

/** Google's own clients against the stand-ins that the other tests use: they are not only our opinion. */
let search: FakeSearchConsole
let web: FakeAnalytics

const SITE = 'sc-domain:example.com'
const PREFIX = 'https://www.example.com/blog/'
const window = { startDate: '2026-11-01', endDate: '2026-11-07' }

beforeAll(async () => {
  search = await startSearchConsole()
  web = await startAnalytics()
  for (const api of [search, web]) {
    const whole = api.scopesOf('')
    api.scopesOf = (token) => ({ good: whole, narrow: ['openid'] })[token] ?? null
  }
  search.sitesOf = () => [
    { siteUrl: SITE, permissionLevel: 'siteOwner' },
    { siteUrl: PREFIX, permissionLevel: 'siteUnverifiedUser' },
  ]
  const seen = { page: 'https://example.com/', country: 'ita', device: 'MOBILE' }
  search.seen.set(SITE, [
    { ...seen, date: '2026-11-01', query: 'crm', clicks: 3, impressions: 10, position: 2 },
    { ...seen, date: '2026-11-02', query: 'crm', clicks: 1, impressions: 30, position: 6 },
    { ...seen, date: '2026-11-02', query: null, clicks: 2, impressions: 20, position: 4 },
    { ...seen, date: '2026-11-08', query: 'late', clicks: 9, impressions: 9, position: 1 },
    {
      ...seen,
      date: '2026-11-03',
      query: 'news',
      type: 'googleNews',
      clicks: 5,
      impressions: 5,
      position: 1,
    },
  ])
  web.accountsOf = () =>
    Array.from({ length: 3 }, (_, n) => ({
      account: `accounts/${n}`,
      displayName: `Acme ${n}`,
      propertySummaries: [{ property: `properties/${1000 + n}`, displayName: 'Web' }],
    }))
  web.visits.set('1000', [
    { date: '2026-11-01', pagePath: '/', sessions: 4, engaged: 3, seconds: 200, active: 2, views: 8 },
    {
      date: '2026-11-02',
      pagePath: '/a',
      sessions: 1,
      engaged: 0,
      seconds: 10,
      active: 1,
      views: 9,
      keyEvents: 2,
    },
    { date: '2026-11-08', pagePath: '/', sessions: 99 },
  ])
})
afterAll(async () => {
  await search?.close()
  await web?.close()
})

const auth = (token: string) => {
  const client = new OAuth2Client()
  client.setCredentials({ access_token: token })
  return client
}
const common = (rootUrl: string, token: string) => ({ auth: auth(token), rootUrl, retry: false })
const searching = (token = 'good') => searchconsole({ version: 'v1', ...common(search.url, token) })
const reporting = (token = 'good') => analyticsdata({ version: 'v1beta', ...common(web.url, token) })

describe('search console', () => {
  const query = async (requestBody: object, siteUrl = SITE) =>
    (await searching().searchanalytics.query({ siteUrl, requestBody: { ...window, ...requestBody } })).data

  test('sites', async () => {
    const { data } = await searching().sites.list()
    expect(data.siteEntry?.map(({ siteUrl }) => siteUrl)).toEqual([SITE, PREFIX])
  })

  test('totals have what no query has', async () => {
    expect((await query({})).rows).toEqual([{ clicks: 6, impressions: 60, ctr: 0.1, position: 280 / 60 }])
    expect((await query({ dimensions: ['query'] })).rows).toEqual([
      { keys: ['crm'], clicks: 4, impressions: 40, ctr: 0.1, position: 5 },
    ])
    expect((await query({ type: 'googleNews' })).rows?.[0]?.clicks).toBe(5)
  })

  test('filters, order and limits', async () => {
    const filters = (dimension: string, expression: string, operator = 'equals') => ({
      dimensionFilterGroups: [{ groupType: 'and', filters: [{ dimension, operator, expression }] }],
    })
    expect(await query({ ...filters('country', 'usa') })).toEqual({ responseAggregationType: 'byProperty' })
    expect((await query(filters('query', 'CR', 'contains'))).rows?.[0]?.clicks).toBe(4)
    const days = await query({ dimensions: ['date'], ...filters('device', 'MOBILE') })
    expect(days.rows?.map(({ keys }) => keys?.[0])).toEqual(['2026-11-01', '2026-11-02'])
    expect((await query({ dimensions: ['date'], rowLimit: 1, startRow: 1 })).rows).toHaveLength(1)
  })

  test.each([
    [400, { startDate: '' }],
    [400, { startDate: '2026-11-09' }],
    [400, { dimensions: ['colour'] }],
    [400, { dimensions: ['page', 'page'] }],
    [400, { dimensions: ['searchAppearance', 'page'] }],
    [400, { dimensions: ['query'], type: 'discover' }],
    [400, { type: 'engineNews' }],
    [400, { rowLimit: 25_001 }],
    [400, { colour: 'red' }],
  ])('is %i: %j', async (code, body) => {
    await expect(query(body)).rejects.toMatchObject({ code })
  })

  test('refuses foreign sites, wrong tokens, and too narrow ones', async () => {
    for (const site of ['sc-domain:other.example', PREFIX])
      await expect(query({}, site)).rejects.toMatchObject({
        code: 403,
        message: expect.stringContaining(`sufficient permission for site '${site}'`),
      })
    await expect(searching('bad').sites.list()).rejects.toMatchObject({ code: 401 })
    await expect(searching('narrow').sites.list()).rejects.toMatchObject({ code: 403 })
  })
})

describe('analytics', () => {
  const run = async (requestBody: object, property = 'properties/1000') => {
    const dateRanges = [window]
    return (await reporting().properties.runReport({ property, requestBody: { dateRanges, ...requestBody } }))
      .data
  }
  const named = (...names: string[]) => names.map((name) => ({ name }))

  test('account summaries, page by page', async () => {
    const admin = analyticsadmin({ version: 'v1beta', rootUrl: web.url, auth: auth('good') as never })
    const first = await admin.accountSummaries.list({ pageSize: 2 })
    expect(first.data.accountSummaries?.map(({ name }) => name)).toEqual([
      'accountSummaries/0',
      'accountSummaries/1',
    ])
    const second = await admin.accountSummaries.list({ pageSize: 2, pageToken: first.data.nextPageToken! })
    expect(second.data.accountSummaries?.[0]?.propertySummaries?.[0]?.property).toBe('properties/1002')
    expect(second.data.nextPageToken).toBeUndefined()
  })

  test('totals, and rows in order', async () => {
    const totals = await run({
      metrics: named('sessions', 'engagementRate', 'averageSessionDuration', 'sessionsPerUser'),
    })
    expect(totals.rows).toEqual([
      { metricValues: ['5', '0.6', '42', String(5 / 3)].map((value) => ({ value })) },
    ])
    const rows = await run({
      metrics: named('screenPageViews', 'keyEvents'),
      dimensions: named('pagePath', 'date'),
      orderBys: [{ metric: { metricName: 'screenPageViews' }, desc: true }],
      limit: '1',
    })
    expect(rows.rows).toEqual([
      {
        dimensionValues: [{ value: '/a' }, { value: '20261102' }],
        metricValues: [{ value: '9' }, { value: '2' }],
      },
    ])
    expect(rows.rowCount).toBe(2)
    const empty = await run({
      dateRanges: [{ startDate: '2020-01-01', endDate: '2020-01-02' }],
      metrics: named('sessions'),
    })
    expect([empty.rows, empty.rowCount]).toEqual([undefined, undefined])
  })

  test.each([
    [400, { metrics: named('conversions') }],
    [400, { metrics: named('sessions', 'sessions') }],
    [400, { metrics: named(...Array.from({ length: 11 }, (_, n) => `m${n}`)) }],
    [400, { metrics: named('sessions'), dimensions: named('colour') }],
    [400, { metrics: named('sessions'), orderBys: [{ metric: { metricName: 'newUsers' } }] }],
    [400, { metrics: named('sessions'), limit: '0' }],
    [400, { metrics: [] }],
    [400, { metrics: named('sessions'), colour: 'red' }],
  ])('is %i: %j', async (code, body) => {
    await expect(run(body)).rejects.toMatchObject({ code })
  })

  test('refuses foreign properties, wrong tokens, and too narrow ones', async () => {
    await expect(run({ metrics: named('sessions') }, 'properties/9')).rejects.toMatchObject({ code: 403 })
    for (const [token, code] of [
      ['bad', 401],
      ['narrow', 403],
    ] as const) {
      const asked = reporting(token).properties.runReport({ property: 'properties/1000', requestBody: {} })
      await expect(asked).rejects.toMatchObject({ code })
    }
  })
})
