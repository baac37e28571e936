import { createHash } from 'node:crypto'

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

import { config, GOOGLE_CALLBACK, publicUrl } from '../../config.ts'
import { UpstreamFault } from '../../tasks/upstream/fault.ts'
import { exchangeCode, InvalidGrant, refresh, revoke } from '../../tasks/upstream/google/oauth.ts'
import { type Fault, type GoogleOauth, startGoogleOauth } from '../fakes/google/oauth.ts'

const verifier = 'v'.repeat(64)
const { signal } = new AbortController()
let google: GoogleOauth

beforeAll(async () => {
  google = await startGoogleOauth()
  Object.assign(config, google.environment)
})
afterAll(() => google.close())
beforeEach(() => {
  Object.assign(google, { rotates: false, omits: [], fault: () => undefined })
  google.calls.length = 0
})

/** A code as a browser brings it back. */
async function codeFor(changes: Record<string, string> = {}): Promise<string> {
  const asked = {
    client_id: google.clientId,
    redirect_uri: publicUrl + GOOGLE_CALLBACK,
    response_type: 'code',
    scope: 'openid email https://www.googleapis.com/auth/analytics.readonly',
    access_type: 'offline',
    prompt: 'consent',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  }
  const address = `${google.environment['GOOGLE_AUTH_URL']}?${new URLSearchParams(asked).toString()}`
  const { headers } = await fetch(address, { redirect: 'manual' })
  return new URL(headers.get('location') ?? '').searchParams.get('code') ?? ''
}

const faultOf = async (asked: Promise<unknown>) => {
  const fault: unknown = await asked.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(fault).toBeInstanceOf(UpstreamFault)
  return fault as UpstreamFault
}

test('a code is worth a grant', async () => {
  const grant = await exchangeCode({ code: await codeFor(), verifier }, signal)
  expect(grant).toMatchObject({
    email: 'mario@gmail.test',
    scopes: ['openid', 'email', 'https://www.googleapis.com/auth/analytics.readonly'],
  })
  expect(grant.access.seconds).toBeGreaterThan(3500)
  expect(grant.access.seconds).toBeLessThanOrEqual(3599)
  expect(google.holderOf(grant.access.token)?.email).toBe('mario@gmail.test')
  const renewed = await refresh(grant.refreshToken, signal)
  expect(renewed.access.token).not.toBe(grant.access.token)
  expect(renewed).not.toHaveProperty('refreshToken')
})

test.each([
  ['an unknown code', async () => ({ code: 'x', verifier })],
  ['another verifier', async () => ({ code: await codeFor(), verifier: 'w'.repeat(64) })],
  [
    'a code that was used',
    async () => {
      const used = { code: await codeFor(), verifier }
      await exchangeCode(used, signal)
      return used
    },
  ],
])('%s is worth nothing', async (_, make) => {
  expect(await faultOf(exchangeCode(await make(), signal))).toBeInstanceOf(InvalidGrant)
})

test('a grant for the moment alone is none', async () => {
  const code = await codeFor({ prompt: 'none' })
  expect(await faultOf(exchangeCode({ code, verifier }, signal))).toMatchObject({ kind: 'input' })
})

test('an answer may say less: the address is unknown then, the scopes are those asked for', async () => {
  google.omits = ['id_token', 'scope', 'expires_in']
  const grant = await exchangeCode({ code: await codeFor(), verifier }, signal)
  expect(grant.email).toBeNull()
  expect(grant.scopes).toHaveLength(2)
  expect(grant.access.seconds).toBe(600)
})

test('a new refresh token is told', async () => {
  google.rotates = true
  const old = google.consent('mario@gmail.test')
  const { refreshToken = '' } = await refresh(old, signal)
  expect(refreshToken).not.toBe(old)
  await refresh(refreshToken, signal)
  expect(await faultOf(refresh(old, signal))).toBeInstanceOf(InvalidGrant)
})

test('revoking ends a grant; what Google does not know is ended', async () => {
  const token = google.consent('mario@gmail.test')
  await revoke(token, signal)
  expect(await faultOf(refresh(token, signal))).toBeInstanceOf(InvalidGrant)
  await revoke(token, signal)
})

/** Once: it passes, and is asked again by the client itself. */
const once = (fault: Fault) => () => (google.calls.length > 1 ? undefined : fault)

test.each<[string, Fault]>([
  ['503', { status: 503 }],
  ['429', { status: 429 }],
  ['a connection that breaks', { reset: true }],
])('%s passes', async (_, fault) => {
  google.fault = once(fault)
  await refresh(google.consent('mario@gmail.test'), signal)
  expect(google.calls).toHaveLength(2)
})

test.each<[string, Fault, Partial<UpstreamFault>, number]>([
  ['503 for ever', { status: 503 }, { kind: 'temporary' }, 4],
  ['429 for ever', { status: 429 }, { kind: 'rate' }, 4],
  ['a client that is refused', { status: 401, body: '{"error":"invalid_client"}' }, { kind: 'auth' }, 1],
  ['400', { status: 400, body: '{"error":"invalid_request"}' }, { kind: 'input' }, 1],
  ['an answer without a token', { body: '{}' }, { kind: 'temporary' }, 1],
  ['an answer that is no JSON', { body: '<html>' }, { kind: 'temporary' }, 1],
  ['an answer that is too long', { body: `"${'x'.repeat(100_000)}"` }, { kind: 'temporary' }, 3],
])('%s', async (_, fault, expected, calls) => {
  google.fault = () => fault
  const token = google.consent('mario@gmail.test')
  const told = await faultOf(refresh(token, signal))
  expect(told).toMatchObject(expected)
  expect(told).not.toBeInstanceOf(InvalidGrant)
  expect(told.message + JSON.stringify(told.cause ?? '')).not.toContain(token)
  expect(google.calls).toHaveLength(calls)
})

test('whoever is told to stop stops', async () => {
  google.fault = () => ({ hang: true })
  const stop = new AbortController()
  const asked = refresh(google.consent('mario@gmail.test'), stop.signal)
  setTimeout(() => stop.abort(new Error('stopping')), 50)
  await expect(asked).rejects.toThrow('stopping')
})
