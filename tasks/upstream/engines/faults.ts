import { z } from 'zod'

import type { EngineName } from '../answer-engine.ts'
import { engineSettings } from '../configured.ts'
import { UpstreamFault, type UpstreamFaultKind } from '../fault.ts'

/** However long an engine would have it, it is tried again after this. */
const PATIENCE_MS = 30_000
const MAX_MESSAGE = 300

const text = z.string().nullish().catch(null)
const Refusal = z.object({
  error: z.union([
    z.string().transform((message) => ({ message, type: null, code: null, status: null, details: null })),
    z.object({
      message: text,
      type: text,
      code: z.union([z.string(), z.number()]).nullish().catch(null),
      status: text,
      details: z
        .array(z.object({ reason: text, retryDelay: text }))
        .nullish()
        .catch(null),
    }),
  ]),
})

/** The first that fits decides; an account without money answers 429, 402, 401 or 400, by its vendor. */
const signs: [UpstreamFaultKind, RegExp][] = [
  ['funds', /^402|insufficient_(quota|funds|credits?|balance)|billing_|credit balance is too low/i],
  ['auth', /^40[13]|API_KEY_INVALID|invalid_api_key|authentication_error|permission_error/i],
  ['rate', /^429|rate_limit|RESOURCE_EXHAUSTED/i],
  ['temporary', /^(408|5\d\d)|^200 .*(server|internal|overloaded|timeout|unavailable)/i],
]

/** What an answer that is no success means: status, and the vendor's envelope (`{error}`) if it has one. */
export function faultOf(
  engine: EngineName,
  answer: {
    status: number
    headers: Record<string, string | string[] | undefined>
    body: unknown
    retryMs: number
  },
): UpstreamFault {
  const read = Refusal.safeParse(answer.body)
  const told = read.success ? read.data.error : undefined
  const reasons = (told?.details ?? []).map(({ reason }) => reason)
  const sign = [answer.status, told?.type, told?.code, told?.status, ...reasons, told?.message].join(' ')
  const kind = signs.find(([, pattern]) => pattern.test(sign))?.[0] ?? 'input'
  // What is said about a key shows part of it.
  const why = kind === 'auth' ? 'it refuses the key' : withoutKeys(told?.message ?? 'no reason given')
  const message = `${engine} answers ${answer.status}: ${why.slice(0, MAX_MESSAGE)}`
  if (kind !== 'rate' && kind !== 'temporary') return new UpstreamFault(kind, message)
  const delay = told?.details?.find(({ retryDelay }) => retryDelay)?.retryDelay
  const wait = waitOf(answer.headers) ?? (delay ? Number.parseFloat(delay) * 1000 : Number.NaN)
  return new UpstreamFault(kind, message, Math.min(PATIENCE_MS, wait >= 0 ? wait : answer.retryMs))
}

/** `Retry-After` (RFC 9110, 10.2.3) and OpenAI's finer `retry-after-ms`, milliseconds. */
function waitOf(headers: Record<string, string | string[] | undefined>): number | undefined {
  const fine = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (fine >= 0) return fine
  const given = headers['retry-after']
  if (typeof given !== 'string') return undefined
  const wait = /^\d+(\.\d+)?$/.test(given) ? Number(given) * 1000 : Date.parse(given) - Date.now()
  return wait >= 0 ? wait : undefined
}

function withoutKeys(message: string): string {
  const keys = (['openai', 'anthropic', 'gemini', 'perplexity'] as const).map(
    (name) => engineSettings(name).apiKey,
  )
  return keys.reduce<string>((shown, key) => (key ? shown.replaceAll(key, '***') : shown), message)
}
