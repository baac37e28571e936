import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { childEnvironment } from '../../config.ts'
import { migrate } from '../../sql/migrate.ts'
import { startGraph, star } from '../fakes/graph.ts'
import type { FakeServer } from '../fakes/site/server.ts'
import { type Client, clientOf } from '../support/client.ts'
import { attempt, databaseWithRoles, type Role } from '../support/roles.ts'
import { scraperOf } from '../support/scraper.ts'
import { type Service, startService } from '../support/service.ts'

const DENIED = '42501'

let database: Awaited<ReturnType<typeof databaseWithRoles>>
let service: Service
let site: FakeServer
let key: string
let mario: Client

beforeAll(async () => {
  database = await databaseWithRoles()
  const { api: web, worker, owner } = database.urls
  service = await startService({ url: owner, urls: { web, worker, clock: worker }, clock: true })
  site = await startGraph(star(8))
  const made = (await admin('account', 'create', '--email', 'mario@example.test')) as { api_key: string }
  key = made.api_key
  mario = clientOf(service.origin, key)
})
afterAll(async () => {
  await Promise.all([service?.stop(), site?.close()])
  await database?.drop()
})

/** Administration under the workers' role, as from inside a container of theirs. */
async function admin(...words: string[]): Promise<unknown> {
  const env = childEnvironment({}, { DATABASE_URL: database.urls.worker })
  const options = { cwd: join(import.meta.dirname, '../..'), env }
  const { stdout } = await promisify(execFile)(process.execPath, ['admin.ts', ...words], options)
  return JSON.parse(stdout)
}

async function done<T = { id: number }>(method: string, path: string, body?: object): Promise<T> {
  const { status, text, data } = await mario.api<T>(method, path, body)
  expect(status, `${method} ${path}: ${text}`).toBeLessThan(300)
  return data
}

