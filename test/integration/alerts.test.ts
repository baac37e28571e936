import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { setAccount } from '../../sql/accounts.ts'
import { db, sql } from '../../sql/pool.ts'
import { sweepIncidents } from '../../sql/sweep.ts'
import { type Alert, raise, recover } from '../../tasks/alerts/raise.ts'
import { registry } from '../../telemetry.ts'
import { useApi } from '../support/api.ts'
import { readCsv } from '../support/csv.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'
import { emptyQueue, queued } from '../support/jobs.ts'

useDatabase()
const api = useApi()
let mario: Person
let giulia: Person

beforeAll(async () => {
  mario = await makePerson('admin')
  giulia = await makePerson('giulia')
  await setAccount(giulia.email, { locale: 'en' })
})
beforeEach(async () => {
  await db().query(
    sql.typeAlias('void')`truncate alerts, incidents, alert_channels, deliveries restart identity`,
  )
  await emptyQueue()
})

type Row = { id: number; type: string; severity: string; message: string; is_read: boolean; datetime: string }

const drop = (subject: string, more: Partial<Alert> = {}): Alert => ({
  userId: mario.id,
  type: 'rank_drop',
  severity: 'warning',
  subject,
  message: { it: `${subject} è scesa`, en: `${subject} fell` },
  ...more,
})
const raiseNow = (...alerts: Alert[]) => db().transaction((tx) => raise(alerts, tx))
const recoverNow = (subject: string) => recover([{ userId: mario.id, type: 'rank_drop', subject }])
const listed = async (query = '', as = mario) => (await api.get<Row[]>(`/alerts${query}`, { as })).body
const messages = async (query = '', as = mario) =>
  (await listed(query, as)).data.map(({ message }) => message)
const hoursLater = (hours: number) =>
  db().query(sql.typeAlias('void')`
    update incidents set quiet_until = quiet_until - make_interval(hours => ${hours})`)

async function makeChannel(as = mario, active = true) {
  const json = { kind: 'webhook', target: 'https://hooks.example/', active }
  return (await api.post<{ id: number }>('/alert-channels', { as, json })).body.data.id
}
const deliveries = () =>
  db().any(sql.type(z.object({ id: z.string(), alert_id: z.int(), channel_id: z.int() }))`
    select id, alert_id, channel_id from deliveries order by alert_id, channel_id`)

describe('raising', () => {
  test('stores the message of the language of each user', async () => {
    await raiseNow(drop('a'), drop('a', { userId: giulia.id }))
    expect(await messages()).toEqual(['a è scesa'])
    expect(await messages('', giulia)).toEqual(['a fell'])
  })

  test('makes a delivery and a job for each alert and active channel, and none without the transaction', async () => {
    const [first, second] = [await makeChannel(), await makeChannel()]
    await makeChannel(mario, false)
    await makeChannel(giulia)
    await expect(
      db().transaction(async (tx) => {
        await raise([drop('lost')], tx)
        throw new Error('undone')
      }),
    ).rejects.toThrow('undone')
    expect([await messages(), await deliveries(), await queued()]).toEqual([[], [], []])

    expect(await raiseNow(drop('a'), drop('b'))).toBe(2)
    const made = await deliveries()
    const ids = (await listed()).data.map(({ id }) => id).toSorted((a, b) => a - b)
    expect(made.map(({ alert_id, channel_id }) => [alert_id, channel_id])).toEqual(
      ids.flatMap((id) => [first, second].map((channel) => [id, channel])),
    )
    const jobs = await queued()
    expect(new Set(jobs.map(({ task }) => task))).toEqual(new Set(['alerts.send']))
    expect(new Set(jobs.map(({ payload }) => payload['delivery']))).toEqual(new Set(made.map(({ id }) => id)))
  })

  test('a suspended user is written to, but nothing is sent', async () => {
    await makeChannel(giulia)
    await setAccount(giulia.email, { status: 'suspended' })
    expect(await raiseNow(drop('a', { userId: giulia.id }))).toBe(1)
    expect(await deliveries()).toEqual([])
    await setAccount(giulia.email, { status: 'active' })
  })

  test('a user who is gone, and no alert at all, are nothing', async () => {
    expect(await raiseNow(drop('a', { userId: 999_999 }))).toBe(0)
    expect(await raiseNow()).toBe(0)
  })

  test('a long message is cut between characters', async () => {
    await raiseNow(drop('a', { message: { it: '😀'.repeat(2000), en: '' } }))
    expect(await messages()).toEqual(['😀'.repeat(1000)])
  })

  test('is counted by type', async () => {
    const count = async () =>
      (await registry.getSingleMetric('seo_alerts_raised_total')?.get())?.values.find(
        ({ labels }) => labels['type'] === 'rank_gain',
      )?.value ?? 0
    const before = await count()
    await raiseNow(drop('a', { type: 'rank_gain' }), drop('b', { type: 'rank_gain' }), drop('c'))
    await raiseNow(drop('a', { type: 'rank_gain' }))
    expect((await count()) - before).toBe(2)
  })
})

