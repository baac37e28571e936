import type { Response } from 'express'
import { Counter } from 'prom-client'

import { config } from '../config.ts'
import { Problem } from '../problem.ts'
import type { Admission } from '../sql/users.ts'
import { registry } from '../telemetry.ts'

const LIMIT = config.RATE_LIMIT_PER_MINUTE
/** A key that is over is refused from memory this long: a flood costs a query a second, and a revoked key shows soon. */
const REFUSE_MS = 1000
const REMEMBERED_KEYS = 10_000

const limited = new Counter({
  name: 'seo_rate_limited_total',
  help: 'Requests refused by a limit.',
  labelNames: ['limit'],
  registers: [registry],
})

export function showLimit(response: Response) {
  response.set('X-RateLimit-Limit', String(LIMIT))
}

/** Tells the caller its place in the window; past the limit it throws. */
export function enforceLimit(response: Response, { hits, reset }: Pick<Admission, 'hits' | 'reset'>) {
  if (hits === null || reset === null) return
  if (hits <= LIMIT) return void response.set('X-RateLimit-Remaining', String(LIMIT - hits))
  const seconds = String(Math.min(Math.max(reset, 1), 60))
  response.set({ 'X-RateLimit-Reset': seconds, 'Retry-After': seconds })
  limited.inc({ limit: 'minute' })
  throw new Problem('rate_limited', { limit: LIMIT })
}

/** The keys that were over their limit a moment ago. */
export function overLimit() {
  const refused = new Map<string, { admission: Admission; until: number; resetAt: number }>()
  return {
    remember(key: string, admission: Admission) {
      if (admission.hits === null || admission.hits <= LIMIT) return
      if (refused.size >= REMEMBERED_KEYS) refused.clear()
      const resetAt = Date.now() + (admission.reset ?? 0) * 1000
      refused.set(key, { admission, until: Math.min(Date.now() + REFUSE_MS, resetAt), resetAt })
    },
    recall(key: string): Admission | undefined {
      const known = refused.get(key)
      if (!known) return undefined
      if (known.until > Date.now())
        return { ...known.admission, reset: Math.ceil((known.resetAt - Date.now()) / 1000) }
      refused.delete(key)
      return undefined
    },
  }
}
