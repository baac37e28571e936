import { setTimeout as sleep } from 'node:timers/promises'

import pino from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { config } from '../../config.ts'
import { connectionOf, removeConnection, scopes, sweepExternal } from '../../sql/external-accounts.ts'
import { db, sql } from '../../sql/pool.ts'
import { keepConnection } from '../../tasks/external/keep.ts'
import { revokeGrant } from '../../tasks/external/revoke.ts'
import { UpstreamFault } from '../../tasks/upstream/fault.ts'
import { accessToken } from '../../tasks/upstream/google/account.ts'
import { InvalidGrant } from '../../tasks/upstream/google/oauth.ts'
import { type GoogleOauth, startGoogleOauth } from '../fakes/google/oauth.ts'
import { useApi } from '../support/api.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'
import { dumpDatabase } from '../support/dump.ts'
import { emptyQueue, queued } from '../support/jobs.ts'

useDatabase()
const api = useApi()
const { signal } = new AbortController()
const tools = { signal, log: pino({ level: 'silent' }), workerId: crypto.randomUUID() }
let google: GoogleOauth
let mario: Person
let giulia: Person

beforeAll(async () => {
  google = await startGoogleOauth()
  mario = await makePerson('mario')
  giulia = await makePerson('giulia')
})
afterAll(() => google.close())
beforeEach(async () => {
  Object.assign(google, { rotates: false, expiresIn: 3599, latency: 0, fault: () => undefined })
  Object.assign(config, google.environment)
  for (const table of ['external_connections', 'external_revocations', 'external_consents'])
    await db().query(sql.typeAlias('void')`delete from ${sql.identifier([table])}`)
  await emptyQueue()
  google.calls.length = 0
})

const all: readonly string[] = Object.values(scopes)

/** Connects as after a consent; without `access` as the operator does. */
async function connect({ id }: Person, email: string, access?: { seconds: number }) {
  const refreshToken = google.consent(email)
  const grant = { refreshToken, scopes: all, email, access: access && { token: 'ya29.first', ...access } }
  await db().transaction((on) => keepConnection(id, grant, on))
  return refreshToken
}
const shift = (column: 'renew_at' | 'expires_at', seconds: number) =>
  db().query(sql.typeAlias('void')`
    update external_connections set ${sql.identifier([column])} = now() + make_interval(secs => ${seconds})`)
const many = (count: number, { id }: Person, refused?: string) =>
  Promise.allSettled(Array.from({ length: count }, () => accessToken(id, tools, refused)))
const given = (settled: PromiseSettledResult<string>[]) =>
  settled.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)))

