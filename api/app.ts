import express, { type Express, type RequestHandler } from 'express'

import { Problem } from '../problem.ts'
import { authenticate, bearer, whenEnabled } from './access.ts'
import { parseForm } from './body.ts'
import { openToOrigins, preflight } from './cors.ts'
import { docs } from './docs.ts'
import { exchange } from './exchange.ts'
import { failure } from './failure.ts'
import { health, readiness } from './health.ts'
import { mount } from './mount.ts'
import { bases, seo } from './seo/index.ts'
import { unsubscribing } from './unsubscribe.ts'

/** The HTTP side of the product; it needs the open database pool. */
export function app({ draining = () => false }: { draining?: () => boolean } = {}): Express {
  const app = express()
  app.disable('x-powered-by')
  app.set('etag', false)
  app.set('case sensitive routing', true)
  app.set('query parser', parseForm)
  app.use(exchange)
  app.use(health(readiness(draining)))
  app.use(docs(seo))
  app.use(unsubscribing)

  const enabled = whenEnabled()
  const access = authenticate('seo', bearer)
  for (const base of bases) {
    const endpoints = mount(base, seo.endpoints, seo.envelope)
    app.use(base, openToOrigins, enabled, preflight, access, endpoints, unknown, failure(seo.envelope))
  }

  app.use(unknown, failure(seo.envelope))
  return app
}

const unknown: RequestHandler = () => {
  throw new Problem('not_found')
}
