import { z } from 'zod'
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi'

import { type ProblemKey, Problem, problems } from '../problem.ts'
import type { Endpoint } from './endpoint.ts'
import type { Envelope } from './mount.ts'
import { csvQuery, metaOf, pageQuery } from './paging.ts'
import { titles } from './titles.ts'

export type Service = {
  title: string
  version: string
  description: string
  servers: readonly string[]
  envelope: Envelope
  endpoints: readonly Endpoint[]
}

export type OpenApi = ReturnType<typeof createDocument>

/** The OpenAPI 3.1 document of a service, read off its endpoints. */
export function describeService(service: Service): OpenApi {
  const paths: Record<string, ZodOpenApiPathsObject[string]> = {}
  for (const endpoint of service.endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method]: operation(endpoint, service.envelope) }
  }
  return createDocument(
    {
      openapi: '3.1.1',
      info: { title: service.title, version: service.version, description: service.description },
      servers: service.servers.map((url) => ({ url })),
      tags: [...new Set(service.endpoints.map(tagOf))].map((name) => ({ name })),
      security: [{ bearer: [] }],
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'Your API key.' } },
      },
      paths,
    },
    { override: plain },
  )
}

/** The first segment of the path; endpoints of none are those of the account. */
export function tagOf({ path }: Endpoint): string {
  return path.split('/')[1] || 'discovery'
}

/** The summary in camel case. */
export function operationIdOf({ summary }: Endpoint): string {
  const words = summary.split(/\W+/).filter(Boolean)
  return words
    .map((word, at) => (at ? word.charAt(0).toUpperCase() : word.charAt(0).toLowerCase()) + word.slice(1))
    .join('')
}

function operation(endpoint: Endpoint, envelope: Envelope): ZodOpenApiOperationObject {
  return {
    operationId: operationIdOf(endpoint),
    summary: endpoint.summary,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    tags: [tagOf(endpoint)],
    security: [{ bearer: [] }],
    requestParams: { path: endpoint.params, query: queryOf(endpoint) },
    ...(hasBody(endpoint) ? { requestBody: requestBody(endpoint) } : {}),
    responses: {
      [String(endpoint.reply.status)]: success(endpoint, envelope),
      ...failures(endpoint, envelope),
    },
  }
}

function queryOf({ query, reply, csv }: Endpoint) {
  if (reply.kind === 'list') return query.extend(pageQuery.shape)
  return csv ? query.extend(csvQuery.shape) : query
}

const hasBody = ({ body }: Endpoint) => !(body instanceof z.ZodObject && Object.keys(body.shape).length === 0)

function requestBody({ body }: Endpoint) {
  const content = { schema: body }
  return { content: { 'application/json': content, 'application/x-www-form-urlencoded': content } }
}

const header = (id: string, description: string) =>
  z.string().optional().meta({ description, header: { id } })
const limitHeaders = z.object({
  'X-Request-Id': header('RequestId', 'Id of this request; quote it when you report a fault.'),
  'X-RateLimit-Limit': header('RateLimit', 'Requests a minute.'),
  'X-RateLimit-Remaining': header('RateLimitRemaining', 'Requests left in this minute.'),
})
const exceededHeaders = limitHeaders.omit({ 'X-RateLimit-Remaining': true }).extend({
  'X-RateLimit-Reset': header(
    'RateLimitReset',
    'Seconds until the minute ends; only past the limit.',
  ).optional(),
  'Retry-After': header('RetryAfter', 'Seconds to wait.'),
})

function success({ reply, csv }: Endpoint, envelope: Envelope): ZodOpenApiResponseObject {
  const { kind, schema, example } = reply
  const outer = { description: reply.status === 201 ? 'Created' : 'OK', headers: limitHeaders }
  if (kind === 'html') return { ...outer, content: { 'text/html': { schema, example } } }
  const paged = kind === 'list'
  const data = kind === 'item' ? schema : z.array(schema)
  const meta = paged
    ? { ...metaOf({ page: 1, per_page: 25, format: false }, 1), ...reply.meta?.example }
    : undefined
  return {
    ...outer,
    content: {
      'application/json': {
        schema: envelope.successSchema(data, paged, reply.meta?.schema),
        example: envelope.success(kind === 'item' ? example : [example], meta),
      },
      ...(paged || csv ? { 'text/csv': { schema: { type: 'string' as const } } } : {}),
    },
  }
}

function failures(endpoint: Endpoint, envelope: Envelope) {
  const keys = new Set<ProblemKey>(['missing_bearer', 'no_access', 'not_found', 'rate_limited', 'internal'])
  if (endpoint.method !== 'get') keys.add('malformed_body').add('body_too_large')
  for (const key of endpoint.problems) keys.add(key)
  const byStatus = Map.groupBy(keys, (key) => problems[key])
  return Object.fromEntries(
    [...byStatus].map(([status, [first, ...more]]) => [
      String(status),
      failureOf([first as ProblemKey, ...more], envelope),
    ]),
  )
}

function failureOf(keys: [ProblemKey, ...ProblemKey[]], envelope: Envelope): ZodOpenApiResponseObject {
  const example = envelope.failure(new Problem(keys[0], { limit: 60 }), 'it')
  return {
    description: keys.map((key) => titles.en[key].replace('{limit}', '60')).join('; '),
    headers: keys[0] === 'rate_limited' ? exceededHeaders : limitHeaders,
    content: { 'application/json': { schema: envelope.failureSchema, example } },
  }
}

/** No bounds that are only those of JavaScript's numbers; and a field added later must not break generated clients. */
const plain: ZodOpenApiOverride = ({ jsonSchema, io }) => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}