describe('access tokens', () => {
  test('there are none without an account', async () => {
    await expect(accessToken(mario.id, tools)).rejects.toThrow('no longer connected')
  })

  test('are those that came with the consent, and never another user’s', async () => {
    await connect(mario, 'mario@gmail.test', { seconds: 3599 })
    await connect(giulia, 'giulia@gmail.test')
    expect(await accessToken(mario.id, tools)).toBe('ya29.first')
    const hers = await accessToken(giulia.id, tools)
    expect(google.holderOf(hers)?.email).toBe('giulia@gmail.test')
    expect(await accessToken(giulia.id, tools)).toBe(hers)
    expect(google.refreshes()).toHaveLength(1)
  })

  test.each([3599, 30, 1])(
    'are renewed once for all who wait, though they last but %d s',
    async (seconds) => {
      await connect(mario, 'mario@gmail.test', { seconds: 1 })
      Object.assign(google, { latency: 300, expiresIn: seconds })
      const [token, ...others] = new Set(given(await many(20, mario)))
      expect(google.holderOf(token ?? '')?.email).toBe('mario@gmail.test')
      expect(others).toEqual([])
      expect(google.refreshes()).toHaveLength(1)
    },
  )

  test('are renewed before they expire; meanwhile the old one serves', async () => {
    await connect(mario, 'mario@gmail.test', { seconds: 3599 })
    await shift('renew_at', -1)
    google.latency = 500
    const tokens = given(await many(10, mario))
    expect(tokens.filter((token) => token === 'ya29.first')).toHaveLength(9)
    expect(google.refreshes()).toHaveLength(1)
    expect(tokens).toContain(await accessToken(mario.id, tools))
  })

  test('serve on when they cannot be renewed in time', async () => {
    await connect(mario, 'mario@gmail.test', { seconds: 3599 })
    await shift('renew_at', -1)
    google.fault = () => ({ status: 400 })
    expect(await accessToken(mario.id, tools)).toBe('ya29.first')
    google.fault = () => undefined
    expect(await accessToken(mario.id, tools)).toMatch(/^ya29\.(?!first)/)
  })

  test('one that Google refused is replaced once', async () => {
    await connect(mario, 'mario@gmail.test', { seconds: 3599 })
    google.latency = 100
    const [token, ...others] = new Set(given(await many(10, mario, 'ya29.first')))
    expect(token).not.toBe('ya29.first')
    expect(others).toEqual([])
    expect(google.refreshes()).toHaveLength(1)
  })

  test('a failure is everybody’s who waits, not one after the other’s', async () => {
    await connect(mario, 'mario@gmail.test')
    Object.assign(google, { latency: 300, fault: () => ({ status: 400 }) })
    const settled = await many(20, mario)
    for (const each of settled)
      expect(each).toMatchObject({ status: 'rejected', reason: expect.any(UpstreamFault) as Error })
    expect(google.refreshes()).toHaveLength(1)
    google.fault = () => undefined
    expect(await accessToken(mario.id, tools)).toMatch(/^ya29/)
  })

  test('who died while getting one is not waited for', async () => {
    await connect(mario, 'mario@gmail.test')
    await db().query(sql.typeAlias('void')`
      update external_connections set renewing_until = clock_timestamp() + interval '1 second'`)
    const began = performance.now()
    expect(await accessToken(mario.id, tools)).toMatch(/^ya29/)
    expect(performance.now() - began).toBeGreaterThan(900)
  })

  test('who is stopped hands over', async () => {
    await connect(mario, 'mario@gmail.test')
    google.fault = () => ({ hang: true })
    const stop = new AbortController()
    const stopped = accessToken(mario.id, { signal: stop.signal })
    const outcome = stopped.catch(String)
    while (google.calls.length === 0) await sleep(10)
    const other = accessToken(mario.id, tools)
    google.fault = () => undefined
    stop.abort(new Error('stopping'))
    expect(await outcome).toBe('Error: stopping')
    expect(await other).toMatch(/^ya29/)
  })

  test('new refresh tokens and fewer scopes are kept', async () => {
    await connect(mario, 'mario@gmail.test')
    google.rotates = true
    for (let at = 0; at < 3; at++) {
      await accessToken(mario.id, tools)
      await shift('expires_at', -1)
      await shift('renew_at', -1)
    }
    expect(google.refreshes()).toHaveLength(3)
    const fewer = ['openid', ...all.slice(1)]
    const grant = { refreshToken: google.consent('x@gmail.test', fewer), scopes: all, email: 'x' }
    await db().transaction((on) => keepConnection(giulia.id, grant, on))
    await accessToken(giulia.id, tools)
    expect((await connectionOf(giulia.id))?.scopes).toEqual(fewer)
  })

  test('a grant that Google ended disconnects: one is told why, the others that it is no longer connected', async () => {
    await connect(mario, 'mario@gmail.test')
    google.withdraw('mario@gmail.test')
    google.latency = 200
    const settled = await many(5, mario)
    const reasons = settled.map((each) => (each.status === 'rejected' ? (each.reason as Error) : undefined))
    expect(reasons.filter((reason) => reason instanceof InvalidGrant)).toHaveLength(1)
    expect(reasons.filter((reason) => reason?.message.includes('no longer connected'))).toHaveLength(4)
    expect(google.calls).toHaveLength(1)
    expect(await api.get('/external-account', { as: mario })).toMatchObject({
      body: { data: { connected: false, email: null } },
    })
    expect(await queued()).toEqual([])
  })
})

describe('connecting', () => {
  const callback = (query: Record<string, string>) =>
    fetch(`${api.url}/oauth/google/callback?${new URLSearchParams(query).toString()}`, {
      headers: { 'accept-language': 'en' },
    })
  const asked = async (as: Person) => {
    const { body } = await api.post<{ authorize_url: string }>('/external-account/connect', { as })
    return new URL(body.data.authorize_url)
  }

  test('asks for consent offline, with a state and PKCE of its own, which are not to be read anywhere', async () => {
    const [first, second] = [await asked(mario), await asked(mario)]
    expect(first.origin + first.pathname).toBe(google.environment['GOOGLE_AUTH_URL'])
    const { state, code_challenge: challenge, ...rest } = Object.fromEntries(first.searchParams)
    expect(rest).toEqual({
      client_id: google.clientId,
      redirect_uri: 'http://127.0.0.1:8080/oauth/google/callback',
      response_type: 'code',
      scope: ['openid', 'email', ...all].join(' '),
      access_type: 'offline',
      prompt: 'consent',
      code_challenge_method: 'S256',
    })
    expect(state).toMatch(/^[\w-]{43}$/)
    expect(challenge).toMatch(/^[\w-]{43}$/)
    for (const name of ['state', 'code_challenge'])
      expect(second.searchParams.get(name)).not.toBe(first.searchParams.get(name))
    expect(await dumpDatabase()).not.toContain(state)
  })

  test('is 409 without a client', async () => {
    config.GOOGLE_CLIENT_SECRET = undefined
    const answer = await api.post('/external-account/connect', { as: mario })
    expect(answer.status).toBe(409)
    expect(answer.headers.get('x-error-code')).toBe('external_not_configured')
  })

  test('ends when consent is refused; the state is used up', async () => {
    const state = (await asked(mario)).searchParams.get('state') ?? ''
    const refused = await callback({ state, error: 'access_denied' })
    expect(refused.status).toBe(400)
    expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(refused.headers.get('cache-control')).toBe('no-store')
    expect(refused.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await refused.text()).toContain('Consent was not given')
    const again = await callback({ state, code: 'x' })
    expect(again.status).toBe(400)
    expect(await again.text()).toContain('no longer valid')
  })

  test.each<[string, Record<string, string>]>([
    ['no state', { code: 'x' }],
    ['an empty state', { state: '', code: 'x' }],
    ['a state of nobody', { state: 'x'.repeat(43), code: 'x' }],
    ['a state that is too long', { state: 'x'.repeat(10_000), code: 'x' }],
    ['a refusal of nobody', { state: 'x', error: '<script>' }],
  ])('%s is no good', async (_, query) => {
    const answer = await callback(query)
    expect(answer.status).toBe(400)
    expect(await answer.text()).not.toContain('<script>')
    expect(await queued()).toEqual([])
  })

  test('a state that is ten minutes old is no good, and is swept', async () => {
    const state = (await asked(mario)).searchParams.get('state') ?? ''
    const age = z.object({ seconds: z.number() })
    const seconds = await db().oneFirst(sql.type(age)`
      select extract(epoch from expires_at - now())::float8 as seconds from external_consents`)
    expect(seconds).toBeGreaterThan(590)
    expect(seconds).toBeLessThanOrEqual(600)
    await db().query(sql.typeAlias('void')`update external_consents set expires_at = now()`)
    expect((await callback({ state, code: 'x' })).status).toBe(400)
    expect(await queued()).toEqual([])
    expect(await sweepExternal()).toBe(1)
  })
})

