import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

import { setAccount } from '../../sql/accounts.ts'
import { db, sql } from '../../sql/pool.ts'
import { queueDepth } from '../../sql/queue.ts'
import { enqueue } from '../../tasks/jobs.ts'
import { type FakeDataForSeo, startDataForSeo } from '../fakes/dataforseo.ts'
import { html } from '../fakes/site/html.ts'
import { type Answer, type FakeServer, startServer } from '../fakes/site/server.ts'
import { type Client, clientOf } from '../support/client.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { useServer } from '../support/http.ts'
import { freePort, type Service, startService, waitFor } from '../support/service.ts'

type Alert = { type: string; severity: string; message: string; is_read: boolean }

const database = useDatabase()
let received: { type: string; data: { message: string; subject: string; details: object } }[] = []
const hooks = useServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  received.push(JSON.parse(Buffer.concat(chunks).toString()) as (typeof received)[number])
  response.end()
})
let source: FakeDataForSeo
let site: FakeServer
let answers: Record<string, Answer> = {}
let service: Service
let mario: Client

beforeAll(async () => {
  source = await startDataForSeo()
  site = await startServer((path, { headers }) => {
    if (answers[path]) return answers[path]
    const origin = `http://${headers.host}`
    return path === '/'
      ? { body: html('/', origin, { body: '<a href="/a">A</a><a href="/b">B</a>' }) }
      : ['/a', '/b'].includes(path)
        ? { body: html(path, origin) }
        : undefined
  })
  const person = await makePerson('mario')
  await setAccount(person.email, { locale: 'en' })
  service = await startService({
    url: database.url,
    env: {
      DATAFORSEO_LOGIN: source.login,
      DATAFORSEO_PASSWORD: source.password,
      DATAFORSEO_URL: source.url,
    },
  })
  mario = clientOf(service.origin, person.key)
  const channel = { kind: 'webhook', target: `${hooks.url}/hook` }
  await mario.api('POST', '/alert-channels', channel)
})
afterAll(async () => {
  await service?.stop()
  await Promise.all([source?.close(), site?.close()])
})
beforeEach(async () => {
  await db().query(sql.typeAlias('void')`truncate alerts, incidents, deliveries`)
  received = []
  answers = {}
})

const alerts = async () => (await mario.read<Alert[]>('/alerts?per_page=100')).toReversed()
const types = async () => (await alerts()).map(({ type }) => type)
const idle = () =>
  waitFor(async () => (await queueDepth()).every(({ ready, running }) => ready + running === 0), {
    what: 'an idle queue',
  })

test('positions that moved far are alerted of and sent, whether asked for at once or by the clock', async () => {
  const ranks = (places: Record<string, number>) => {
    source.ranks.clear()
    for (const [keyword, position] of Object.entries(places))
      source.ranks.set(keyword, { domain: 'shop.example', position })
  }
  const project = { name: 'Shop', domain: 'shop.example' }
  const { id } = (await mario.api<{ id: number }>('POST', '/projects', project)).data
  await mario.api('POST', `/projects/${id}/keywords`, {
    keywords: ['falls', 'rises', 'leaves', 'enters', 'wavers'],
  })
  ranks({ falls: 4, rises: 31, leaves: 60, wavers: 12 })
  expect((await mario.api('POST', `/projects/${id}/refresh`)).status).toBe(200)
  expect(await types()).toEqual([])

  ranks({ falls: 12, rises: 21, enters: 80, wavers: 16 })
  await db().query(sql.typeAlias('void')`update projects set claimed_at = null`)
  expect((await mario.api('POST', `/projects/${id}/refresh`)).status).toBe(200)
  const words = [
    '"enters" (shop.example) entered the top 100 at position 80',
    '"falls" (shop.example) fell from position 4 to 12, out of the top 10',
    '"leaves" (shop.example) left the top 100: it was at position 60',
    '"rises" (shop.example) rose from position 31 to 21',
  ]
  expect((await alerts()).map(({ message }) => message).toSorted()).toEqual(words)
  await waitFor(() => received.length === 4, { what: 'four webhooks' })
  expect(received.map(({ data }) => data.message).toSorted()).toEqual(words)
  expect(received.find(({ type }) => type === 'alert.rank_gain')?.data.details).toMatchObject({
    domain: 'shop.example',
    project_id: id,
  })

  ranks({ falls: 4, rises: 21, enters: 80, wavers: 19 })
  await db().query(sql.typeAlias('void')`delete from alerts`)
  await db().query(sql.typeAlias('void')`update projects set due_at = now()`)
  await enqueue('rankings.schedule', {})
  await waitFor(() => source.calls.filter(({ path }) => path.endsWith('/task_post')).length === 5)
  await idle()
  source.queue.finish()
  await enqueue('rankings.collect', {})
  await waitFor(async () => (await types()).length === 1)
  await idle()
  expect(await alerts()).toMatchObject([
    { severity: 'info', message: '"falls" (shop.example) rose from position 12 to 4, into the top 10' },
  ])
})

