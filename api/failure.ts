import type { ErrorRequestHandler } from 'express'

import { Problem } from '../problem.ts'
import { log } from '../telemetry.ts'
import { localsOf } from './exchange.ts'
import type { Envelope } from './mount.ts'
import { sendJson } from './send.ts'

/** Answers what was thrown: a Problem as what it is, anything else as 500, logged once. */
export const failure =
  (envelope: Envelope, challenge = 'Bearer'): ErrorRequestHandler =>
  (error: unknown, request, response, _next) => {
    const { requestId, locale } = localsOf(response)
    const problem = problemOf(error)
    if (problem.key === 'internal') log.error({ err: error, request: requestId }, 'request failed')
    if (response.headersSent) return void response.destroy()
    response.removeHeader('ETag')
    const status = envelope.status(problem.key)
    if (status === 401) response.set('WWW-Authenticate', challenge)
    // A hidden service says nothing of being hidden.
    response.set('X-Error-Code', problem.key === 'api_disabled' ? 'not_found' : problem.key)
    sendJson(envelope.failure(problem, locale), request, response.status(status))
  }

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  // Express itself: a path that cannot be decoded names nothing.
  if (error instanceof URIError) return new Problem('not_found')
  if (isDataException(error)) return new Problem('invalid', {}, { cause: error })
  return new Problem('internal', {}, { cause: error })
}

/** PostgreSQL's class 22 (numbers out of range, text it cannot hold): the input was at fault, not we. */
function isDataException(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause)
    if ('code' in each && typeof each.code === 'string' && /^22[0-9A-Z]{3}$/.test(each.code)) return true
  return false
}
