import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

const SCOPES = ['openid', 'email', 'webmasters.readonly', 'analytics.readonly'].map((name) =>
  name.includes('.') ? `https://www.googleapis.com/auth/${name}` : name,
)
const CODE_MS = 600_000

/** Who sits at the browser, and what becomes of the question. */
export type Visitor = { email: string; denies?: boolean; unticks?: readonly string[] }
/** What happens to one call instead of its answer. */
export type Fault = { status?: number; body?: string; hang?: true; reset?: true }

type Call = { path: string; params: Record<string, string> }
type Grant = { email: string; scopes: readonly string[] }
type Code = Grant & { redirect: string; challenge: string; expires: number; used: boolean; offline: boolean }
type Access = Grant & { expires: number }

export type GoogleOauth = {
  /** Origin of its three endpoints. */
  url: string
  clientId: string
  clientSecret: string
  /** What the service has to be started with, to meet this Google. */
  environment: Record<string, string>
  /** Every call to the token and revocation endpoints. */
  calls: Call[]
  /** Calls that ask for new access tokens. */
  refreshes: () => Call[]
  visitor: Visitor
  /** Where browsers may be sent back to; empty: anywhere. */
  redirects: string[]
  /** Life of the access tokens to come, seconds. */
  expiresIn: number
  /** Whether a refresh gives a new refresh token, and the old one is no good any more. */
  rotates: boolean
  /** What answers leave out. */
  omits: readonly string[]
  latency: number
  /** Decides about calls to come; undefined answers as usual. */
  fault: (call: Call) => Fault | undefined
  /** Whose an access token is; undefined when it has expired or was revoked. */
  holderOf: (accessToken: string) => Grant | undefined
  /** A refresh token as if its owner had consented. */
  consent: (email: string, scopes?: readonly string[]) => string
  /** The owner takes the consent back in the settings of the account. */
  withdraw: (email: string) => void
  expireAccess: () => void
  /** All codes and tokens ever given. */
  secrets: string[]
  close: () => Promise<void>
}

/**
 * Google's OAuth 2 endpoints, strict as they are documented (https://developers.google.com/identity/protocols/oauth2/web-server):
 * the client, the redirect, PKCE and single use are checked; scopes are granted one by one; revoking a token ends all
 * that the application holds of its account. The visitor decides at once.
 */
