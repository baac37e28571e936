import { randomUUID } from 'node:crypto'

import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { setAccount } from '../../sql/accounts.ts'
import * as channels from '../../sql/alert-channels.ts'
import { db, sql } from '../../sql/pool.ts'
import { sweepDeliveries } from '../../sql/sweep.ts'
import { Undelivered, type UndeliveredKind } from '../../tasks/alerts/channels/channel.ts'
import { acceptChannel, type ChannelKind } from '../../tasks/alerts/channels/index.ts'
import { type Alert, raise } from '../../tasks/alerts/raise.ts'
import { sendAlert, testChannel } from '../../tasks/alerts/send.ts'
import { Later } from '../../tasks/outcome.ts'
import { log, registry } from '../../telemetry.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'

useDatabase()
let mario: Person
const tools = { log, signal: new AbortController().signal, workerId: 'w' }

beforeAll(async () => {
  mario = await makePerson('mario')
})
beforeEach(async () => {
  await db().query(sql.typeAlias('void')`truncate alerts, incidents, alert_channels, deliveries`)
  answers = []
  sent = []
})

type Told = { id: string; type: string; timestamp: string; data: Record<string, unknown> }
/** What comes of the next messages; delivered when there is nothing left. */
let answers: (Undelivered | Error)[] = []
let sent: Told[] = []
/** Notes every message, however it ends. */
const post = async (_url: string, body: string, headers: Record<string, string> = {}) => {
  sent.push({ ...(JSON.parse(body) as Told), id: headers['webhook-id'] ?? '' })
  const fault = answers.shift()
  if (fault) throw fault
}
const fault = (kind: UndeliveredKind, pauseSeconds: number | null = null) =>
  new Undelivered(kind, `it is ${kind}`, { pauseSeconds })

async function makeChannel(kind: ChannelKind = 'webhook', target = 'https://hooks.example/') {
  const accepted = acceptChannel(kind, { target })
  if (typeof accepted === 'string') throw new Error(accepted)
  return (await channels.create(mario.id, { ...accepted, active: true })).id
}

let subjects = 0
async function raiseSome(count: number, more: Partial<Alert> = {}): Promise<readonly string[]> {
  const alerts = Array.from({ length: count }, (): Alert => {
    const subject = `s${subjects++}`
    const message = { it: `it ${subject}`, en: `en ${subject}` }
    return { userId: mario.id, type: 'rank_drop', severity: 'warning', subject, message, ...more }
  })
  await db().transaction((tx) => raise(alerts, tx))
  return await db().anyFirst(sql.type(z.object({ id: z.string() }))`
    select id from deliveries where state = 'waiting' and message_id is null order by alert_id, channel_id`)
}

/** Runs the jobs of deliveries one by one; how long each wants to wait. */
async function run(...ids: readonly string[]) {
  const waits: (number | undefined)[] = []
  for (const delivery of ids) waits.push(await runOne(delivery))
  return waits
}
const runOne = (delivery: string) =>
  sendAlert({ delivery }, tools, post).then(
    () => undefined,
    (error: unknown) => {
      if (!(error instanceof Later)) throw error
      return error.seconds
    },
  )

const Row = z.object({
  state: z.string(),
  attempts: z.int(),
  error: z.string().nullable(),
  ended: z.boolean(),
})
const logged = () =>
  db().any(sql.type(Row)`
    select state, attempts, error, ended_at is not null as ended from deliveries order by alert_id, channel_id`)
const states = async () => (await logged()).map(({ state }) => state)
const channel = (id: number) =>
  db().one(
    sql.type(
      z.object({ active: z.boolean(), failures: z.int(), rests: z.number().nullable() }),
    )`select active, failures, extract(epoch from rests_until - now())::float8 as rests from alert_channels where id = ${id}`,
  )
const secondsLater = (seconds: number) =>
  db().transaction(async (tx) => {
    const span = sql.fragment`make_interval(secs => ${seconds})`
    await tx.query(sql.typeAlias('void')`
      update deliveries set created_at = created_at - ${span}, begun_at = begun_at - ${span}`)
    await tx.query(sql.typeAlias('void')`update alert_channels set rests_until = rests_until - ${span}`)
  })

