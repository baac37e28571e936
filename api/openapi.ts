import { z } from 'zod'
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi'

import { publicPath } from '../config.ts'
import { type ProblemKey, Problem } from '../problem.ts'
import type { Credential } from './access.ts'
import type { Endpoint } from './endpoint.ts'
import type { Envelope } from './mount.ts'
import { csvQuery, metaOf, pageQuery } from './paging.ts'
import { titles } from './titles.ts'

export type Service = {
  /** Under which its requests are counted. */
  name: 'seo' | 'scraper'
  title: string
  version: string
  description: string
  /** Its roots; all are the same. */
  bases: readonly string[]
  credential: Credential
  /** Bodies may be forms, not only JSON. */
  forms: boolean
  /** What its endpoints are listed under; without, the first segment of their paths. */
  tag?: string
  envelope: Envelope
  endpoints: readonly Endpoint[]
}

export type OpenApi = ReturnType<typeof createDocument>

/** The OpenAPI 3.1 document of services, read off their endpoints; it is named after the first. */
export function describeServices(services: readonly [Service, ...Service[]]): OpenApi {
  const [main, ...others] = services
  const paths: Record<string, ZodOpenApiPathsObject[string]> = {}
  for (const service of services)
    for (const endpoint of service.endpoints) {
      const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
      const servers = service === main ? {} : { servers: serversOf(service) }
      paths[path] = { ...paths[path], ...servers, [endpoint.method]: operation(endpoint, service) }
    }
  const tags = services.flatMap((service) => service.endpoints.map((endpoint) => tagOf(endpoint, service)))
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: main.title,
        version: main.version,
        description: [main.description, ...others.map(aside)].join('\n\n'),
      },
      servers: serversOf(main),
      tags: [...new Set(tags)].map((name) => ({ name })),
      security: securityOf(main),
      components: {
        securitySchemes: Object.fromEntries(
          services.flatMap(({ credential }) => Object.entries(credential.schemes)),
        ),
      },
      paths,
    },
    { override: plain },
  )
}

const aside = ({ title, bases, description }: Service) =>
  `**${title}** (\`${bases.join('`, `')}\`): ${description}`

const serversOf = ({ bases }: Service) => bases.map((base) => ({ url: publicPath + base }))

const securityOf = ({ credential }: Service) =>
  Object.keys(credential.schemes).map((scheme) => ({ [scheme]: [] }))

/** The first segment of the path; endpoints of none are those of the account. */
function tagOf({ path }: Endpoint, { tag }: Service): string {
  return tag ?? (path.split('/')[1] || 'discovery')
}

/** The summary in camel case. */
export function operationIdOf({ summary }: Endpoint): string {
  const words = summary.split(/\W+/).filter(Boolean)
  return words
    .map((word, at) => (at ? word.charAt(0).toUpperCase() : word.charAt(0).toLowerCase()) + word.slice(1))
    .join('')
}

function operation(endpoint: Endpoint, service: Service): ZodOpenApiOperationObject {
  return {
    operationId: operationIdOf(endpoint),
    summary: endpoint.summary,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    tags: [tagOf(endpoint, service)],
    security: securityOf(service),
    requestParams: { path: endpoint.params, query: queryOf(endpoint) },
    ...(hasBody(endpoint) ? { requestBody: requestBody(endpoint, service) } : {}),
    responses: {
      [String(endpoint.reply.status)]: success(endpoint, service.envelope),
      ...(endpoint.reply.kind === 'archive' ? { '302': elsewhere } : {}),
      ...failures(endpoint, service),
    },
  }
}

function queryOf({ query, reply, csv }: Endpoint) {
  if (reply.kind === 'list') return query.extend(pageQuery.shape)
  return csv ? query.extend(csvQuery.shape) : query
}

const hasBody = ({ body }: Endpoint) => !(body instanceof z.ZodObject && Object.keys(body.shape).length === 0)

function requestBody({ body }: Endpoint, { forms }: Service) {
  const content = { schema: body }
  return {
    content: {
      'application/json': content,
      ...(forms ? { 'application/x-www-form-urlencoded': content } : {}),
    },
  }
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
  if (kind === 'archive')
    return {
      description: 'The archive; `Range` is understood.',
      headers: limitHeaders,
      content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
    }
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

const elsewhere: ZodOpenApiResponseObject = {
  description: 'The archive is to be had from this address for a while.',
  headers: limitHeaders.extend({ Location: header('ArchiveLocation', 'Where the archive is.') }),
}

function failures(endpoint: Endpoint, { envelope, credential: { missing } }: Service) {
  const keys = new Set<ProblemKey>([missing, 'no_access', 'not_found', 'rate_limited', 'internal'])
  if (endpoint.method !== 'get') keys.add('malformed_body').add('body_too_large')
  for (const key of endpoint.problems) keys.add(key)
  const byStatus = Map.groupBy(keys, (key) => envelope.status(key))
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
