import type { Request, RequestHandler } from 'express'
import type { ZodOpenApiSecuritySchemeObject } from 'zod-openapi'

import { Problem, type ProblemKey } from '../problem.ts'
import { hashKey, looksLikeKey } from '../sql/keys.ts'
import { apiEnabled } from '../sql/settings.ts'
import { admission } from './admission.ts'
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

/** How the callers of a service show their key. */
export type Credential = {
  /** The key that a request carries; throws `missing` when it has none. */
  keyOf: (request: Request) => string
  missing: ProblemKey
  /** The header that carries it. */
  header: string
  /** What a 401 asks for. */
  challenge: string
  /** Any one of them will do. */
  schemes: Record<string, ZodOpenApiSecuritySchemeObject>
}

/** Lets in the owner of a key, within the rate limit that `service` counts. */
export function authenticate(service: string, { keyOf }: Credential): RequestHandler {
  const over = overLimit()
  return async (request, response, next) => {
    showLimit(response)
    const key = keyOf(request)
    if (!looksLikeKey(key)) throw new Problem('no_access')
    const hash = hashKey(key)
    const name = hash.toString('base64')
    const recalled = over.recall(name)
    const admitted = recalled ?? (await admission(hash, service))
    if (!admitted) throw new Problem('no_access')
    if (!recalled) over.remember(name, admitted)
    const locals = localsOf(response)
    locals.user = admitted
    locals.locale = admitted.locale
    enforceLimit(response, admitted)
    next()
  }
}

/** `Authorization: Bearer <key>`. */
export const bearer: Credential = {
  keyOf(request) {
    const [, key] = /^bearer +(\S+) *$/i.exec(request.get('authorization') ?? '') ?? []
    if (!key) throw new Problem('missing_bearer')
    return key
  },
  missing: 'missing_bearer',
  header: 'Authorization',
  challenge: 'Bearer',
  schemes: { bearer: { type: 'http', scheme: 'bearer', description: 'Your API key.' } },
}

/** `X-API-Key: <key>`, or else the query parameter `api_key`, spelt just so: other spellings would be traced. */
export const apiKey: Credential = {
  keyOf(request) {
    const [, parameter] = /[?&]api_key=([^&#]+)/.exec(request.originalUrl) ?? []
    const key = request.get('x-api-key')?.trim() || parameter
    if (!key) throw new Problem('missing_key')
    return key
  },
  missing: 'missing_key',
  header: 'X-API-Key',
  challenge: 'ApiKey',
  schemes: {
    apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Your API key.' },
    apiKeyQuery: { type: 'apiKey', in: 'query', name: 'api_key', description: 'Your API key.' },
  },
}