describe('a delivery', () => {
  test('is sent once, and logged', async () => {
    await makeChannel()
    const [id] = (await raiseSome(1, { details: { from: 4, to: 9 } })) as [string]
    expect(await run(id, id)).toEqual([undefined, undefined])
    expect(sent).toEqual([
      {
        id: expect.stringMatching(/^msg_[0-9a-f]{32}$/) as string,
        type: 'alert.rank_drop',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
        data: {
          id: expect.any(Number) as number,
          type: 'rank_drop',
          severity: 'warning',
          subject: `s${subjects - 1}`,
          message: `it s${subjects - 1}`,
          datetime: sent[0]?.timestamp,
          details: { from: 4, to: 9 },
        },
      },
    ])
    expect(await logged()).toEqual([{ state: 'delivered', attempts: 1, error: null, ended: true }])
  })

  test('goes to every channel of the user', async () => {
    await makeChannel()
    await makeChannel('slack', 'https://hooks.slack.com/services/T/B/X')
    await run(...(await raiseSome(1)))
    expect(sent).toHaveLength(2)
    expect(await states()).toEqual(['delivered', 'delivered'])
  })

  test('is tried again up a ladder, with the same id and body, and then no more', async () => {
    await makeChannel()
    const [id] = (await raiseSome(1)) as [string]
    const waits: number[] = []
    for (let attempt = 0; attempt < 8; attempt++) {
      answers = [fault(attempt % 2 ? 'unreachable' : 'busy')]
      waits.push((await runOne(id)) ?? Infinity)
      await db().query(sql.typeAlias('void')`update alert_channels set rests_until = null`)
    }
    const ladder = [5, 60, 300, 1800, 7200, 18_000, 36_000]
    for (const [at, seconds] of ladder.entries()) {
      expect(waits[at]).toBeGreaterThanOrEqual(seconds * 0.8)
      expect(waits[at]).toBeLessThanOrEqual(seconds * 1.2)
    }
    expect(waits[7]).toBe(Infinity)
    expect(new Set(sent.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(await logged()).toEqual([
      { state: 'failed', attempts: 8, error: 'it is unreachable', ended: true },
    ])
    await run(id)
    expect(sent).toHaveLength(8)
  })

  test('is sent after a failure that passed', async () => {
    const id = await makeChannel()
    const [delivery] = (await raiseSome(1)) as [string]
    answers = [fault('busy')]
    expect(await runOne(delivery)).toBeLessThanOrEqual(30)
    expect(await logged()).toEqual([{ state: 'waiting', attempts: 1, error: 'it is busy', ended: false }])
    expect(await channel(id)).toMatchObject({ failures: 1 })
    await run(delivery)
    expect(await logged()).toEqual([{ state: 'delivered', attempts: 2, error: null, ended: true }])
    expect(await channel(id)).toEqual({ active: true, failures: 0, rests: null })
  })

  test.each([
    ['webhook', 'https://hooks.example/', 'refused', true],
    ['webhook', 'https://hooks.example/', 'forbidden', false],
    ['slack', 'https://hooks.slack.com/services/T/B/X', 'refused', false],
    ['slack', 'https://hooks.slack.com/services/T/B/X', 'forbidden', false],
    ['slack', 'https://hooks.slack.com/services/T/B/X', 'unreachable', true],
  ] as const)('to a %s (%s) that is %s is tried again: %s', async (kind, target, outcome, again) => {
    await makeChannel(kind, target)
    answers = [fault(outcome)]
    expect((await run(...(await raiseSome(1))))[0] !== undefined).toBe(again)
    expect(await logged()).toMatchObject([{ state: again ? 'waiting' : 'failed', error: `it is ${outcome}` }])
  })

  test('waits for as long as the receiver asks, and so do the others', async () => {
    await makeChannel()
    const [first, second] = (await raiseSome(2)) as [string, string]
    answers = [fault('busy', 120)]
    expect(await runOne(first)).toBe(120)
    const [wait] = await run(second)
    expect(wait).toBeGreaterThan(110)
    expect(wait).toBeLessThan(123)
    expect(sent).toHaveLength(1)
  })

  test('is given up after a day', async () => {
    await makeChannel()
    const ids = await raiseSome(1)
    await secondsLater(86_401)
    await run(...ids)
    expect(await logged()).toMatchObject([{ state: 'failed', error: 'could not be sent for a day' }])
    expect(sent).toEqual([])
  })

  test('fails for good where the receiver is gone: its channel becomes inactive', async () => {
    const id = await makeChannel()
    const ids = await raiseSome(3)
    answers = [fault('gone')]
    expect(await run(...ids)).toEqual([undefined, undefined, undefined])
    expect(sent).toHaveLength(1)
    expect(await channel(id)).toMatchObject({ active: false })
    expect((await logged()).map(({ state, error }) => [state, error])).toEqual([
      ['failed', 'it is gone'],
      ['failed', 'the channel is not active'],
      ['failed', 'the channel is not active'],
    ])
    expect(await raiseSome(1)).toEqual([])
  })

  test('whose channel or alert was deleted is nothing', async () => {
    const id = await makeChannel()
    const ids = await raiseSome(1)
    await channels.remove(mario.id, id)
    expect(await run(...ids, randomUUID())).toEqual([undefined, undefined])
    expect(sent).toEqual([])
  })

  test('that fails for a reason of ours is left to the queue', async () => {
    await makeChannel()
    const [id] = (await raiseSome(1)) as [string]
    answers = [new Error('broken')]
    await expect(runOne(id)).rejects.toThrow('broken')
    expect(await logged()).toMatchObject([{ state: 'waiting', attempts: 0 }])
    await run(id)
    expect(await states()).toEqual(['delivered'])
  })

  test('is forgotten after a month', async () => {
    await makeChannel()
    await run(...(await raiseSome(1)))
    expect(await sweepDeliveries()).toBe(0)
    await secondsLater(31 * 86_400)
    expect(await sweepDeliveries()).toBe(1)
  })
})

describe('many alerts', () => {
  test('up to five at once are told one by one', async () => {
    await makeChannel()
    await run(...(await raiseSome(5)))
    expect(sent.map(({ type }) => type)).toEqual(Array(5).fill('alert.rank_drop'))
  })

  test('fifty at once are one digest for each channel, whoever is first', async () => {
    await makeChannel()
    await makeChannel('slack', 'https://hooks.slack.com/services/T/B/X')
    const ids = await raiseSome(50)
    await Promise.all(ids.map(runOne))
    expect(sent).toHaveLength(2)
    const digest = sent.find(({ id }) => id) as Told
    expect(digest.type).toBe('alert.digest')
    expect(digest.data).toMatchObject({ count: 50 })
    expect(digest.data['alerts']).toHaveLength(50)
    expect(new Set(await states())).toEqual(new Set(['delivered']))
  })

  test('one after the other within a minute are five messages, and a digest when it is over', async () => {
    await makeChannel()
    for (let raised = 0; raised < 5; raised++) await run(...(await raiseSome(1)))
    const late: string[] = []
    for (let raised = 0; raised < 45; raised++) late.push((await raiseSome(1)).at(-1)!)
    const waits = await run(...late)
    expect(sent).toHaveLength(5)
    for (const wait of waits) expect(wait).toBeGreaterThan(50)
    await secondsLater(61)
    expect(new Set(await run(...late))).toEqual(new Set([undefined]))
    expect(sent.slice(5)).toMatchObject([{ type: 'alert.digest', data: { count: 45 } }])
  })

  test('a digest is tried again as it was, though more has come', async () => {
    await makeChannel()
    const ids = await raiseSome(10)
    answers = [fault('busy')]
    const waits = await run(...ids)
    expect(waits.filter((wait) => wait !== undefined)).toHaveLength(1)
    const [more] = (await raiseSome(1)) as [string]
    const leader = ids[waits.findIndex((wait) => wait !== undefined)]!
    await run(leader, more)
    expect(sent).toHaveLength(3)
    expect(sent[1]).toEqual(sent[0])
    expect(sent[2]?.type).toBe('alert.rank_drop')
    expect(await logged()).toEqual([
      ...Array.from({ length: 10 }, () => ({ state: 'delivered', attempts: 2, error: null, ended: true })),
      { state: 'delivered', attempts: 1, error: null, ended: true },
    ])
  })

  test('a digest tells the worst, and counts the others', async () => {
    await makeChannel()
    const ids = await raiseSome(60)
    await raiseSome(1, { severity: 'critical' })
    await run(...ids)
    const { alerts, count } = sent[0]!.data as { count: number; alerts: { severity: string; id: number }[] }
    expect([count, alerts.length, alerts[0]?.severity]).toEqual([61, 50, 'critical'])
    const rest = alerts.slice(1).map(({ id }) => id)
    expect(rest).toEqual(rest.toSorted((a, b) => a - b))
  })

  test('one channel that is full does not hold up another', async () => {
    await makeChannel()
    for (let raised = 0; raised < 5; raised++) await run(...(await raiseSome(1)))
    await makeChannel()
    await Promise.all((await raiseSome(1)).map(runOne))
    expect(sent).toHaveLength(6)
  })
})

describe('a channel that fails', () => {
  /** Five messages that fail one after the other. */
  async function breakDown() {
    const ids = await raiseSome(5)
    answers = Array.from({ length: 5 }, () => fault('unreachable'))
    await run(...ids)
    return ids
  }

  test('is left alone for a while after five failures', async () => {
    const id = await makeChannel()
    const [first] = await breakDown()
    expect(await channel(id)).toMatchObject({ failures: 5 })
    const { rests } = await channel(id)
    expect(rests).toBeGreaterThan(13)
    expect(rests).toBeLessThanOrEqual(15)
    const ids = await raiseSome(1)
    const [wait] = await run(...ids)
    expect(wait).toBeGreaterThan(13)
    expect(sent).toHaveLength(5)
    // A first retry is made within 30 s come what may.
    await run(first!)
    expect(sent).toHaveLength(6)
  })

  test('is tried by one message after its rest, and the others wait for that', async () => {
    const id = await makeChannel()
    await breakDown()
    await secondsLater(61)
    const [one, two] = (await raiseSome(2)) as [string, string]
    answers = [fault('busy')]
    expect(await runOne(one)).toBeDefined()
    expect((await channel(id)).rests).toBeGreaterThan(28)
    expect(await runOne(two)).toBeGreaterThan(28)
    expect(sent).toHaveLength(6)
    await secondsLater(61)
    await run(two)
    expect(await channel(id)).toEqual({ active: true, failures: 0, rests: null })
  })

  test('rests an hour at most', async () => {
    const id = await makeChannel()
    for (let failures = 0; failures < 40; failures++) await channels.noteFailure(id, null)
    expect((await channel(id)).rests).toBeLessThanOrEqual(3600)
  })

  test('is well again once its owner says so', async () => {
    const id = await makeChannel()
    await breakDown()
    await channels.change(mario.id, id, { active: true })
    expect(await channel(id)).toEqual({ active: true, failures: 0, rests: null })
  })
})

describe('words', () => {
  const text = async (count: number, more: Partial<Alert> = {}) => {
    await makeChannel('slack', 'https://hooks.slack.com/services/T/B/X')
    const said: string[] = []
    for (const delivery of await raiseSome(count, more))
      await sendAlert({ delivery }, tools, async (_, body) => {
        said.push((JSON.parse(body) as { text: string }).text)
      })
    return said
  }
  test.each([
    ['it', 1, 'critical', [/^\[Critico\] it s\d+$/]],
    ['en', 1, 'warning', [/^\[Warning\] en s\d+$/]],
    ['it', 6, 'info', [/^6 avvisi\n(\[Info\] it s\d+\n?){6}$/]],
    ['en', 52, 'info', [/^52 alerts\n(\[Info\] en s\d+\n){50}… and 2 more$/]],
  ] as const)('are those of the user: %s, %d', async (locale, count, severity, words) => {
    await setAccount(mario.email, { locale })
    expect(await text(count, { severity })).toEqual(
      words.map((each) => expect.stringMatching(each) as string),
    )
    await setAccount(mario.email, { locale: 'it' })
  })
})

describe('a test of a channel', () => {
  test('is a message of its own kind', async () => {
    const id = await makeChannel()
    await testChannel({ channel: id }, tools, post)
    expect(sent).toMatchObject([{ type: 'alert.test', data: { message: expect.stringContaining('prova') } }])
  })
  test('that is not delivered says why, and counts for nothing', async () => {
    const id = await makeChannel()
    answers = [fault('refused')]
    await expect(testChannel({ channel: id }, tools, post)).rejects.toMatchObject({
      key: 'upstream_failed',
      params: { reason: 'it is refused' },
    })
    expect(await channel(id)).toEqual({ active: true, failures: 0, rests: null })
    answers = [fault('gone')]
    await expect(testChannel({ channel: id }, tools, post)).rejects.toMatchObject({ key: 'upstream_failed' })
    expect(await channel(id)).toMatchObject({ active: false })
  })
  test('of a channel that was deleted is not found', async () => {
    await expect(testChannel({ channel: 999_999 }, tools, post)).rejects.toMatchObject({ key: 'not_found' })
  })
})

test('is measured by kind and outcome', async () => {
  const count = async (outcome: string) =>
    (await registry.getSingleMetric('seo_alert_deliveries_total')?.get())?.values.find(
      ({ labels }) => labels['kind'] === 'telegram' && labels['outcome'] === outcome,
    )?.value ?? 0
  await makeChannel('telegram', 'tgram://1:x/2')
  const ids = await raiseSome(3)
  answers = [fault('busy'), fault('refused')]
  await run(...ids)
  expect(await Promise.all(['retried', 'failed', 'delivered'].map(count))).toEqual([1, 1, 1])
  const ages = await registry.getSingleMetric('seo_alert_delivery_age_seconds')?.get()
  expect(ages?.values.some(({ labels, value }) => labels['kind'] === 'telegram' && value > 0)).toBe(true)
})
