import type { Request, RequestHandler } from 'express'

import { Problem } from '../problem.ts'
import { hashKey, looksLikeKey } from '../sql/keys.ts'
import { apiEnabled } from '../sql/settings.ts'
import { admit } from '../sql/users.ts'
import { localsOf } from './exchange.ts'
import { enforceLimit, overLimit, showLimit } from './limits.ts'

/** How long an answer of the administrator's switch is believed. */
const SWITCH_MS = 2000

/** Hides a service while the administrator has the API switched off. */
export function whenEnabled(): RequestHandler {
  let enabled: Promise<boolean> | undefined
  let readAt = 0
  return async (_request, _response, next) => {
    if (!enabled || Date.now() - readAt > SWITCH_MS) {
      readAt = Date.now()
      enabled = apiEnabled()
      enabled.catch(() => (readAt = 0))
    }
    if (!(await enabled)) throw new Problem('api_disabled')
    next()
  }
}

/** Lets in the owner of a key, within the rate limit that `service` counts. */
export function authenticate(service: string, keyOf: (request: Request) => string): RequestHandler {
  const over = overLimit()
  return async (request, response, next) => {
    showLimit(response)
    const key = keyOf(request)
    if (!looksLikeKey(key)) throw new Problem('no_access')
    const hash = hashKey(key)
    const name = hash.toString('base64')
    const recalled = over.recall(name)
    const admission = recalled ?? (await admit(hash, service))
    if (!admission) throw new Problem('no_access')
    if (!recalled) over.remember(name, admission)
    const locals = localsOf(response)
    locals.user = admission
    locals.locale = admission.locale
    enforceLimit(response, admission)
    next()
  }
}

/** The key of an `Authorization: Bearer` header. */
export function bearer(request: Request): string {
  const [, key] = /^bearer +(\S+) *$/i.exec(request.get('authorization') ?? '') ?? []
  if (!key) throw new Problem('missing_bearer')
  return key
}