describe('with a role for each kind of process', () => {
  test('a site is crawled, read, crawled again and forgotten', async () => {
    const { id } = await mario.crawl({ start_url: `${site.origin}/` })
    expect(await mario.pages(id)).toHaveLength(8)
    expect((await mario.issues(id)).issues.length).toBeGreaterThan(0)
    expect((await mario.api('GET', `/spider/${id}/report`)).status).toBe(200)
    await done('POST', `/spider/${id}/rescan`)
    await mario.ended(id)
    expect(await mario.history(id)).toHaveLength(2)
    await done('DELETE', `/spider/${id}`)
    const running = await mario.begin({ start_url: `${site.origin}/`, speed: 'safe' })
    await done('DELETE', `/spider/${running}`)
  })

  test('a site is mirrored, and its archive fetched and deleted', async () => {
    const scraper = scraperOf(service.origin, key)
    const { id } = await scraper.mirror({ url: `${site.origin}/`, depth: 1 })
    for (const path of ['/jobs', '/stats'])
      expect((await scraper.call('GET', path)).status, `of ${path}`).toBe(200)
    expect((await scraper.remove(id)).status).toBe(200)
  })

  test('projects, keywords, channels and keys are kept', async () => {
    const { id } = await done('POST', '/projects', { domain: 'example.com', name: 'Shop' })
    await done('PATCH', `/projects/${id}`, { name: 'Store' })
    await done('POST', `/projects/${id}/keywords`, { keywords: ['shoes', 'boots'] })
    const [keyword] = await mario.read<{ id: number }[]>(`/keywords?project_id=${id}`)
    await done('PATCH', `/keywords/${keyword?.id}`, { notes: 'x' })
    await done('DELETE', `/keywords/${keyword?.id}`)
    await done('DELETE', `/projects/${id}`)
    const channel = await done('POST', '/alert-channels', { kind: 'webhook', target: 'http://127.0.0.1:9/' })
    expect((await mario.api('POST', `/alert-channels/${channel.id}/test`)).status).toBe(502)
    await done('PATCH', `/alert-channels/${channel.id}`, { active: false })
    await done('DELETE', `/alert-channels/${channel.id}`)
    await done('PATCH', '/alerts', { is_read: true })
    key = (await done<{ api_key: string }>('POST', '/api-key/rotate')).api_key
    mario = clientOf(service.origin, key)
    await done('GET', '/status')
  })

  test('no operation that is documented lacks a right', async () => {
    const document = (await (await fetch(`${service.origin}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>
    }
    const scan = await mario.crawl({ start_url: `${site.origin}/` })
    const project = await done('POST', '/projects', { domain: 'example.com', name: 'Shop' })
    const idIn = (path: string) => (path.startsWith('/spider') ? scan.id : project.id)
    const calls = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path })),
    )
    // What deletes comes last.
    calls.sort((one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'))
    const statuses: number[] = []
    for (const { method, path } of calls) {
      if (path.endsWith('/rotate')) continue
      for (const base of path.startsWith('/api') ? [''] : ['/api/seo', '/api/v1']) {
        const address = `${service.origin}${base}${path.replaceAll(/\{\w+\}/g, String(idIn(path)))}`
        const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
        const body = ['GET', 'HEAD'].includes(method) ? null : '{}'
        const { status } = await fetch(address, { method, headers, body, redirect: 'manual' })
        expect(status, `${method} ${address}`).not.toBe(500)
        statuses.push(status)
      }
    }
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(15)
    expect(statuses.filter((status) => status === 422).length).toBeGreaterThan(5)
  })

  test('no process was refused anything', () => {
    for (const { kind, output } of service.members)
      expect(output(), `of ${kind}`).not.toMatch(/permission denied|42501|row-level security/)
  })
})

const denied: Record<Exclude<Role, 'owner'>, string[]> = {
  api: [
    'select payload from graphile_worker._private_jobs',
    `select graphile_worker.add_job('crawl.slice')`,
    'update users set type = 1',
    `update users set plan = 'agency'`,
    `insert into plans (name, max_pages) values ('mine', 10000)`,
    `update settings set value = 'true'`,
    'delete from workers',
    'select prepare_rankings()',
    `select queue_load('crawl')`,
    'create table mine ()',
    'drop table alerts',
    'truncate alerts',
  ],
  worker: [
    'create table mine ()',
    'drop table alerts',
    'alter table users add mine text',
    'truncate graphile_worker._private_jobs',
    'create role mine',
  ],
  keda: [
    'select from users',
    'select from job_pools',
    'select from settings',
    'select from graphile_worker._private_jobs',
    `select queue_job('crawl.slice', '{}', now(), 1, null, 0)`,
    `select unqueue_jobs('{crawl:1}')`,
    'select prepare_rankings()',
    'create table mine ()',
  ],
}

describe.each(Object.entries(denied))('the role %s', (role, statements) => {
  test.each(statements)('may not: %s', async (statement) => {
    expect(await attempt(database.urls[role as Role], statement)).toBe(DENIED)
  })
})

test('the role keda gets its number, and nothing that runs long', async () => {
  const { keda, worker } = database.urls
  await attempt(
    worker,
    `select queue_job('crawl.slice', '{"crawl": 1}', now() + interval '1 hour', 1, null, 0)`,
  )
  const count = (at: string) => attempt(keda, `select queue_load('${at}')`)
  expect(await count('crawl')).toEqual({ queue_load: 0 })
  expect(await count('nothing')).toEqual({ queue_load: 0 })
  expect(await attempt(keda, 'show statement_timeout')).toEqual({ statement_timeout: '5s' })
})

test('migrating again changes nothing', async () => {
  const rights = `select string_agg(relname || ' ' || relacl::text, E'\\n' order by relname) as all from pg_class where relacl is not null`
  const before = await attempt(database.urls.owner, rights)
  await migrate(database.urls.owner)
  expect(await attempt(database.urls.owner, rights)).toEqual(before)
})