describe('disconnecting', () => {
  test('is no fault when nothing is connected', async () => {
    for (let at = 0; at < 2; at++) {
      const { status, body } = await api.delete('/external-account', { as: mario })
      expect({ status, data: body.data }).toEqual({ status: 200, data: { connected: false } })
    }
    expect(await queued()).toEqual([])
  })

  test('is quick, and revokes when Google can be reached', async () => {
    const token = await connect(mario, 'mario@gmail.test')
    await connect(giulia, 'giulia@gmail.test')
    await api.delete('/external-account', { as: mario })
    expect(await connectionOf(mario.id)).toBeNull()
    expect(await connectionOf(giulia.id)).toMatchObject({ email: 'giulia@gmail.test' })
    expect(google.calls).toEqual([])
    const [job] = await queued()
    expect(job).toMatchObject({ task: 'external.revoke', max_attempts: 25 })
    const payload = { revocation: Number(job?.payload['revocation']) }

    google.fault = () => ({ reset: true })
    await expect(revokeGrant(payload, tools)).rejects.toThrow(UpstreamFault)
    google.fault = () => undefined
    google.calls.length = 0
    await revokeGrant(payload, tools)
    expect(google.calls).toEqual([{ path: '/revoke', params: { token } }])
    // Done is done.
    await revokeGrant(payload, tools)
    expect(google.calls).toHaveLength(1)
  })

  const revocationOf = ({ id }: Person) => db().transaction((on) => removeConnection(id, on))

  test('leaves a Google account alone that is connected again, or by another too', async () => {
    await connect(mario, 'shared@gmail.test')
    await connect(giulia, 'Shared@gmail.test')
    await revokeGrant({ revocation: (await revocationOf(mario)) ?? 0 }, tools)
    await connect(giulia, 'shared@gmail.test')
    const [job] = await queued()
    await revokeGrant({ revocation: Number(job?.payload['revocation']) }, tools)
    expect(google.calls).toEqual([])
    await revokeGrant({ revocation: (await revocationOf(giulia)) ?? 0 }, tools)
    expect(google.calls).toHaveLength(1)
  })

  test('another account in its place is another connection', async () => {
    const token = await connect(mario, 'old@gmail.test')
    const before = await connectionOf(mario.id)
    await Promise.all([connect(mario, 'new@gmail.test'), connect(mario, 'new@gmail.test')])
    const after = await connectionOf(mario.id)
    expect(after?.email).toBe('new@gmail.test')
    expect(after?.id).not.toBe(before?.id)
    for (const { payload } of await queued())
      await revokeGrant({ revocation: Number(payload['revocation']) }, tools)
    expect(google.calls).toEqual([{ path: '/revoke', params: { token } }])
  })
})

test('no token is to be read in the database', async () => {
  await connect(mario, 'mario@gmail.test')
  await connect(giulia, 'giulia@gmail.test')
  await accessToken(mario.id, tools)
  await api.delete('/external-account', { as: giulia })
  const dump = await dumpDatabase()
  expect(dump).toContain('mario@gmail.test')
  expect(google.secrets.length).toBeGreaterThan(2)
  expect(google.secrets.filter((secret) => dump.includes(secret))).toEqual([])
})
