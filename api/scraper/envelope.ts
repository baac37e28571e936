import { z } from 'zod'

import { type ProblemKey, problems } from '../../problem.ts'
import type { Envelope } from '../mount.ts'
import { titleOf } from '../titles.ts'

const VERSION = 'v1'

const codes = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'PAYLOAD_TOO_LARGE',
  416: 'BAD_REQUEST',
  429: 'RATE_LIMITED',
  500: 'INTERNAL_ERROR',
} as const

const common = {
  message: z.string().meta({ description: "Text for people; of a failure, in the account's language." }),
  timestamp: z.int().meta({ description: 'Unix seconds.' }),
  api_version: z.literal(VERSION),
}

const Failure = z
  .object({
    success: z.literal(false),
    ...common,
    error: z.object({
      error: z.enum([...new Set(Object.values(codes))]),
      details: z.string().meta({ description: 'What exactly was refused, and why.' }),
    }),
  })
  .meta({ id: 'ScraperFailure' })

/** The scraping service's answers. */
export const envelope: Envelope = {
  success: (data) => ({ success: true, message: 'OK', data, ...stamp() }),
  successSchema: (data) => z.object({ success: z.literal(true), ...common, data }),
  status,
  failure(problem, locale) {
    const message = titleOf(problem, locale)
    const details = String(problem.params['why'] ?? message)
    return { success: false, message, error: { error: codes[status(problem.key)], details }, ...stamp() }
  },
  failureSchema: Failure,
}

/** This service knows no 422, nor anything between us and who calls. */
function status(key: ProblemKey): keyof typeof codes {
  const known = problems[key]
  if (known === 409 || known === 422) return 400
  return known === 502 ? 500 : known
}

function stamp() {
  return { timestamp: Math.floor(Date.now() / 1000), api_version: VERSION }
}