export async function startGoogleOauth(): Promise<GoogleOauth> {
  const codes = new Map<string, Code>()
  const refreshTokens = new Map<string, Grant>()
  const accessTokens = new Map<string, Access>()
  const secrets: string[] = []

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const google: GoogleOauth = {
    url,
    clientId: 'client.apps.googleusercontent.test',
    clientSecret: 'GOCSPX-secret-of-the-client',
    environment: {
      GOOGLE_CLIENT_ID: 'client.apps.googleusercontent.test',
      GOOGLE_CLIENT_SECRET: 'GOCSPX-secret-of-the-client',
      GOOGLE_AUTH_URL: `${url}/o/oauth2/v2/auth`,
      GOOGLE_TOKEN_URL: `${url}/token`,
      GOOGLE_REVOKE_URL: `${url}/revoke`,
    },
    calls: [],
    refreshes: () => google.calls.filter(({ params }) => params['grant_type'] === 'refresh_token'),
    visitor: { email: 'mario@gmail.test' },
    redirects: [],
    expiresIn: 3599,
    rotates: false,
    omits: [],
    latency: 0,
    fault: () => undefined,
    holderOf(token) {
      const access = accessTokens.get(token)
      return access && access.expires > Date.now() ? access : undefined
    },
    consent: (email, scopes = SCOPES) => keep(refreshTokens, '1//', { email, scopes }),
    withdraw(email) {
      for (const tokens of [refreshTokens, accessTokens])
        for (const [token, grant] of tokens) if (grant.email === email) tokens.delete(token)
    },
    expireAccess: () => accessTokens.clear(),
    secrets,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
  return google

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url ?? '/', url)
    const where = `${request.method} ${pathname}`
    if (where === 'GET /o/oauth2/v2/auth') return authorize(searchParams, response)
    const isForm = /^application\/x-www-form-urlencoded(;|$)/.test(request.headers['content-type'] ?? '')
    const sent = await text(request)
    const params = Object.fromEntries([...searchParams, ...new URLSearchParams(isForm ? sent : '')])
    const call = { path: pathname, params }
    google.calls.push(call)
    await sleep(google.latency)
    const fault = google.fault(call)
    if (fault?.hang) return
    if (fault?.reset) return void request.socket.destroy()
    if (fault) return send(response, fault.status ?? 200, fault.body ?? { error: 'injected' })
    if (where === 'POST /token' && searchParams.size === 0) return token(params, response)
    if (where === 'POST /revoke') return revoke(params, response)
    send(response, 404, { error: 'not_found' })
  }

  function authorize(asked: URLSearchParams, response: ServerResponse) {
    const scopes = (asked.get('scope') ?? '').split(' ')
    const redirect = asked.get('redirect_uri') ?? ''
    const fault =
      (asked.get('client_id') !== google.clientId && 'invalid_client') ||
      (!URL.canParse(redirect) && 'invalid_request: redirect_uri') ||
      (google.redirects.length > 0 && !google.redirects.includes(redirect) && 'redirect_uri_mismatch') ||
      (asked.get('response_type') !== 'code' && 'unsupported_response_type') ||
      (!scopes.every((scope) => SCOPES.includes(scope)) && 'invalid_scope') ||
      (!/^[\w-]{43}$/.test(asked.get('code_challenge') ?? '') && 'invalid_request: code_challenge') ||
      (asked.get('code_challenge_method') !== 'S256' && 'invalid_request: code_challenge_method')
    if (fault) return send(response, 400, `<html>Error 400: ${fault}</html>`, 'text/html')
    const { email, denies, unticks = [] } = google.visitor
    const back = new URL(redirect)
    const state = asked.get('state')
    if (state !== null) back.searchParams.set('state', state)
    if (denies) back.searchParams.set('error', 'access_denied')
    else {
      const granted = scopes.filter((scope) => !unticks.includes(scope))
      const code = keep(codes, '4/0A', {
        email,
        scopes: granted,
        redirect,
        challenge: asked.get('code_challenge') ?? '',
        expires: Date.now() + CODE_MS,
        used: false,
        offline: asked.get('access_type') === 'offline' && asked.get('prompt') === 'consent',
      })
      back.searchParams.set('code', code)
      back.searchParams.set('scope', granted.join(' '))
    }
    response.writeHead(302, { location: back.href }).end()
  }

  function token(params: Record<string, string>, response: ServerResponse) {
    if (params['client_id'] !== google.clientId || params['client_secret'] !== google.clientSecret)
      return refuse(response, 401, 'invalid_client', 'The provided client secret is invalid.')
    if (params['grant_type'] === 'authorization_code') return exchange(params, response)
    if (params['grant_type'] === 'refresh_token') return refresh(params, response)
    refuse(response, 400, 'unsupported_grant_type', `Invalid grant_type: ${params['grant_type']}`)
  }

  function exchange(params: Record<string, string>, response: ServerResponse) {
    const { code: given = '', code_verifier: verifier = '', redirect_uri: redirect } = params
    const code = codes.get(given)
    if (!code || code.expires < Date.now())
      return refuse(response, 400, 'invalid_grant', 'Malformed auth code.')
    if (code.used) {
      google.withdraw(code.email)
      return refuse(response, 400, 'invalid_grant', 'Bad Request')
    }
    if (code.redirect !== redirect) return refuse(response, 400, 'redirect_uri_mismatch', 'Bad Request')
    if (createHash('sha256').update(verifier).digest('base64url') !== code.challenge)
      return refuse(response, 400, 'invalid_grant', 'Invalid code verifier.')
    code.used = true
    const { email, scopes } = code
    give(response, { email, scopes }, code.offline ? google.consent(email, scopes) : undefined, true)
  }

  function refresh({ refresh_token: given = '' }: Record<string, string>, response: ServerResponse) {
    const grant = refreshTokens.get(given)
    if (!grant) return refuse(response, 400, 'invalid_grant', 'Token has been expired or revoked.')
    if (!google.rotates) return give(response, grant, undefined, false)
    refreshTokens.delete(given)
    give(response, grant, google.consent(grant.email, grant.scopes), false)
  }

  function give(response: ServerResponse, grant: Grant, refreshToken: string | undefined, isFirst: boolean) {
    const { email, scopes } = grant
    const expires = Date.now() + google.expiresIn * 1000
    const whole = {
      access_token: keep(accessTokens, 'ya29.', { ...grant, expires }),
      expires_in: google.expiresIn,
      ...(refreshToken && { refresh_token: refreshToken }),
      scope: scopes.join(' '),
      token_type: 'Bearer',
      ...(isFirst &&
        scopes.includes('openid') && { id_token: idToken(scopes.includes('email') ? email : '') }),
    }
    const entries = Object.entries(whole).filter(([name]) => !google.omits.includes(name))
    send(response, 200, Object.fromEntries(entries))
  }

  function revoke({ token: given = '' }: Record<string, string>, response: ServerResponse) {
    const grant = refreshTokens.get(given) ?? accessTokens.get(given)
    if (!grant) return refuse(response, 400, 'invalid_token', 'Token expired or revoked')
    google.withdraw(grant.email)
    send(response, 200, {})
  }

  function idToken(email: string) {
    const seconds = Math.floor(Date.now() / 1000)
    const claims = {
      iss: 'https://accounts.google.com',
      aud: google.clientId,
      sub: '108',
      ...(email && { email, email_verified: true }),
      iat: seconds,
      exp: seconds + 3600,
    }
    const parts = [{ alg: 'RS256', kid: '1', typ: 'JWT' }, claims]
    const encoded = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    return [...encoded, randomBytes(32).toString('base64url')].join('.')
  }

  function keep<T>(among: Map<string, T>, prefix: string, value: T): string {
    const secret = prefix + randomBytes(40).toString('base64url')
    among.set(secret, value)
    secrets.push(secret)
    return secret
  }
}

function refuse(response: ServerResponse, status: number, error: string, description: string) {
  send(response, status, { error, error_description: description })
}

function send(response: ServerResponse, status: number, body: string | object, type = 'application/json') {
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
