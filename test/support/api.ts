import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, expect } from 'vitest'

import { app } from '../../api/app.ts'
import { describeServices, type Service } from '../../api/openapi.ts'
import type { Meta } from '../../api/paging.ts'
import { scraper } from '../../api/scraper/index.ts'
import { seo } from '../../api/seo/index.ts'
import type { Person } from './database.ts'

export type Options = {
  /** Whose key it carries; without, it carries none. */
  as?: Person | undefined
  base?: string
  headers?: Record<string, string>
  json?: unknown
  form?: string
  /** A body as it stands, without a content type of its own. */
  body?: string | Uint8Array
  redirect?: 'manual' | 'follow'
}

export type Answer<Data = unknown> = {
  status: number
  headers: Headers
  text: string
  /** The parsed body; what the answer does not have is undefined all the same. */
  body: {
    data: Data
    /** The SEO suite's. */
    meta: Meta
    errors: { title: string; status: string }[]
    /** The scraper's. */
    success: boolean
    message: string
    error: { error: string; details: string }
    timestamp: number
  }
}

/**
 * Called at the top of a test file, after `useDatabase`: the API on a free port. Every answer is checked against the
 * OpenAPI document, and may have no field that it does not name. Calls go to `service` unless they name another base.
 */
export function useApi(service = seo) {
  let server: Server
  const api = {
    url: '',
    async call<Data = unknown>(method: string, path: string, options: Options = {}): Promise<Answer<Data>> {
      const { as, base = service.bases[0] ?? '', headers, json, form, body, redirect = 'manual' } = options
      const response = await fetch(`${api.url}${base}${path}`, {
        method,
        redirect,
        headers: {
          ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(form === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
          ...(as && keyHeader(as, serviceAt(base) ?? service)),
          ...headers,
        },
        body: (json === undefined ? (form ?? body) : JSON.stringify(json)) ?? null,
      })
      const answer = { status: response.status, headers: response.headers, text: await response.text() }
      const whole = { ...answer, body: isJson(answer) ? JSON.parse(answer.text) : {} }
      const asked = serviceAt(base)
      if (asked) conforms(asked, method, path, whole)
      return whole
    },
    get: <Data = unknown>(path: string, options?: Options) => api.call<Data>('GET', path, options),
    post: <Data = unknown>(path: string, options?: Options) => api.call<Data>('POST', path, options),
    patch: <Data = unknown>(path: string, options?: Options) => api.call<Data>('PATCH', path, options),
    delete: <Data = unknown>(path: string, options?: Options) => api.call<Data>('DELETE', path, options),
  }
  beforeAll(async () => {
    server = app().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return api
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
addFormats.default(ajv)
const services = [seo, scraper] as const
const description = strict(structuredClone(describeServices(services)))
ajv.addSchema(description, 'openapi')

const isJson = ({ headers, text }: { headers: Headers; text: string }) =>
  text !== '' && headers.get('content-type') === 'application/json; charset=utf-8'

const serviceAt = (base: string) => services.find(({ bases }) => bases.includes(base))

const keyHeader = ({ headers, key }: Person, { credential: { header } }: Service) =>
  header === 'Authorization' ? headers : { [header]: key }

function conforms(service: Service, method: string, path: string, answer: Answer) {
  const what = `${method} ${path} → ${answer.status}`
  const type = answer.headers.get('content-type')
  if (!answer.headers.get('x-request-id')) throw new Error(`${what} has no X-Request-Id`)
  if ([204, 302, 304].includes(answer.status) || method === 'HEAD') {
    if (answer.text) throw new Error(`${what} has a body`)
  } else if (type === 'text/csv; charset=utf-8') {
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w-]+\.csv"$/)
  } else if (type === 'application/zip') {
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w-]+\.zip"$/)
  } else if (type === 'text/html; charset=utf-8') {
    expect(path).toMatch(/^\/spider\/\d+\/report$/)
  } else {
    if (!isJson(answer)) throw new Error(`${what} is ${type}, not JSON: ${answer.text.slice(0, 200)}`)
    const validate = ajv.getSchema(`openapi#${declared(service, method, path, answer.status)}`)
    if (validate?.(answer.body)) return
    throw new Error(`${what} is not as documented: ${ajv.errorsText(validate?.errors)}\n${answer.text}`)
  }
}

/** Where the schema of an answer stands; what no operation declares has to be a failure that any path may have. */
function declared(service: Service, method: string, path: string, status: number): string {
  const bare = path.split('?')[0]?.replace(/(.)\/$/, '$1') || '/'
  const templates = service.endpoints.map((endpoint) => endpoint.path.replaceAll(/:(\w+)/g, '{$1}'))
  const template = templates.includes(bare) ? bare : templates.find((each) => matches(each, bare))
  const operation = template && description.paths?.[template]?.[method.toLowerCase() as 'get']
  if (!operation) {
    expect([401, 404, 405, 429, 500]).toContain(status)
    return `/components/schemas/${service === seo ? 'Errors' : 'ScraperFailure'}`
  }
  expect(Object.keys(operation.responses ?? {})).toContain(String(status))
  const step = encodeURIComponent(template.replaceAll('~', '~0').replaceAll('/', '~1'))
  return `/paths/${step}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`
}

function matches(template: string, path: string) {
  const parts = path.split('/')
  const wanted = template.split('/')
  return (
    wanted.length === parts.length && wanted.every((part, at) => part.startsWith('{') || part === parts[at])
  )
}

/** Objects may have no other fields than those described. */
function strict<T>(node: T): T {
  if (typeof node !== 'object' || node === null) return node
  const schema = node as Record<string, unknown>
  if (schema['type'] === 'object' && schema['properties']) schema['additionalProperties'] ??= false
  for (const [key, value] of Object.entries(schema)) if (key !== 'example') strict(value)
  return node
}
