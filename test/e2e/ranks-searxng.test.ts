import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

import { db, sql } from '../../sql/pool.ts'
import { enqueue } from '../../tasks/jobs.ts'
import { type FakeSearXng, startSearXng } from '../fakes/searxng.ts'
import { type Client, clientOf } from '../support/client.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { type Service, startService, waitFor } from '../support/service.ts'

const database = useDatabase()
let searxng: FakeSearXng
let service: Service
let mario: Client

beforeAll(async () => {
  searxng = await startSearXng()
  service = await startService({ url: database.url, env: { SEARXNG_URL: searxng.url } })
  mario = clientOf(service.origin, (await makePerson('admin')).key)
})
afterAll(async () => {
  await service?.stop()
  await searxng?.close()
})
beforeEach(async () => {
  Object.assign(searxng, { status: 200, blocked: false, queries: [], pages: [others(10), others(10)] })
  await db().query(sql.typeAlias('void')`truncate upstream_rests`)
})

const others = (count: number) => Array.from({ length: count }, (_, n) => `https://site-${n}.example/`)
const last = async (id: number) => {
  const { keywords } = await mario.read<{
    keywords: { last_position: number | null; last_url: string | null; last_datetime: string | null }[]
  }>(`/projects/${id}`)
  return keywords[0]
}
async function project() {
  const { data } = await mario.api<{ id: number }>('POST', '/projects', { name: 'x', domain: 'shop.example' })
  await mario.api('POST', `/projects/${data.id}/keywords`, { keywords: ['red & blue'] })
  return data.id
}
const refresh = (id: number) => mario.api<{ refreshed: number }>('POST', `/projects/${id}/refresh`)

test('positions count through the pages', async () => {
  searxng.pages = [others(10), [...others(4), 'https://www.shop.example/red', 'https://shop.example/']]
  const id = await project()
  expect((await refresh(id)).data).toEqual({ refreshed: 1 })
  expect(await last(id)).toMatchObject({ last_position: 15, last_url: 'https://www.shop.example/red' })
  expect(
    searxng.queries.map((query) => [query.get('q'), query.get('language'), query.get('pageno')]),
  ).toEqual([
    ['red & blue', 'it', '1'],
    ['red & blue', 'it', '2'],
  ])
})

test('a site that is nowhere has no position', async () => {
  const id = await project()
  expect((await refresh(id)).data).toEqual({ refreshed: 1 })
  expect(await last(id)).toMatchObject({ last_position: null, last_datetime: expect.any(String) })
})

test.each([
  ['refuses JSON', { status: 403 }],
  ['is overrun', { status: 429 }],
  ['has its engines blocked', { blocked: true }],
])('a SearXNG that %s is 502, and no position', async (_what, state) => {
  Object.assign(searxng, state)
  const id = await project()
  expect((await refresh(id)).status).toBe(502)
  expect(await last(id)).toMatchObject({ last_position: null, last_datetime: null })
})

test('what it cannot do is not configured: 409', async () => {
  expect((await mario.api('POST', '/keyword-research', { keyword: 'x' })).status).toBe(409)
  expect((await mario.api('GET', '/locations')).status).toBe(409)
  expect(await mario.read<unknown[]>('/languages?q=ital')).toEqual([{ code: 'it', name: 'Italian' }])
  expect(await mario.read('/status')).toMatchObject({ datasource_configured: true })
})

test('projects are refreshed by the clock, too', async () => {
  searxng.pages = [['https://shop.example/']]
  const id = await project()
  await db().query(sql.typeAlias('void')`update projects set due_at = now() where id = ${id}`)
  await enqueue('rankings.schedule', {})
  await waitFor(async () => (await last(id))?.last_datetime != null, { what: 'a position' })
  expect(await last(id)).toMatchObject({ last_position: 1, last_url: 'https://shop.example/' })
})
