import { type Request, type Response, Router } from 'express'
import { z } from 'zod'

import { publicPath } from '../config.ts'
import { Problem, type ProblemKey } from '../problem.ts'
import { readBody } from './body.ts'
import type { Archive, Endpoint, Page, Row } from './endpoint.ts'
import { localsOf } from './exchange.ts'
import { linksOf, type Meta, metaOf, pageQuery, windowOf } from './paging.ts'
import { sendArchive, sendCsv, sendHtml, sendJson } from './send.ts'
import type { Locale } from './titles.ts'

/** How a service words its answers. */
export type Envelope = {
  success(data: unknown, meta?: Meta): object
  /** `more`: what `meta` has besides the paging. */
  successSchema(data: z.ZodType, paged: boolean, more?: z.ZodObject): z.ZodType
  status(key: ProblemKey): number
  failure(problem: Problem, locale: Locale): object
  failureSchema: z.ZodType
}

/** Puts endpoints on a router; a known path with another method answers 405 with `Allow`. */
export function mount(base: string, endpoints: readonly Endpoint[], envelope: Envelope): Router {
  const router = Router({ caseSensitive: true })
  for (const [path, declared] of Map.groupBy(endpoints, (endpoint) => endpoint.path)) {
    const route = router.route(path)
    route.all((_request, response, next) => {
      localsOf(response).route = base + path
      next()
    })
    for (const endpoint of declared) route[endpoint.method](serve(base, endpoint, envelope))
    const allowed = declared.map((endpoint) => endpoint.method.toUpperCase()).join(', ')
    route.all((_request, response) => {
      response.set('Allow', allowed)
      throw new Problem('method_not_allowed')
    })
  }
  return router
}

/** One request from its body to its answer, in the order in which things may go wrong. */
function serve(base: string, endpoint: Endpoint, envelope: Envelope) {
  const { kind, schema, status, meta: more } = endpoint.reply
  const shape = kind === 'list' || kind === 'array' ? z.array(schema) : schema
  return async (request: Request, response: Response) => {
    const sent = endpoint.method === 'get' ? {} : await readBody(request, response)
    const paging = pageQuery.parse(request.query)
    const params = endpoint.params.safeParse(request.params)
    if (!params.success) throw new Problem('not_found')
    const context = { ...params.data, user: localsOf(response).user, window: windowOf(paging), request, sent }
    const record = await found(endpoint, context)
    const input = validated(endpoint, request.query, sent)
    const result = await endpoint.handle({ ...context, ...input, record })
    const answer = shape.parse(kind === 'list' ? (result as Page<unknown>).rows : result)

    response.status(status).set(endpoint.headers ?? {})
    if (kind === 'archive') return sendArchive(answer as Archive, response)
    if (kind === 'html') return sendHtml(String(answer), request, response)
    if (paging.format && (kind === 'list' || endpoint.csv))
      return sendCsv(fileName(endpoint), endpoint.csv?.(answer) ?? (answer as Row[]), request, response)
    if (status === 201) locate(base, endpoint, answer, response)
    if (kind !== 'list') return sendJson(envelope.success(answer), request, response)
    const { total, meta: given } = result as Page<unknown>
    const meta = { ...metaOf(paging, total), ...more?.schema.parse(given) }
    response.set('Link', linksOf(publicPath + request.originalUrl, meta))
    sendJson(envelope.success(answer, meta), request, response)
  }
}

async function found(endpoint: Endpoint, context: object): Promise<unknown> {
  if (!endpoint.find) return undefined
  const record = await endpoint.find(context)
  if (record === undefined || record === null) throw new Problem('not_found')
  return record
}

function validated(endpoint: Endpoint, asked: unknown, sent: unknown) {
  const query = endpoint.query.safeParse(asked)
  const body = endpoint.body.safeParse(sent)
  if (query.success && body.success) return { query: query.data, body: body.data }
  const issues = [...(query.error?.issues ?? []), ...(body.error?.issues ?? [])]
  const fields = new Set(issues.map((issue) => String(issue.path[0] ?? '')))
  const why = issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
  throw new Problem('invalid', { field: [...fields].filter(Boolean).join(','), why })
}

/** The address of a new record. */
function locate(base: string, { path, location }: Endpoint, answer: unknown, response: Response) {
  if (location) return void response.set('Location', publicPath + base + location(answer))
  const { id } = answer as { id?: number }
  if (id !== undefined && !path.includes(':')) response.set('Location', `${publicPath}${base}${path}/${id}`)
}

function fileName({ path }: Endpoint) {
  return path
    .split('/')
    .filter((part) => part && !part.startsWith(':'))
    .join('-')
}
