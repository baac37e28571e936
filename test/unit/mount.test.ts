import express from 'express'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'

import { parseForm } from '../../api/body.ts'
import { created, endpoint, item, list } from '../../api/endpoint.ts'
import { exchange } from '../../api/exchange.ts'
import { failure } from '../../api/failure.ts'
import { datetime, id, name } from '../../api/fields.ts'
import { mount } from '../../api/mount.ts'
import { envelope } from '../../api/seo/envelope.ts'
import { Problem } from '../../problem.ts'
import { useServer } from '../support/http.ts'

/** As behind a proxy that serves the API below a path of its own. */
vi.mock('../../config.ts', async (original) => ({ ...(await original<object>()), publicPath: '/tools' }))

const Note = z.object({ id: z.int(), name: z.string(), tags: z.array(z.string()), datetime })
const stored = Array.from({ length: 60 }, (_, at) => ({
  id: at + 1,
  name: `note ${at + 1}`,
  tags: ['a', 'b'],
  datetime: Date.UTC(2026, 0, 1),
  user_id: 7,
}))
const shown = { id: 1, name: 'note 1', tags: ['a', 'b'], datetime: '2026-01-01 00:00:00' }

const notes = [
  endpoint({
    method: 'get',
    path: '/notes',
    summary: 'List notes',
    reply: list(Note, shown),
    handle: async ({ window: { limit, offset } }) => ({
      rows: stored.slice(offset, offset + limit),
      total: stored.length,
    }),
  }),
  endpoint({
    method: 'post',
    path: '/notes',
    summary: 'Write a note',
    body: z.object({ name }),
    reply: created(z.object({ id: z.int(), name: z.string() }), { id: 1, name: 'x' }),
    handle: async ({ body }) => ({ id: 61, name: body.name }),
  }),
  endpoint({
    method: 'get',
    path: '/notes/:id',
    summary: 'Read a note',
    params: z.object({ id }),
    reply: item(Note, shown),
    find: async ({ id }) => stored[id - 1],
    handle: async ({ record }) => record,
    csv: (note) => note.tags.map((tag) => ({ name: note.name, tag })),
  }),
  endpoint({
    method: 'patch',
    path: '/notes/:id',
    summary: 'Rename a note',
    params: z.object({ id }),
    query: z.object({ why: z.string() }),
    body: z.object({ name }),
    reply: item(z.object({ name: z.string() }), { name: 'x' }),
    find: async ({ id }) => {
      if (id === 60) throw new Problem('quota')
      return stored[id - 1]
    },
    handle: async ({ body }) => body,
  }),
  endpoint({
    method: 'delete',
    path: '/notes',
    summary: 'Break',
    query: z.object({ how: z.enum(['bug', 'shape', 'number']) }),
    reply: item(z.object({ ok: z.literal(true) }), { ok: true }),
    async handle({ query: { how } }) {
      if (how === 'bug') throw new TypeError('a bug')
      if (how === 'number')
        throw new Error('query failed', {
          cause: Object.assign(new Error('out of range'), { code: '22003' }),
        })
      return { ok: 'no' as unknown as true }
    },
  }),
]

const service = express()
service.set('query parser', parseForm)
service.use(exchange, mount('/base', notes, envelope), failure(envelope))
const at = useServer(service)

async function call(method: string, path: string, init: RequestInit = {}) {
  const response = await fetch(at.url + path, { method, redirect: 'manual', ...init })
  const text = await response.text()
  const { status, headers } = response
  const json = headers.get('content-type')?.startsWith('application/json') && text !== ''
  return { status, headers, text, body: json ? (JSON.parse(text) as Record<string, unknown>) : undefined }
}
const errors = (status: number, ...titles: string[]) => ({
  errors: titles.map((title) => ({ title, status: String(status) })),
})

test('an answer has the fields of its schema and no other', async () => {
  const { status, body } = await call('GET', '/notes/1')
  expect(status).toBe(200)
  expect(body).toEqual({ data: shown })
})

test.each([
  ['', 1, 25, 'note 1', 25],
  ['?page=2', 2, 25, 'note 26', 25],
  ['?page=3', 3, 25, 'note 51', 10],
  ['?page=4', 4, 25, undefined, 0],
  ['?page=0&per_page=0', 1, 1, 'note 1', 1],
  ['?page=-5&per_page=1000', 1, 100, 'note 1', 60],
  ['?page=abc&per_page=abc', 1, 25, 'note 1', 25],
  ['?page[]=2&per_page[]=10', 2, 10, 'note 11', 10],
  ['?page=99999999999999999999999', 90071992547409, 25, undefined, 0],
])('list %s', async (search, page, perPage, first, count) => {
  const { body } = await call('GET', `/notes${search}`)
  const { data, meta } = body as { data: { name: string }[]; meta: object }
  expect(meta).toEqual({ page, per_page: perPage, total_results: 60, total_pages: Math.ceil(60 / perPage) })
  expect(data).toHaveLength(count)
  expect(data[0]?.name).toBe(first)
})

test('lists link to their neighbours, and keep the other parameters', async () => {
  const { headers } = await call('GET', '/notes?per_page=10&x=a?b&page=2')
  expect(headers.get('link')).toBe(
    ['first 1', 'prev 1', 'next 3', 'last 6']
      .map((each) => each.split(' '))
      .map(([rel, page]) => `</tools/notes?per_page=10&x=a%3Fb&page=${page}>; rel="${rel}"`)
      .join(', '),
  )
})

