import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import { type FakeDataForSeo, startDataForSeo } from '../fakes/dataforseo.ts'
import { type Client, clientOf } from '../support/client.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { type Member, type Service, startService, waitFor } from '../support/service.ts'

const database = useDatabase()
const Count = z.object({ n: z.int() })
let source: FakeDataForSeo
let service: Service
let mario: Client
let giulia: Client
let worker: Member

beforeAll(async () => {
  source = await startDataForSeo()
  service = await startService({
    url: database.url,
    env: {
      DATAFORSEO_LOGIN: source.login,
      DATAFORSEO_PASSWORD: source.password,
      DATAFORSEO_URL: source.url,
      // One place for all who wait.
      WORKER_POOLS: 'interactive',
      WORKER_CONCURRENCY: '1',
    },
  })
  worker = service.members.find(({ kind }) => kind === 'worker')!
  mario = clientOf(service.origin, (await makePerson('mario')).key)
  giulia = clientOf(service.origin, (await makePerson('giulia')).key)
})
afterAll(async () => {
  await service?.stop()
  await source?.close()
})
beforeEach(async () => {
  source.latency = 0
  source.calls.length = 0
  source.fault = () => undefined
})

async function project(count: number) {
  const { data } = await mario.api<{ id: number }>('POST', '/projects', { name: 'x', domain: 'shop.example' })
  const keywords = Array.from({ length: count }, (_, n) => `keyword ${n}`)
  await mario.api('POST', `/projects/${data.id}/keywords`, { keywords })
  return data.id
}
const refresh = (id: number) => mario.api<{ refreshed: number }>('POST', `/projects/${id}/refresh`)
const searches = () => source.calls.filter(({ path }) => path.includes('organic/live')).length
const checks = (id: number) =>
  db().oneFirst(sql.type(Count)`
    select count(*) as n from rankings r join keywords k on k.id = r.keyword_id where k.project_id = ${id}`)
/** Nobody waits until its silence shows. */
const declareDead = () => db().query(sql.typeAlias('void')`update workers set beat_at = '-infinity'`)

test('a refresh whose worker is stopped goes on elsewhere, and nothing is asked for twice', async () => {
  const id = await project(60)
  source.latency = 300
  const answer = refresh(id)
  await waitFor(() => searches() > 25)
  const next = await service.start('worker')
  await worker.kill('SIGTERM')
  worker = next
  expect((await answer).data).toEqual({ refreshed: 60 })
  expect([searches(), await checks(id)]).toEqual([60, 60])
})

test('a refresh whose worker is killed goes on elsewhere, with what was in flight asked for again', async () => {
  const id = await project(60)
  source.latency = 300
  const answer = refresh(id)
  await waitFor(() => searches() > 30)
  await worker.kill('SIGKILL')
  await declareDead()
  worker = await service.start('worker')
  expect((await answer).data).toEqual({ refreshed: 60 })
  expect(await checks(id)).toBe(60)
  expect(searches()).toBeLessThanOrEqual(60 + 25)
})

test('a long refresh gives way to others, and answers all the same', async () => {
  source.latency = 1000
  const id = await project(300)
  const answer = refresh(id)
  await waitFor(() => searches() > 0)
  const idea = await giulia.api('POST', '/keyword-research', { keyword: 'in between' })
  expect(idea.status).toBe(201)
  expect(searches()).toBeLessThan(300)
  expect((await answer).data).toEqual({ refreshed: 300 })
  expect(searches()).toBe(300)
  expect(source.inFlightMax()).toBeLessThanOrEqual(25)
})

test('a source that hangs is left when the worker stops', async () => {
  const id = await project(3)
  source.fault = () => ({ hang: true })
  const answer = refresh(id)
  await waitFor(() => searches() === 3)
  const began = performance.now()
  await worker.kill('SIGTERM')
  expect(performance.now() - began).toBeLessThan(9000)
  source.fault = () => undefined
  worker = await service.start('worker')
  expect((await answer).data).toEqual({ refreshed: 3 })
})
