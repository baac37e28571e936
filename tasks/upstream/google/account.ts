import { setTimeout as sleep } from 'node:timers/promises'

import {
  beginRenewal,
  breakOffRenewal,
  dropConnection,
  endRenewal,
  tokensOf,
} from '../../../sql/external-accounts.ts'
import { log } from '../../../telemetry.ts'
import { UpstreamFault } from '../fault.ts'
import { InvalidGrant, refresh } from './oauth.ts'

/** A token with less of its life left is not used, seconds. */
const USABLE_SECONDS = 10
/** Whoever gets a new token has this long; after that he counts as dead. Longer than `refresh` may take. */
const RENEWAL_SECONDS = 30
const PATIENCE_MS = 45_000
const POLL_MS = 100

type Tokens = NonNullable<Awaited<ReturnType<typeof tokensOf>>>

/**
 * An access token for the Google account of a user. One that is old is renewed by one caller of the whole fleet; the
 * others go on with it, or wait when it has expired. `refused`: a token that Google did not take although it has not.
 * Throws UpstreamFaults, also when nothing is connected; when Google ended the grant, the account is disconnected with that.
 */
export async function accessToken(
  userId: number,
  { signal }: { signal: AbortSignal },
  refused?: string,
): Promise<string> {
  const until = Date.now() + PATIENCE_MS
  let first: Tokens | undefined
  while (Date.now() < until) {
    signal.throwIfAborted()
    const tokens = await tokensOf(userId)
    if (!tokens) throw new UpstreamFault('auth', 'the Google account is no longer connected')
    first ??= tokens
    const usable = usableOf(tokens, first, refused)
    if (usable !== null && (!tokens.is_due || tokens.version !== first.version)) return usable
    if ((tokens.failed_at ?? 0) > first.read_at) break
    if (await beginRenewal(tokens, RENEWAL_SECONDS)) return await renew(userId, tokens, usable, signal)
    if (usable !== null) return usable
    await sleep(POLL_MS, undefined, { signal })
  }
  throw new UpstreamFault('temporary', 'Google gives no access token at present')
}

/** A token that came while one waited is good, however short its life. */
function usableOf(tokens: Tokens, first: Tokens, refused: string | undefined): string | null {
  const isGood = tokens.seconds_left > USABLE_SECONDS || tokens.version !== first.version
  return isGood && tokens.accessToken !== refused ? tokens.accessToken : null
}

async function renew(
  userId: number,
  { id, refreshToken }: Tokens,
  usable: string | null,
  signal: AbortSignal,
): Promise<string> {
  try {
    const given = await refresh(refreshToken, signal)
    await endRenewal(id, userId, given)
    return given.access.token
  } catch (error) {
    if (error instanceof InvalidGrant) {
      await dropConnection(id)
      log.warn({ user: userId }, 'Google ended the grant of an account')
      throw error
    }
    await breakOffRenewal(id, !signal.aborted)
    if (usable === null || !(error instanceof UpstreamFault)) throw error
    log.warn(
      { err: error, user: userId },
      'an access token could not be renewed in time; the old one is still good',
    )
    return usable
  }
}