test('a site that breaks is alerted of once, and again after it was well', async () => {
  const scan = await mario.begin({ start_url: site.origin })
  await mario.ended(scan)
  expect(await types()).toEqual([])
  const crawl = async () => {
    await mario.api('POST', `/spider/${scan}/rescan`)
    expect((await mario.ended(scan)).status).toBe('completed')
    return (await types()).filter((type) => type === 'spider_server_errors').length
  }
  answers = { '/a': { status: 500 }, '/b': { status: 503 } }
  expect([await crawl(), await crawl()]).toEqual([1, 1])
  const told = (await alerts()).toSorted((a, b) => a.type.localeCompare(b.type))
  expect(told).toMatchObject([
    { type: 'spider_score_drop', is_read: false },
    {
      type: 'spider_server_errors',
      severity: 'critical',
      message: `${new URL(site.origin).host}: 2 pages answer with a server error, such as ${site.origin}/a (500)`,
    },
  ])
  answers = {}
  expect(await crawl()).toBe(1)
  answers = { '/b': { status: 502 } }
  expect(await crawl()).toBe(2)
})

test('a first crawl with server errors is alerted of, and so is one that fails', async () => {
  answers = { '/a': { status: 500 } }
  await mario.crawl({ start_url: site.origin })
  expect(await types()).toEqual(['spider_server_errors'])
  const nobody = `http://127.0.0.1:${await freePort()}/`
  expect(await mario.crawl({ start_url: nobody })).toMatchObject({ status: 'failed' })
  expect((await alerts()).slice(1)).toMatchObject([
    {
      type: 'spider_failed',
      message: `The scan of ${new URL(nobody).host} failed: no page answered`,
    },
  ])
})

test('a robots.txt that shuts AI agents out is alerted of', async () => {
  const scan = await mario.begin({ start_url: site.origin })
  await mario.ended(scan)
  const text = { 'content-type': 'text/plain' }
  const shut = 'User-agent: OAI-SearchBot\nUser-agent: ChatGPT-User\nDisallow: /'
  answers = { '/robots.txt': { headers: text, body: shut } }
  for (let times = 0; times < 2; times++) {
    await mario.api('POST', `/spider/${scan}/rescan`)
    await mario.ended(scan)
  }
  expect((await alerts()).filter(({ type }) => type === 'ai_crawler_blocked')).toMatchObject([
    {
      severity: 'warning',
      message: `robots.txt of ${new URL(site.origin).host} now keeps out OAI-SearchBot and ChatGPT-User`,
    },
  ])
})

test('the fleet looks at hosts by the clock, and at those that do not answer without harm', async () => {
  const host = `127.0.0.1:${await freePort()}`
  const { port } = new URL(site.origin)
  await db().query(sql.typeAlias('void')`
    update watched_hosts set is_https = true, due_at = now() where host = ${`127.0.0.1:${port}`}`)
  await db().query(sql.typeAlias('void')`
    insert into projects (user_id, name, domain, location_code, language_code)
    select id, 'x', ${host}, 1, 'it' from users`)
  await enqueue('alerts.watch', {})
  await waitFor(
    async () =>
      !(await db().exists(sql.typeAlias('void')`select from watched_hosts where due_at <= now()`)) &&
      (await db().exists(sql.typeAlias('void')`select from watched_hosts where host = ${host}`)),
  )
  await idle()
  const dead = (await queueDepth()).find(({ task }) => task === 'alerts.look')?.dead ?? 0
  expect([dead, await types()]).toEqual([0, []])
})
