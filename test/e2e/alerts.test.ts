import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

import { db, sql } from '../../sql/pool.ts'
import { type Alert, raise } from '../../tasks/alerts/raise.ts'
import { type MailServer, startMailServer } from '../fakes/mail-server.ts'
import { type Client, clientOf } from '../support/client.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'
import { useServer } from '../support/http.ts'
import { useProcesses } from '../support/process.ts'
import { type Service, startService, waitFor } from '../support/service.ts'

type Received = { at: number; path: string; headers: Record<string, string>; body: string }
type Channel = { id: number; kind: string; active: boolean; secret: string }

const database = useDatabase()
const start = useProcesses()
/** The statuses of the next answers; 200 when there is none left. */
let statuses: number[] = []
let received: Received[] = []
const hooks = useServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const headers = request.headers as Record<string, string>
  received.push({ at: Date.now(), path: request.url ?? '', headers, body: Buffer.concat(chunks).toString() })
  response.writeHead(statuses.shift() ?? 200, { location: '/elsewhere' }).end()
})

let mail: MailServer
let service: Service
let person: Person
let mario: Client

beforeAll(async () => {
  mail = await startMailServer()
  service = await startService({
    url: database.url,
    env: { SMTP_URL: mail.url, MAIL_FROM: 'seo@example.test', WORKER_POOLS: 'alerts' },
  })
  person = await makePerson('mario')
  mario = clientOf(service.origin, person.key)
})
afterAll(async () => {
  await service?.stop()
  await mail?.close()
})
beforeEach(async () => {
  await db().query(sql.typeAlias('void')`truncate alerts, incidents, alert_channels, deliveries`)
  statuses = []
  received = []
  mail.mails = []
})

async function makeChannel(json: object = { kind: 'webhook', target: `${hooks.url}/hook` }) {
  const reply = await mario.api<Channel>('POST', '/alert-channels', json)
  expect(reply.status).toBe(201)
  return reply.data
}
const raiseNow = (count = 1) =>
  db().transaction((tx) =>
    raise(
      Array.from({ length: count }, (_, at): Alert => {
        const message = { it: `avviso ${at}`, en: `alert ${at}` }
        return {
          userId: person.id,
          type: 'spider_failed',
          severity: 'critical',
          subject: `scan:${at}`,
          message,
        }
      }),
      tx,
    ),
  )
const arrived = (count: number, within?: number) =>
  waitFor(() => received.length >= count && received, {
    what: `${count} webhooks`,
    ...(within && { within }),
  })

test('a webhook is signed, and tried again within 30 s with the same id and body', async () => {
  const { secret } = await makeChannel()
  statuses = [500]
  await raiseNow()
  const [first, second] = (await arrived(2, 35_000)) as [Received, Received]
  expect(second.at - first.at).toBeLessThan(30_000)
  expect(second.body).toBe(first.body)
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
  for (const { headers, body } of [first, second])
    expect(new Webhook(secret).verify(body, headers)).toEqual({
      type: 'alert.spider_failed',
      timestamp: expect.any(String) as string,
      data: expect.objectContaining({ severity: 'critical', message: 'avviso 0' }) as object,
    })
  const [alert] = await mario.read<{ message: string }[]>('/alerts')
  expect(alert?.message).toBe('avviso 0')
})

test('410 makes the channel inactive', async () => {
  const { id } = await makeChannel()
  statuses = [410]
  await raiseNow()
  await waitFor(async () => (await mario.read<Channel[]>('/alert-channels'))[0]?.active === false)
  expect(received).toHaveLength(1)
  expect((await mario.api('PATCH', `/alert-channels/${id}`, { active: true })).data).toMatchObject({
    active: true,
  })
})

test('fifty alerts in a minute are a digest', async () => {
  await makeChannel()
  await makeChannel({ kind: 'email', target: 'mario@example.test' })
  await raiseNow(50)
  const [{ body }] = (await arrived(1)) as [Received]
  expect(JSON.parse(body)).toMatchObject({ type: 'alert.digest', data: { count: 50 } })
  await waitFor(() => mail.mails.length)
  // Every job has run by then; nothing more comes.
  await waitFor(
    async () => !(await db().exists(sql.typeAlias('void')`select from graphile_worker._private_jobs`)),
  )
  expect([received.length, mail.mails.length]).toEqual([1, 1])
  expect(mail.mails[0]?.text).toContain('Subject: 50 avvisi')
})

