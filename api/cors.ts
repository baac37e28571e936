import type { RequestHandler } from 'express'

import type { Credential } from './access.ts'

const METHODS = 'GET, POST, PATCH, DELETE, OPTIONS'
const PREFLIGHT_SECONDS = '86400'
/** Without this list a browser hides them from the page. */
const EXPOSED = [
  'Accept-Ranges',
  'Allow',
  'Content-Disposition',
  'Content-Language',
  'Content-Range',
  'ETag',
  'Link',
  'Location',
  'Retry-After',
  'X-Error-Code',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
].join(', ')

/** Any origin may call: no cookies are used. Answers are the caller's own, and checked before they are used again. */
export const openToOrigins =
  ({ header }: Credential): RequestHandler =>
  (_request, response, next) => {
    response.set({
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': EXPOSED,
      'Cache-Control': 'private, no-cache',
      Vary: `${header}, Accept-Language`,
    })
    next()
  }

export const preflight =
  ({ header }: Credential): RequestHandler =>
  (request, response, next) => {
    if (request.method !== 'OPTIONS') return next()
    response.set({
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': `${header}, Content-Type`,
      'Access-Control-Max-Age': PREFLIGHT_SECONDS,
      Allow: METHODS,
    })
    response.status(204).end()
  }
