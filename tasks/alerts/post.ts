import type { Agent } from 'undici'

import { type Answer, FetchFault, fetchOnce } from '../http.ts'
import { type Post, Undelivered } from './channels/channel.ts'

const TIMEOUT_MS = 15_000
/** More of an answer is not read. */
const ANSWER_BYTES = 64 * 1024
const SHORTEST_PAUSE_SECONDS = 1
const LONGEST_PAUSE_SECONDS = 3600
/** 4xx that a later attempt may not meet again. */
const PASSING = new Set([408, 425, 429])

/** Sends JSON to addresses that users gave: public ones alone, no redirect followed, the answer bounded. */
export function poster({
  timeoutMs = TIMEOUT_MS,
  ...options
}: {
  signal: AbortSignal
  timeoutMs?: number
  through?: Agent
}): Post {
  return async (url, body, headers = {}) => {
    const answer = await fetchOnce(new URL(url), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: '*/*' },
      body,
      maxBytes: ANSWER_BYTES,
      timeoutMs,
      ...options,
    }).catch((error: unknown) => {
      if (!(error instanceof FetchFault)) throw error
      const kind = error.kind === 'forbidden' ? 'forbidden' : 'unreachable'
      throw new Undelivered(kind, error.message, { cause: error })
    })
    const { status } = answer
    if (status >= 200 && status < 300) return
    const kind = status === 410 ? 'gone' : status >= 500 || PASSING.has(status) ? 'busy' : 'refused'
    throw new Undelivered(kind, `answered ${status}`, { pauseSeconds: pauseOf(answer) })
  }
}

/** `Retry-After` (RFC 9110, 10.2.3), or what Discord and Telegram say in the body. */
function pauseOf({ headers, body }: Answer): number | null {
  const given = headers['retry-after'] ?? String(pauseInBody(body))
  const seconds = /^\d+(\.\d+)?$/.test(given) ? Number(given) : (Date.parse(given) - Date.now()) / 1000
  if (Number.isNaN(seconds)) return null
  return Math.min(Math.max(seconds, SHORTEST_PAUSE_SECONDS), LONGEST_PAUSE_SECONDS)
}

function pauseInBody(body: Buffer): unknown {
  try {
    const said = JSON.parse(body.toString()) as {
      retry_after?: unknown
      parameters?: { retry_after?: unknown }
    }
    return said.retry_after ?? said.parameters?.retry_after
  } catch {
    return undefined
  }
}
