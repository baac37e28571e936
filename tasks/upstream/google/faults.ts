import { z } from 'zod'

import { UpstreamFault } from '../fault.ts'

const MESSAGE_LENGTH = 300
/** The second run begins about this long after the first, the third twice as long after the second. */
const BACKOFF_MS = 600
/** Whoever is asked to wait longer is told so. */
const PATIENCE_MS = 5000

const Refusal = z.object({
  error: z.object({
    message: z.string().catch(''),
    errors: z.array(z.object({ reason: z.string().catch('') })).catch([]),
    details: z.array(z.object({ reason: z.string().catch('') })).catch([]),
  }),
})

/** Of many in a short time; a moment later there may be room. */
const BURSTS = ['rateLimitExceeded', 'userRateLimitExceeded']
const QUOTAS = [...BURSTS, 'quotaExceeded', 'dailyLimitExceeded']
/** Words of quotas that do not recover within minutes. */
const LONG_QUOTA = /\b(tokens?|load|day|daily|hour|hourly)\b/i

export type Answer = { status: number; text: string; retryAfter: string | undefined }

/** The fault that an answer other than 200 is, after so many runs of the call. */
export function faultOf({ status, text, retryAfter }: Answer, run: number): UpstreamFault {
  const refusal = Refusal.safeParse(readJson(text)).data?.error
  const message = (refusal?.message || `HTTP ${status}`).slice(0, MESSAGE_LENGTH).toWellFormed()
  const reasons = [...(refusal?.errors ?? []), ...(refusal?.details ?? [])].map(({ reason }) => reason)
  const isQuota = status === 429 || (status === 403 && reasons.some((reason) => QUOTAS.includes(reason)))
  if (isQuota) {
    const passes =
      !LONG_QUOTA.test(message) && (status === 429 || reasons.some((reason) => BURSTS.includes(reason)))
    return new UpstreamFault('rate', message, passes ? pause(run, retryAfter) : undefined)
  }
  if (reasons.includes('ACCESS_TOKEN_SCOPE_INSUFFICIENT') || reasons.includes('insufficientPermissions'))
    return new UpstreamFault('auth', `${message} Connect the account again and consent to this.`)
  if (status === 401 || status === 403) return new UpstreamFault('auth', message)
  if (status >= 500) return new UpstreamFault('temporary', message, pause(run, retryAfter))
  return new UpstreamFault('input', message)
}

/** How long to wait after so many runs, milliseconds; undefined: too long. */
export function pause(run: number, retryAfter?: string): number | undefined {
  const asked = Number(retryAfter) * 1000
  if (asked > 0) return asked <= PATIENCE_MS ? asked : undefined
  return BACKOFF_MS * 2 ** (run - 1) * (0.75 + Math.random() / 2)
}

/** JSON whose texts PostgreSQL can hold; undefined when it is none. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value: unknown) =>
      typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value,
    )
  } catch {
    return undefined
  }
}
