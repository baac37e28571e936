import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Client, clientOf } from '../support/client.ts'
import { useDatabase, makePerson, type Person } from '../support/database.ts'
import { useGoogle } from '../support/google.ts'
import { type Service, startService, waitFor } from '../support/service.ts'

const database = useDatabase()
const google = useGoogle()
let service: Service
let person: Person
let mario: Client

const SITE = 'sc-domain:example.com'
const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

beforeAll(async () => {
  google.accounts.set('mario@gmail.test', { sites: [SITE], properties: [1000] })
  person = await makePerson('mario')
  await google.connect(person, 'mario@gmail.test')
  service = await startService({
    url: database.url,
    workers: 2,
    env: {
      ...google.oauth.environment,
      GOOGLE_SEARCHCONSOLE_URL: google.console.url,
      GOOGLE_ANALYTICSDATA_URL: google.analytics.url,
      GOOGLE_ANALYTICSADMIN_URL: google.analytics.url,
    },
  })
  mario = clientOf(service.origin, person.key)
})
afterAll(() => service?.stop())

test('both reports, from Google to the caller, through one fetch of a fleet', async () => {
  const search = {
    page: 'https://example.com/',
    country: 'ita',
    device: 'MOBILE',
    impressions: 8,
    position: 2,
  }
  google.console.seen.set(SITE, [{ ...search, date: dayBefore(4), query: 'crm', clicks: 2 }])
  google.analytics.visits.set('1000', [{ date: dayBefore(2), pagePath: '/', sessions: 4, views: 9 }])
  google.console.latency = 100
  google.analytics.latency = 100
  const paths = ['/search-console', '/analytics'].flatMap((path) => Array<string>(20).fill(path))
  const found = await Promise.all(paths.map((path) => mario.read<{ totals: object }>(path)))
  expect(new Set(found.map((each) => JSON.stringify(each))).size).toBe(2)
  expect(found[0]).toMatchObject({ site: SITE, totals: { clicks: 2, impressions: 8, ctr: 25, position: 2 } })
  expect(found.at(-1)).toMatchObject({ property: '1000', top_pages: [{ page: '/', views: 9 }] })
  expect([google.console.calls.length, google.analytics.calls.length]).toEqual([1 + 3, 1 + 2])
  expect(google.oauth.refreshes()).toHaveLength(1)

  const rows = await mario.read<{ rows: object[] }>('/search-console?dimensions=query')
  expect(rows.rows).toEqual([{ keys: ['crm'], clicks: 2, impressions: 8, ctr: 25, position: 2 }])
  const custom = await mario.read<{ rows: object[] }>('/analytics?metrics=sessions')
  expect(custom.rows).toEqual([{ sessions: 4 }])
})

test('disconnected: 409, and connected again: nothing of before', async () => {
  await mario.read('/search-console/sites')
  expect((await mario.api('DELETE', '/external-account')).status).toBe(200)
  for (const path of ['/search-console', '/search-console/sites', '/analytics', '/analytics/properties'])
    expect((await mario.api('GET', path)).status).toBe(409)
  // It ends all that Google has granted us of this account, also what is granted meanwhile.
  await waitFor(() => google.oauth.calls.some(({ path }) => path === '/revoke'), { what: 'the revocation' })
  google.accounts.set('mario@gmail.test', { sites: [], properties: [] })
  await google.connect(person, 'mario@gmail.test')
  expect(await mario.read('/search-console/sites')).toEqual([])
  expect(await mario.read('/analytics/properties')).toEqual([])
})