describe('an incident', () => {
  test('is alerted of once in a cooldown', async () => {
    expect(await raiseNow(drop('a'))).toBe(1)
    expect(await raiseNow(drop('a'), drop('b'))).toBe(1)
    await hoursLater(23)
    expect(await raiseNow(drop('a'))).toBe(0)
    await hoursLater(1)
    expect(await raiseNow(drop('a'))).toBe(1)
    expect(await raiseNow(drop('a'))).toBe(0)
  })

  test('is its own for each user, type and subject', async () => {
    await raiseNow(drop('a'))
    expect(
      await raiseNow(drop('b'), drop('a', { type: 'rank_gain' }), drop('a', { userId: giulia.id })),
    ).toBe(3)
  })

  test('lasts until it is recovered from where the cooldown is null, however long', async () => {
    const open = drop('a', { cooldownHours: null })
    expect(await raiseNow(open)).toBe(1)
    await hoursLater(10_000)
    expect(await raiseNow(open)).toBe(0)
    expect(await sweepIncidents()).toBe(0)
    await recoverNow('a')
    expect(await raiseNow(open)).toBe(1)
  })

  test('that is closed is alerted of again at once; others stay open', async () => {
    await raiseNow(drop('a'), drop('b'))
    await recoverNow('a')
    await recover([])
    expect(await raiseNow(drop('a'), drop('b'))).toBe(1)
    expect(await messages()).toEqual(['a è scesa', 'b è scesa', 'a è scesa'])
  })

  test('that gets worse is alerted of at once, one that gets better is not', async () => {
    expect(await raiseNow(drop('a', { severity: 'info' }))).toBe(1)
    expect(await raiseNow(drop('a', { severity: 'critical', cooldownHours: null }))).toBe(1)
    expect(await raiseNow(drop('a', { severity: 'warning' }))).toBe(0)
  })

  test('that is given twice is alerted of once, at its worst', async () => {
    expect(
      await raiseNow(drop('a'), drop('a', { severity: 'critical' }), drop('a', { severity: 'info' })),
    ).toBe(1)
    expect((await listed()).data).toMatchObject([{ severity: 'critical' }])
  })

  test('is alerted of once, however many raise it at once and in whatever order', async () => {
    const all = Array.from({ length: 20 }, (_, at) => drop(`s${at}`))
    const raised = await Promise.all(
      Array.from({ length: 8 }, (_, at) => raiseNow(...(at % 2 ? all : all.toReversed()))),
    )
    expect(raised.reduce((sum, each) => sum + each, 0)).toBe(20)
    expect((await listed()).meta.total_results).toBe(20)
  })
})