test('a list as CSV is whole, whatever the page', async () => {
  const { status, headers, text } = await call('GET', '/notes?format=csv&page=3&per_page=2')
  const lines = text.split('\r\n')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(headers.get('content-disposition')).toBe('attachment; filename="notes.csv"')
  expect(lines.slice(0, 2)).toEqual(['id,name,tags,datetime', '1,note 1,"[""a"",""b""]",2026-01-01 00:00:00'])
  expect(lines).toHaveLength(62)
})

test('a record as CSV, where it has one', async () => {
  const { text } = await call('GET', '/notes/2?format=csv')
  expect(text).toBe('name,tag\r\nnote 2,a\r\nnote 2,b\r\n')
})

test('an unknown format is JSON', async () => {
  expect((await call('GET', '/notes?format=xml')).body).toHaveProperty('meta')
})

test('a new record: 201 and its address', async () => {
  const { status, headers, body } = await call('POST', '/notes', { body: '{"name":" a "}' })
  expect(status).toBe(201)
  expect(body).toEqual({ data: { id: 61, name: 'a' } })
  expect(headers.get('location')).toBe('/tools/base/notes/61')
})

test.each(['PUT', 'PATCH'])('%s of a known path: 405 with Allow', async (method) => {
  const { status, headers, body } = await call(method, '/notes', { body: '{"broken' })
  expect(status).toBe(405)
  expect(headers.get('allow')).toBe('GET, POST, DELETE')
  expect(body).toEqual(errors(405, 'Metodo non consentito'))
  expect(headers.get('x-error-code')).toBe('method_not_allowed')
})

test('HEAD is GET without the body', async () => {
  const [head, get] = [await call('HEAD', '/notes/1'), await call('GET', '/notes/1')]
  expect(head.status).toBe(200)
  expect(head.text).toBe('')
  expect(head.headers.get('content-length')).toBe(String(get.text.length))
  expect(head.headers.get('etag')).toBe(get.headers.get('etag'))
})

test('what did not change is 304, also for fetch(), which adds no-cache', async () => {
  const { headers } = await call('GET', '/notes/1')
  const tag = headers.get('etag') ?? ''
  expect(tag).toMatch(/^W\/"[\w-]+"$/)
  for (const known of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
    const again = await call('GET', '/notes/1', { headers: { 'If-None-Match': known } })
    expect(again).toMatchObject({ status: 304, text: '' })
  }
  expect((await call('GET', '/notes/2', { headers: { 'If-None-Match': tag } })).status).toBe(200)
})

test.each([
  '/notes/0',
  '/notes/-1',
  '/notes/abc',
  '/notes/1.0',
  '/notes/99999999999999999999',
  '/notes/61',
  '/notes/1%00',
])('%s is 404', async (path) => {
  const { status, body } = await call('GET', path)
  expect(status).toBe(404)
  expect(body).toEqual(errors(404, 'Risorsa non trovata'))
})

test('a path that cannot be decoded names nothing', async () => {
  expect((await call('GET', '/notes/%zz')).status).toBe(404)
})

test('a body that cannot be read comes before a missing record, which comes before validation', async () => {
  expect((await call('PATCH', '/notes/999', { body: '{"name":' })).status).toBe(400)
  expect((await call('PATCH', '/notes/999', { body: '{"name":5}' })).status).toBe(404)
  expect((await call('PATCH', '/notes/60', { body: '{"name":5}' })).status).toBe(429)
  expect((await call('PATCH', '/notes/1', { body: '{"name":5}' })).status).toBe(422)
})

test('one title for each refused field, of query and body', async () => {
  const { body, headers } = await call('PATCH', '/notes/1', {
    body: '{"name":""}',
    headers: { 'Accept-Language': 'en' },
  })
  expect(body).toEqual(errors(422, 'Missing or invalid value: why', 'Missing or invalid value: name'))
  expect(headers.get('content-language')).toBe('en')
  expect(headers.get('x-error-code')).toBe('invalid')
})

test.each(['bug', 'shape'])('an unexpected failure (%s) is 500 and tells nothing', async (how) => {
  const { status, body } = await call('DELETE', `/notes?how=${how}`)
  expect(status).toBe(500)
  expect(body).toEqual(errors(500, 'Errore interno del servizio'))
})

test('a number that PostgreSQL cannot hold is the caller’s fault', async () => {
  expect((await call('DELETE', '/notes?how=number')).status).toBe(422)
})

test.each([
  ['abc-DEF_123', 'abc-DEF_123'],
  ['x'.repeat(128), 'x'.repeat(128)],
  ['Root=1-67891233-abcdef012345678912345678', 'Root=1-67891233-abcdef012345678912345678'],
  ['job:7/step.2+a@b~c', 'job:7/step.2+a@b~c'],
])('a sane request id is kept', async (given, kept) => {
  const { headers } = await call('GET', '/notes', { headers: { 'X-Request-Id': given } })
  expect(headers.get('x-request-id')).toBe(kept)
})

test.each(['with space', 'x'.repeat(129), 'a;b', ''])('another request id is replaced', async (given) => {
  const { headers } = await call('GET', '/notes', { headers: { 'X-Request-Id': given } })
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})

test.each([
  [undefined, 'it'],
  ['*', 'it'],
  ['de', 'it'],
  ['en', 'en'],
  ['en-GB,en;q=0.9', 'en'],
  ['it;q=0.5,en;q=0.9', 'en'],
  ['it,en', 'it'],
])('Accept-Language %s is %s', async (accepted, locale) => {
  const { headers } = await call(
    'GET',
    '/notes/0',
    accepted ? { headers: { 'Accept-Language': accepted } } : {},
  )
  expect(headers.get('content-language')).toBe(locale)
})
