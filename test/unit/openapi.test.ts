import { Validator } from '@seriousme/openapi-schema-validator'
import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'

import { describeServices, operationIdOf } from '../../api/openapi.ts'
import { scraper } from '../../api/scraper/index.ts'
import { seo } from '../../api/seo/index.ts'

type Media = { schema: object; example?: unknown }
type Described = { headers?: object; content?: Record<string, Media> }

/** JSON, but for the report and the archive. */
const mediaOf = ({ content = {} }: Described) => Object.entries(content)[0] ?? ['none', { schema: {} }]

const endpoints = [...seo.endpoints, ...scraper.endpoints]
const document = describeServices([seo, scraper])
const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
  (['get', 'post', 'patch', 'delete'] as const).flatMap((method) => {
    const operation = methods[method]
    return operation ? [{ name: `${method} ${path}`, path, method, operation }] : []
  }),
)

test('the document is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(
    structuredClone(document) as unknown as Record<string, unknown>,
  )
  expect(result).toMatchObject({ valid: true })
})

test('every endpoint is in it', () => {
  expect(operations).toHaveLength(endpoints.length)
  const ids = endpoints.map(operationIdOf)
  expect(new Set(ids).size).toBe(ids.length)
})

test('the services differ in their root and their key', () => {
  expect(document.servers).toEqual([{ url: '/api/seo' }, { url: '/api/v1/seo' }])
  for (const { path, method } of scraper.endpoints) {
    const item = document.paths?.[path.replaceAll(/:(\w+)/g, '{$1}')]
    expect(item?.servers).toEqual([{ url: '/api/v1' }])
    expect(item?.[method]?.security).toEqual([{ apiKeyHeader: [] }, { apiKeyQuery: [] }])
  }
  expect(Object.keys(document.components?.securitySchemes ?? {})).toEqual([
    'bearer',
    'apiKeyHeader',
    'apiKeyQuery',
  ])
})

test.each(operations)('$name is complete', ({ operation }) => {
  expect(operation.summary).toMatch(/\S/)
  expect(operation.operationId).toMatch(/^[a-z]\w+$/)
  expect(operation.tags).toHaveLength(1)
  expect(operation.security?.length).toBeGreaterThan(0)
  const statuses = Object.keys(operation.responses ?? {})
  expect(statuses).toEqual(expect.arrayContaining(['401', '404', '429', '500']))
  expect(statuses.filter((status) => status.startsWith('2'))).toHaveLength(1)
  for (const status of statuses) {
    const response = operation.responses?.[status] as Described
    expect(response.headers).toHaveProperty('X-Request-Id')
    if (status === '302' || response.content?.['application/zip']) continue
    expect(mediaOf(response)[1]).toHaveProperty('example')
  }
})

const ajv = new Ajv2020({ strict: false, validateSchema: false })
addFormats.default(ajv)
ajv.addSchema(document, 'openapi')

test.each(operations)('the examples of $name are what their schemas say', ({ path, method, operation }) => {
  const root = `openapi#/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/${method}`
  const check = (pointer: string, [type, media]: [string, Media]) => {
    const validate = ajv.getSchema(`${root}${pointer}/content/${type.replace('/', '~1')}/schema`)
    const valid = validate?.(media.example)
    expect({ pointer, valid, errors: validate?.errors }).toEqual({ pointer, valid: true, errors: null })
  }
  for (const [status, response] of Object.entries(operation.responses ?? {})) {
    const [type, media] = mediaOf(response as Described)
    if (type !== 'none' && type !== 'application/zip') check(`/responses/${status}`, [type, media])
  }
})

test('lists take page, per_page and format, with their bounds', () => {
  for (const endpoint of seo.endpoints.filter(({ reply }) => reply.kind === 'list')) {
    const listed = operations.find(({ operation }) => operation.operationId === operationIdOf(endpoint))
    expect(listed?.operation.parameters).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'page', in: 'query' }),
        expect.objectContaining({
          name: 'per_page',
          in: 'query',
          schema: expect.objectContaining({
            type: 'integer',
            minimum: 1,
            maximum: 100,
            default: 25,
          }) as unknown,
        }),
        expect.objectContaining({ name: 'format', in: 'query' }),
      ]),
    )
  }
})