describe('GET /alerts', () => {
  test('has exactly the fields of an alert, newest first', async () => {
    await raiseNow(drop('a'))
    await raiseNow(drop('b', { severity: 'critical' }))
    const { data, meta } = await listed()
    expect(data).toEqual([
      {
        id: expect.any(Number) as number,
        type: 'rank_drop',
        severity: 'critical',
        message: 'b è scesa',
        is_read: false,
        datetime: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string,
      },
      expect.objectContaining({ message: 'a è scesa' }),
    ])
    expect(meta).toEqual({ page: 1, per_page: 25, total_results: 2, total_pages: 1 })
  })

  test.each([
    ['', ['b', 'a']],
    ['?is_read=1', ['a']],
    ['?is_read=TRUE', ['a']],
    ['?is_read=0', ['b']],
    ['?is_read=no', ['b']],
    ['?is_read=', ['b']],
    ['?per_page=1', ['b']],
    ['?per_page=1&page=2', ['a']],
    ['?page=3&per_page=1', []],
    ['?unknown=1', ['b', 'a']],
  ])('%s', async (query, subjects) => {
    await raiseNow(drop('a'))
    await api.patch('/alerts', { as: mario })
    await raiseNow(drop('b'))
    expect(await messages(query)).toEqual(subjects.map((subject) => `${subject} è scesa`))
  })

  test('what is no truth is 422', async () => {
    expect((await api.get('/alerts?is_read=perhaps', { as: mario })).status).toBe(422)
  })

  test('comes as CSV', async () => {
    await raiseNow(drop('a', { message: { it: '=1+1', en: '' } }))
    const { text } = await api.get('/alerts?format=csv', { as: mario })
    expect(text).toMatch(/^id,type,severity,message,is_read,datetime\r\n/)
    expect(readCsv(text)).toMatchObject([{ severity: 'warning', message: "'=1+1", is_read: '0' }])
  })

  test('is the own ones', async () => {
    await raiseNow(drop('a'))
    expect(await messages('', giulia)).toEqual([])
  })
})

describe('marking', () => {
  test('one alert is read, and unread again', async () => {
    await raiseNow(drop('a'), drop('b'))
    const [{ id }] = (await listed()).data as [Row]
    const patch = async (json?: object, as = mario) => {
      const { status, body } = await api.patch(`/alerts/${id}`, { as, json })
      return { status, data: body.data }
    }
    expect(await patch({})).toEqual({ status: 200, data: { id, is_read: true } })
    expect(await patch()).toEqual({ status: 200, data: { id, is_read: true } })
    expect((await listed('?is_read=1')).data).toHaveLength(1)
    expect(await patch({ is_read: 'off' })).toEqual({ status: 200, data: { id, is_read: false } })
    expect((await patch({ is_read: 'perhaps' })).status).toBe(422)
    expect((await patch({}, giulia)).status).toBe(404)
    expect((await listed('?is_read=1')).data).toHaveLength(0)
  })

  test('all of them are, and those of others are not', async () => {
    await raiseNow(drop('a'), drop('b'), drop('c', { userId: giulia.id }))
    const patch = async (json?: object) => (await api.patch('/alerts', { as: mario, json })).body.data
    expect(await patch()).toEqual({ updated: 2 })
    expect(await patch({ is_read: true })).toEqual({ updated: 0 })
    expect(await messages('?is_read=0')).toEqual([])
    expect(await messages('?is_read=0', giulia)).toEqual(['c fell'])
    expect(await patch({ is_read: false })).toEqual({ updated: 2 })
  })

  test.each([
    ['PATCH', '/alerts/0', 404],
    ['PATCH', '/alerts/x', 404],
    ['PATCH', '/alerts/99999', 404],
    ['POST', '/alerts', 405],
    ['GET', '/alerts/1', 405],
    ['DELETE', '/alerts/1', 405],
  ])('%s %s is %d', async (method, path, status) => {
    expect((await api.call(method, path, { as: mario })).status).toBe(status)
  })
})
