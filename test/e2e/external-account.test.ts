import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

import { createAccount } from '../../sql/accounts.ts'
import { makeKey } from '../../sql/keys.ts'
import { type GoogleOauth, startGoogleOauth, type Visitor } from '../fakes/google/oauth.ts'
import { type Client, clientOf } from '../support/client.ts'
import { useDatabase } from '../support/database.ts'
import { dumpDatabase } from '../support/dump.ts'
import { freePort, type Service, startService, waitFor } from '../support/service.ts'

const ANALYTICS = 'https://www.googleapis.com/auth/analytics.readonly'
const SEARCH_CONSOLE = 'https://www.googleapis.com/auth/webmasters.readonly'

const database = useDatabase()
let google: GoogleOauth
let service: Service
let mario: Client
let giulia: Client

beforeAll(async () => {
  google = await startGoogleOauth()
  const nowhere = `http://127.0.0.1:${await freePort()}`
  service = await startService({
    url: database.url,
    env: {
      ...google.environment,
      GOOGLE_SEARCHCONSOLE_URL: nowhere,
      GOOGLE_ANALYTICSDATA_URL: nowhere,
      GOOGLE_ANALYTICSADMIN_URL: nowhere,
      LOG_LEVEL: 'debug',
    },
  })
  google.redirects = [`${service.origin}/oauth/google/callback`]
  const client = async (name: string) => {
    const key = makeKey()
    await createAccount({ email: `${name}@example.test`, name, key })
    return clientOf(service.origin, key)
  }
  mario = await client('mario')
  giulia = await client('giulia')
})
afterAll(async () => {
  await service?.stop()
  await google?.close()
})
beforeEach(async () => {
  google.fault = () => undefined
  for (const user of [mario, giulia]) await user.api('DELETE', '/external-account')
  google.calls.length = 0
})

const asked = async (user: Client) =>
  (await user.api<{ authorize_url: string }>('POST', '/external-account/connect')).data.authorize_url

/** Opens an address as a browser does, at Google as `visitor`; returns where that ended. */
async function browse(address: string, visitor: Visitor) {
  google.visitor = visitor
  const response = await fetch(address, { headers: { 'accept-language': 'en' } })
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  return { status: response.status, url: response.url, text: await response.text() }
}
const account = (user: Client) => user.read('/external-account')
const revoked = () =>
  google.calls.filter(({ path }) => path === '/revoke').map(({ params }) => params['token'])

const nothing = { connected: false, email: null }

test('an account is connected by its owner’s consent, once', async () => {
  const status = { external_configured: true, external_connected: false, external_email: null }
  expect(await mario.read('/status')).toMatchObject(status)
  expect(await account(mario)).toEqual(nothing)

  const back = await browse(await asked(mario), { email: 'mario@gmail.test' })
  expect(back.status).toBe(200)
  expect(back.text).toContain('mario@gmail.test')
  expect(back.text).toContain('mario@example.test')
  expect(await account(mario)).toEqual({ connected: true, email: 'mario@gmail.test' })
  expect(await mario.read('/status')).toMatchObject({
    external_connected: true,
    external_email: 'mario@gmail.test',
  })
  expect(await account(giulia)).toEqual(nothing)

  const again = await browse(back.url, { email: 'mario@gmail.test' })
  expect(again.status).toBe(400)
  expect(await account(mario)).toMatchObject({ connected: true })
})

test('users at the same time get each their own', async () => {
  const addresses = [await asked(mario), await asked(giulia)]
  const emails = ['mario@gmail.test', 'giulia@gmail.test']
  const backs: Awaited<ReturnType<typeof browse>>[] = []
  // The last who asked comes back first.
  for (const at of [1, 0]) backs.push(await browse(addresses[at] ?? '', { email: emails[at] ?? '' }))
  expect(backs.map(({ status }) => status)).toEqual([200, 200])
  expect(await account(mario)).toMatchObject({ email: 'mario@gmail.test' })
  expect(await account(giulia)).toMatchObject({ email: 'giulia@gmail.test' })
})

test.each<[string, Visitor, RegExp]>([
  ['a refusal', { email: 'mario@gmail.test', denies: true }, /not given/],
  ['nothing but the name', { email: 'mario@gmail.test', unticks: [ANALYTICS, SEARCH_CONSOLE] }, /not given/],
])('%s connects nothing', async (_, visitor, text) => {
  const back = await browse(await asked(mario), visitor)
  expect(back.status).toBe(400)
  expect(back.text).toMatch(text)
  expect(await account(mario)).toEqual(nothing)
})

test('half a consent is good for half', async () => {
  await browse(await asked(mario), { email: 'mario@gmail.test', unticks: [ANALYTICS] })
  expect(await account(mario)).toMatchObject({ connected: true })
  const refused = await mario.api('GET', '/analytics/properties')
  expect(refused.status).toBe(409)
  expect(refused.errors[0]?.title).toContain('analytics')
  expect((await mario.api('GET', '/search-console/sites')).status).toBe(502)
})

test('a code that was given to somebody else connects nothing', async () => {
  const hers = await asked(giulia)
  google.visitor = { email: 'giulia@gmail.test' }
  const sent = await fetch(hers, { redirect: 'manual' })
  const stolen = new URL(sent.headers.get('location') ?? '')
  stolen.searchParams.set('state', new URL(await asked(mario)).searchParams.get('state') ?? '')
  expect((await browse(stolen.href, { email: 'mario@gmail.test' })).status).toBe(400)
  expect(await account(mario)).toEqual(nothing)
  expect(await account(giulia)).toEqual(nothing)
})

test('a Google that is away is told, and the next try works', async () => {
  google.fault = () => ({ status: 503 })
  const back = await browse(await asked(mario), { email: 'mario@gmail.test' })
  expect(back.status).toBe(502)
  expect(await account(mario)).toEqual(nothing)
  google.fault = () => undefined
  expect((await browse(await asked(mario), { email: 'mario@gmail.test' })).status).toBe(200)
})

test('disconnecting revokes, in the end', async () => {
  await browse(await asked(mario), { email: 'mario@gmail.test' })
  google.fault = ({ path }) => (path === '/revoke' && revoked().length === 1 ? { reset: true } : undefined)
  expect((await mario.api('DELETE', '/external-account')).data).toEqual({ connected: false })
  expect(await account(mario)).toEqual(nothing)
  await waitFor(() => revoked().length >= 2, { what: 'the revocation' })
  expect(new Set(revoked()).size).toBe(1)
})

test('another account takes the place of the first, which is revoked', async () => {
  await browse(await asked(mario), { email: 'first@gmail.test' })
  await browse(await asked(mario), { email: 'second@gmail.test' })
  expect(await account(mario)).toEqual({ connected: true, email: 'second@gmail.test' })
  await waitFor(() => revoked().length > 0, { what: 'the revocation' })
})

test('a worker that reads accounts needs SECRET_KEY, and says so', async () => {
  const env = { SECRET_KEY: '', WORKER_POOLS: 'interactive' }
  await expect(service.start('worker', env)).rejects.toThrow(
    'SECRET_KEY: is required by the pool interactive',
  )
})

test('no token or code is to be read in the database or the log', async () => {
  expect(google.secrets.length).toBeGreaterThan(20)
  const everything = [await dumpDatabase(), ...service.members.map((member) => member.output())].join('\n')
  expect(everything).toContain('external.connect')
  expect(google.secrets.filter((secret) => everything.includes(secret))).toEqual([])
})
