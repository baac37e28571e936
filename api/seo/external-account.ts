import { createHash, randomBytes } from 'node:crypto'

import { z } from 'zod'

import { config, GOOGLE_CALLBACK, publicUrl } from '../../config.ts'
import { Problem } from '../../problem.ts'
import { connectionOf, removeConnection, scopes } from '../../sql/external-accounts.ts'
import { openConsent } from '../../sql/external-consents.ts'
import { db } from '../../sql/pool.ts'
import { enqueue, isGoogleConfigured } from '../../tasks/jobs.ts'
import { endpoint, item } from '../endpoint.ts'

const Account = z.object({
  connected: z.boolean(),
  email: z.string().nullable().describe('Address of the connected account.'),
})
const Disconnected = z.object({ connected: z.boolean() })
const Consent = z.object({
  authorize_url: z
    .url()
    .describe('Where your browser asks its owner for consent; good once, and for ten minutes.'),
})

export const externalAccountEndpoints = [
  endpoint({
    method: 'get',
    path: '/external-account',
    summary: 'Read the external account',
    reply: item(Account, { connected: true, email: 'mario@example.com' }),
    async handle({ user }) {
      const connection = await connectionOf(user.id)
      return { connected: connection !== null, email: connection?.email ?? null }
    },
  }),
  endpoint({
    method: 'delete',
    path: '/external-account',
    summary: 'Disconnect the external account',
    description: 'Drops what is kept of it too, and revokes the consent. Not being connected is no fault.',
    reply: item(Disconnected, { connected: false }),
    async handle({ user }) {
      await db().transaction(async (on) => {
        const revocation = await removeConnection(user.id, on)
        if (revocation !== null) await enqueue('external.revoke', { revocation }, { on })
      })
      return { connected: false }
    },
  }),
  endpoint({
    method: 'post',
    path: '/external-account/connect',
    summary: 'Connect an external account',
    description: 'In place of the one that is connected, once its owner has consented.',
    reply: item(Consent, {
      authorize_url: 'https://accounts.google.com/o/oauth2/v2/auth?response_type=code',
    }),
    problems: ['external_not_configured'],
    async handle({ user }) {
      if (!isGoogleConfigured()) throw new Problem('external_not_configured')
      const state = randomBytes(32).toString('base64url')
      const verifier = randomBytes(48).toString('base64url')
      await openConsent(user.id, state, verifier)
      return { authorize_url: authorizeUrl(state, verifier) }
    },
  }),
]

/** The request for consent (RFC 6749, section 4.1.1; PKCE: RFC 7636), offline, so that there is a refresh token. */
function authorizeUrl(state: string, verifier: string): string {
  const url = new URL(config.GOOGLE_AUTH_URL)
  const asked = {
    client_id: config.GOOGLE_CLIENT_ID ?? '',
    redirect_uri: publicUrl + GOOGLE_CALLBACK,
    response_type: 'code',
    scope: ['openid', 'email', ...Object.values(scopes)].join(' '),
    access_type: 'offline',
    prompt: 'consent',
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
  return url.href
}
