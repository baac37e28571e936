import { randomUUID } from 'node:crypto'

import type { RequestHandler, Response } from 'express'
import { Histogram } from 'prom-client'

import type { User } from '../sql/users.ts'
import { forRequest, log, registry } from '../telemetry.ts'
import type { Locale } from './titles.ts'

/** What is known of a request while it is answered. */
export type Locals = {
  requestId: string
  locale: Locale
  /** The declared path that it matched. */
  route?: string
  user?: User
}

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']

const duration = new Histogram({
  name: 'seo_http_request_duration_seconds',
  help: 'Time from a request to the end of its answer.',
  labelNames: ['route', 'method', 'status_class'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
  registers: [registry],
})

export function localsOf(response: Response): Locals {
  return response.locals as Locals
}

/** Names the request, and writes it to the log and the metrics once it is answered. */
export const exchange: RequestHandler = (request, response, next) => {
  const started = performance.now()
  const given = request.get('x-request-id')
  const locals = localsOf(response)
  locals.requestId = given && /^[\w.:=+/@~-]{1,128}$/.test(given) ? given : randomUUID()
  locals.locale = request.acceptsLanguages('it', 'en') === 'en' ? 'en' : 'it'
  response.set('X-Request-Id', locals.requestId)
  response.set('X-Content-Type-Options', 'nosniff')
  const { method, path } = request
  response.once('close', () => {
    const ms = performance.now() - started
    // 499: the client went away before the answer was whole.
    const status = response.writableFinished ? response.statusCode : 499
    const route = locals.route ?? 'unmatched'
    duration.observe(
      {
        route,
        method: METHODS.includes(method) ? method : 'other',
        status_class: `${Math.floor(status / 100)}xx`,
      },
      ms / 1000,
    )
    const probe = (route === '/livez' || route === '/readyz') && status < 300
    const line = { method, path, status, ms: Math.round(ms * 10) / 10, request: locals.requestId }
    if (probe) log.debug(line, 'request')
    else log.info(line, 'request')
  })
  forRequest(locals.requestId, next)
}