test('a mail can be ended from itself', async () => {
  await makeChannel({ kind: 'email', target: 'mario@example.test' })
  await raiseNow()
  await waitFor(() => mail.mails.length)
  const [{ to, text }] = mail.mails as [MailServer['mails'][number]]
  expect(to).toEqual(['mario@example.test'])
  const [, link = ''] = /^List-Unsubscribe: <(\S+)>/m.exec(text.replaceAll(/\r\n[ \t]+/g, ' ')) ?? []
  expect((await fetch(link)).status).toBe(200)
  expect((await fetch(link, { method: 'POST' })).status).toBe(200)
  expect(await mario.read('/alert-channels')).toMatchObject([{ active: false }])
})

test('a test of a channel answers when it has arrived, and 502 when it has not', async () => {
  const { id, secret } = await makeChannel()
  const tested = await mario.api('POST', `/alert-channels/${id}/test`)
  expect([tested.status, tested.data]).toEqual([200, { id }])
  const [{ headers, body }] = received as [Received]
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'alert.test' })
  for (const status of [302, 404, 500]) {
    statuses = [status]
    const failed = await mario.api('POST', `/alert-channels/${id}/test`)
    expect([failed.status, failed.errors[0]?.title]).toEqual([
      502,
      expect.stringContaining(`answered ${status}`),
    ])
  }
  expect(received.map(({ path }) => path)).not.toContain('/elsewhere')
  const { id: mailId } = await makeChannel({ kind: 'email', target: 'mario@example.test' })
  expect((await mario.api('POST', `/alert-channels/${mailId}/test`)).status).toBe(200)
  expect(mail.mails).toHaveLength(1)
})

test('what is delivered and how late is measured', async () => {
  await makeChannel()
  await raiseNow()
  await arrived(1)
  const worker = service.members.find(({ kind }) => kind === 'worker')!
  await waitFor(async () =>
    /seo_alert_deliveries_total\{kind="webhook",outcome="delivered"\} [1-9]/.test(
      await (await fetch(`${worker.origin}/metrics`)).text(),
    ),
  )
  expect(await (await fetch(`${worker.origin}/metrics`)).text()).toMatch(
    /seo_alert_delivery_age_seconds_count\{kind="webhook"\} [1-9]/,
  )
})

test.each(['worker/main.ts', 'start.ts'])('%s needs SECRET_KEY, and says so', async (script) => {
  const refused = start(script, { DATABASE_URL: database.url, SECRET_KEY: '' })
  expect(await refused.exited).toBe(1)
  expect(refused.log().trim().split('\n')).toEqual([expect.stringContaining('SECRET_KEY: is required')])
})

test('a worker of other pools has no need of it', async () => {
  const env = { DATABASE_URL: database.url, SECRET_KEY: '', WORKER_POOLS: 'crawl,maintenance' }
  await expect(start('worker/main.ts', env).says('worker ready')).resolves.toBeUndefined()
})

test('a private address is never asked where that is not allowed, and mail without a server is 502', async () => {
  const strict = await startService({
    url: database.url,
    env: { ALLOW_PRIVATE_NETWORKS: 'false', WORKER_POOLS: 'alerts' },
  })
  try {
    await service.members.find(({ kind }) => kind === 'worker')!.kill('SIGTERM')
    const client = clientOf(strict.origin, person.key)
    const local = new URL(hooks.url)
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1']) {
      const target = `http://${host}:${local.port}/hook`
      const { id } = await makeChannel({ kind: 'webhook', target })
      expect((await client.api('POST', `/alert-channels/${id}/test`)).status).toBe(502)
    }
    await raiseNow()
    await waitFor(
      async () => !(await db().exists(sql.typeAlias('void')`select from deliveries where state = 'waiting'`)),
    )
    const { id } = await makeChannel({ kind: 'email', target: 'mario@example.test' })
    const failed = await client.api('POST', `/alert-channels/${id}/test`)
    expect([failed.status, failed.errors[0]?.title]).toEqual([502, expect.stringContaining('SMTP_URL')])
    expect(received).toEqual([])
  } finally {
    await strict.stop()
  }
})
