import express, { type Express, type RequestHandler } from 'express'

import { Problem } from '../problem.ts'
import { authenticate, whenEnabled } from './access.ts'
import { parseForm } from './body.ts'
import { openToOrigins, preflight } from './cors.ts'
import { docs } from './docs.ts'
import { exchange } from './exchange.ts'
import { failure } from './failure.ts'
import { health, readiness } from './health.ts'
import { mount } from './mount.ts'
import { oauth } from './oauth.ts'
import { scraper } from './scraper/index.ts'
import { seo } from './seo/index.ts'
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
  app.use(docs([seo, scraper]))
  app.use(unsubscribing)
  app.use(oauth)

  const enabled = whenEnabled()
  // The scraper's base is the beginning of one of the suite's, so it comes after.
  for (const { name, bases, credential, envelope, endpoints } of [seo, scraper]) {
    const entrance = [
      openToOrigins(credential),
      enabled,
      preflight(credential),
      authenticate(name, credential),
    ]
    for (const base of bases) {
      const served = mount(base, endpoints, envelope)
      app.use(base, entrance, served, unknown, failure(envelope, credential.challenge))
    }
  }

  app.use(unknown, failure(seo.envelope))
  return app
}

const unknown: RequestHandler = () => {
  throw new Problem('not_found')
}
