import type { Credentials, OAuth2Client } from 'google-auth-library'
import { z } from 'zod'

import { config, GOOGLE_CALLBACK, publicUrl } from '../../../config.ts'
import { Problem } from '../../../problem.ts'
import { type Access, type Grant, scopes as allScopes } from '../../../sql/external-accounts.ts'
import { UpstreamFault } from '../fault.ts'

/** One request, and all of a call: the client asks again up to three times when a fault may pass. */
const REQUEST_MS = 8000
const CALL_MS = 25_000
const MAX_BYTES = 64 * 1024
/** What is assumed of a token that does not tell its life (RFC 6749, section 5.1). */
const LIFE_SECONDS = 600

/** Google does not know the code or the token, or no longer. */
export class InvalidGrant extends UpstreamFault {
  constructor(description: string) {
    super('auth', `Google: invalid_grant ${description}`.trim())
  }
}

/** What a code is worth (RFC 6749, section 4.1.3, with PKCE); throws UpstreamFaults. */
export async function exchangeCode(
  { code, verifier }: { code: string; verifier: string },
  signal: AbortSignal,
): Promise<Grant & { access: Access }> {
  return await calling(signal, async (client) => {
    const { tokens } = await client.getToken({ code, codeVerifier: verifier })
    const given = givenBy(tokens)
    if (!given.refreshToken) throw new UpstreamFault('input', 'Google gave no refresh token')
    const { refreshToken, scopes = Object.values(allScopes) } = given
    return { access: given.access, refreshToken, scopes, email: emailIn(tokens) }
  })
}

/** A new access token, and a new refresh token or other scopes if Google says so; throws UpstreamFaults. */
export async function refresh(refreshToken: string, signal: AbortSignal) {
  return await calling(signal, async (client) => {
    let rotated: string | null | undefined
    // The client puts the old refresh token over a new one, and tells of that here alone.
    client.once('tokens', (tokens: Credentials) => (rotated = tokens.refresh_token))
    client.setCredentials({ refresh_token: refreshToken })
    const { credentials } = await client.refreshAccessToken()
    return givenBy({ ...credentials, refresh_token: rotated })
  })
}

/** Ends a grant; one that Google does not know is as good as ended. Throws UpstreamFaults. */
export async function revoke(token: string, signal: AbortSignal): Promise<void> {
  try {
    await calling(signal, (client) => client.revokeToken(token))
  } catch (error) {
    if (!(error instanceof UpstreamFault) || error.kind !== 'input') throw error
  }
}

async function calling<T>(signal: AbortSignal, work: (client: OAuth2Client) => Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(CALL_MS)
  const client = await clientFor(AbortSignal.any([signal, late]))
  try {
    return await work(client)
  } catch (error) {
    signal.throwIfAborted()
    throw faultOf(error)
  }
}

async function clientFor(signal: AbortSignal): Promise<OAuth2Client> {
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret } = config
  if (!clientId || !clientSecret) throw new Problem('external_not_configured')
  // Loaded by those workers alone that talk to Google: 80 ms and 22 MB.
  const { OAuth2Client } = await import('google-auth-library')
  return new OAuth2Client({
    clientId,
    clientSecret,
    redirectUri: publicUrl + GOOGLE_CALLBACK,
    endpoints: { oauth2TokenUrl: config.GOOGLE_TOKEN_URL, oauth2RevokeUrl: config.GOOGLE_REVOKE_URL },
    transporterOptions: { timeout: REQUEST_MS, signal, size: MAX_BYTES, redirect: 'error' },
  })
}

const Given = z.object({
  access_token: z.string().min(1),
  expiry_date: z.number().nullish(),
  refresh_token: z.string().min(1).nullish(),
  scope: z.string().nullish(),
})

function givenBy(tokens: unknown) {
  const {
    access_token: token,
    expiry_date: expires,
    refresh_token: refreshToken,
    scope,
  } = Given.parse(tokens)
  const seconds = expires ? (expires - Date.now()) / 1000 : LIFE_SECONDS
  return {
    access: { token, seconds },
    ...(refreshToken && { refreshToken }),
    ...(scope && { scopes: scope.split(' ') }),
  }
}

const Claims = z.object({ email: z.string().min(1) })

/** It came from the token endpoint itself, which is all that a signature would prove (OpenID Connect Core, 3.1.3.7). */
function emailIn({ id_token: token }: Credentials): string | null {
  const [, claims = ''] = token?.split('.') ?? []
  try {
    return Claims.parse(JSON.parse(Buffer.from(claims, 'base64url').toString())).email
  } catch {
    return null
  }
}

const Refusal = z.object({
  status: z.int(),
  response: z.object({
    data: z.object({ error: z.string(), error_description: z.string().catch('') }).catch({
      error: '',
      error_description: '',
    }),
  }),
})

/** Without its cause: the client's errors have the request in them, with all its secrets. */
function faultOf(error: unknown): Error {
  if (error instanceof UpstreamFault) return error
  const refusal = Refusal.safeParse(error)
  if (!refusal.success) {
    const { code, name } = error as Error & { code?: string }
    return new UpstreamFault('temporary', `Google does not answer properly (${code ?? name})`)
  }
  const { status, response } = refusal.data
  const { error: word, error_description: description } = response.data
  if (word === 'invalid_grant') return new InvalidGrant(description)
  const message = `Google: ${word || `HTTP ${status}`} ${description}`.trim().slice(0, 300)
  if (status === 429) return new UpstreamFault('rate', message)
  if (status === 401 || word === 'unauthorized_client') return new UpstreamFault('auth', message)
  return new UpstreamFault(status < 500 ? 'input' : 'temporary', message)
}
