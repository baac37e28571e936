import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import express, { Router } from 'express'

import { publicPath } from '../config.ts'
import * as checks from '../sql/checks.ts'
import { checksPage } from './checks-page.ts'
import { documentHeaders } from './document.ts'
import { guide } from './guide.ts'
import { describeServices, type OpenApi, type Service } from './openapi.ts'

const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']
const ASSET_AGE_MS = 86_400_000
/** How long the page of checks is believed: nobody needs a key to ask for it. */
const CHECKS_MS = 5000
const swaggerUi = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))

/** Swagger UI writes style attributes; scripts are files of ours alone. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `/openapi.json` and `/docs`, made at the first request; they ask no other server for anything. */
export function docs(services: readonly [Service, ...Service[]]): Router {
  const router = Router()
  let description: OpenApi | undefined
  let page: string | undefined
  let published: Promise<string> | undefined
  let readAt = 0

  router.get('/', (_request, response) => response.redirect(`${publicPath}/docs`))
  router.get('/openapi.json', (_request, response) => {
    description ??= describeServices(services)
    response.set('Access-Control-Allow-Origin', '*').json(description)
  })
  router.get('/docs', (_request, response) => {
    page ??= guide(services)
    response.set('Content-Security-Policy', POLICY).type('html').send(page)
  })
  router.get('/docs/checks', async (_request, response) => {
    if (!published || Date.now() - readAt > CHECKS_MS) {
      readAt = Date.now()
      published = checks.list().then(checksPage)
      published.catch(() => (readAt = 0))
    }
    response
      .set(documentHeaders)
      .type('html')
      .send(await published)
  })
  router.get('/docs/start.js', (_request, response) => {
    response.type('js').send(START.replace('PREFIX', publicPath))
  })
  const assets = express.static(swaggerUi, { index: false, maxAge: ASSET_AGE_MS })
  for (const name of ASSETS)
    router.get(`/docs/${name}`, (request, response, next) => {
      request.url = join('/', name)
      assets(request, response, next)
    })
  return router
}

const START = `window.ui = SwaggerUIBundle({
  url: 'PREFIX/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
})
`
