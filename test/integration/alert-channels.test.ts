import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'

import * as channels from '../../sql/alert-channels.ts'
import { db, sql } from '../../sql/pool.ts'
import { unsubscribeToken } from '../../sql/unsubscribe.ts'
import { raise } from '../../tasks/alerts/raise.ts'
import { useApi } from '../support/api.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'

useDatabase()
const api = useApi()
let mario: Person
let giulia: Person

beforeAll(async () => {
  mario = await makePerson('admin')
  giulia = await makePerson('giulia')
})
beforeEach(async () => {
  await db().query(sql.typeAlias('void')`truncate alert_channels cascade`)
})

type Channel = {
  id: number
  kind: string
  target: string
  active: boolean
  datetime: string
  secret?: string
}

const post = (json: object, as = mario) => api.post<Channel>('/alert-channels', { as, json })
const patch = (id: number, json: object, as = mario) =>
  api.patch<Channel>(`/alert-channels/${id}`, { as, json })
const listed = async (as = mario) => (await api.get<Channel[]>('/alert-channels', { as })).body
async function make(json: object, as = mario) {
  const { status, text, body } = await post(json, as)
  expect([status, text]).toEqual([201, expect.any(String)])
  return body.data
}
const hook = { kind: 'webhook', target: 'https://example.com/hook' }
const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
const token = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw'

const targets = {
  webhook: ['https://example.com/hook?a=1', 'http://127.0.0.1:9000', 'https://example.com:8443/x#y'],
  slack: ['https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX'],
  discord: [
    'https://discord.com/api/webhooks/1234/ab-C_d',
    'https://discordapp.com/api/v10/webhooks/1234/abc',
    'https://canary.discord.com/api/webhooks/1/x',
  ],
  teams: [
    'https://prod-00.westeurope.logic.azure.com:443/workflows/ab/triggers/manual/paths/invoke?api-version=2016-06-01&sig=x',
    'https://default0.1a.environment.api.powerplatform.com:443/powerautomate/automations/direct/workflows/a/triggers/manual/paths/invoke?sig=x',
  ],
  telegram: [`tgram://${token}/-1001234`, `tgram://${token}/@channel`],
  email: ['mario@example.com', 'mario.rossi+seo@mail.example.co.uk'],
}
const kinds = Object.entries(targets)

describe('POST /alert-channels', () => {
  test.each(kinds.flatMap(([kind, good]) => good.map((target) => [kind, target])))(
    'takes the %s %s',
    async (kind, target) => {
      const { secret, ...channel } = await make({ kind, target: ` ${target} ` })
      const shown = kind === 'telegram' ? target.replace(token, '••••••••') : target
      expect(channel).toEqual({
        id: expect.any(Number) as number,
        kind,
        target: shown,
        active: true,
        datetime: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string,
      })
      expect(secret?.replace(/^whsec_[A-Za-z0-9+/]{43}=$/, 'made')).toBe(
        kind === 'webhook' ? 'made' : undefined,
      )
      expect((await listed()).data).toEqual([channel])
    },
  )

  test.each([
    ['webhook', 'ftp://example.com/'],
    ['webhook', 'example.com'],
    ['webhook', 'https://user:pass@example.com/'],
    ['webhook', 'javascript:alert(1)'],
    ['webhook', `https://example.com/${'x'.repeat(2048)}`],
    ['webhook', ''],
    ['webhook', 7],
    ['slack', 'https://example.com/services/T/B/X'],
    ['slack', 'https://hooks.slack.com.example.com/services/T/B/X'],
    ['slack', 'http://hooks.slack.com/services/T/B/X'],
    ['slack', 'https://example.com/?https://hooks.slack.com/services/T/B/X'],
    ['slack', 'https://hooks.slack.com/services/'],
    ['discord', 'https://discord.com/channels/1/2'],
    ['discord', 'https://discord.com.evil.example/api/webhooks/1/x'],
    ['discord', 'https://evil-discord.com/api/webhooks/1/x'],
    ['teams', 'https://contoso.webhook.office.com/webhookb2/a/IncomingWebhook/b/c'],
    ['teams', 'https://logic.azure.com.example/workflows/a/triggers/manual/paths/invoke'],
    ['teams', 'https://evillogic.azure.com/workflows/a/triggers/manual/paths/invoke'],
    ['telegram', `https://api.telegram.org/bot${token}/sendMessage`],
    ['telegram', 'tgram://token/1'],
    ['telegram', `tgram://${token}`],
    ['telegram', `tgram://${token}/1/../2`],
    ['telegram', `tgram://••••••••/1`],
    ['email', 'mario'],
    ['email', 'mario@example.com, giulia@example.com'],
    ['email', 'mario@example.com\nBcc: giulia@example.com'],
    ['email', 'Mario <mario@example.com>'],
  ])('refuses the %s %j', async (kind, target) => {
    const { status, body } = await post({ kind, target })
    expect([status, body.errors]).toEqual([
      422,
      [{ title: expect.stringContaining('target'), status: '422' }],
    ])
  })

  test.each([
    [{ target: 'https://example.com/' }, 'kind'],
    [{ kind: 'pager', target: 'https://example.com/' }, 'kind'],
    [{ kind: 'toString', target: 'https://example.com/' }, 'kind'],
    [{ kind: 'webhook' }, 'target'],
    [{ ...hook, active: 'perhaps' }, 'active'],
    [{ ...hook, secret: 'hunter2' }, 'secret'],
    [{ ...hook, secret: secretOf(15) }, 'secret'],
    [{ ...hook, secret: secretOf(65) }, 'secret'],
    [{ ...hook, secret: `${secretOf(32)}!` }, 'secret'],
    [{ ...hook, secret: 5 }, 'secret'],
  ])('%j is 422', async (json, field) => {
    const { status, body } = await post(json)
    expect([status, body.errors[0]?.title]).toEqual([422, expect.stringContaining(field)])
  })

  test('keeps a secret that is given, and shows it once', async () => {
    const secret = secretOf(24)
    const { id, ...made } = await make({ ...hook, secret })
    expect(made.secret).toBe(secret)
    expect((await make({ ...hook, secret: '' })).secret).toMatch(/^whsec_/)
    expect(JSON.stringify(await listed())).not.toContain('whsec_')
    expect((await patch(id, { active: false })).text).not.toContain('whsec_')
    expect((await channels.address(id))?.secrets).toEqual([secret])
    expect(await make({ kind: 'email', target: 'a@example.com', secret })).not.toHaveProperty('secret')
  })

  test('may begin inactive', async () => {
    expect(await make({ ...hook, active: false })).toMatchObject({ active: false })
  })

  test('makes no more than 20', async () => {
    for (let made = 0; made < 20; made++) await make(hook, giulia)
    expect((await post(hook, giulia)).status).toBe(422)
    expect((await post(hook)).status).toBe(201)
  })
})

describe('one channel', () => {
  test('changes what is sent and nothing else', async () => {
    const { id, secret } = await make(hook)
    const target = 'https://example.org/other'
    expect((await patch(id, { target })).body.data).toMatchObject({ id, target, active: true })
    expect((await patch(id, { active: 'no' })).body.data).toMatchObject({ target, active: false })
    expect((await channels.address(id))?.secrets).toEqual([secret])
  })

  test('signs with the new and the old secret for a day', async () => {
    const { id, secret } = await make(hook)
    const next = secretOf(32)
    expect((await patch(id, { secret: next })).status).toBe(200)
    expect((await channels.address(id))?.secrets).toEqual([next, secret])
    await db().query(sql.typeAlias('void')`
      update alert_channels set old_secret_until = old_secret_until - interval '24 hours' where id = ${id}`)
    expect((await channels.address(id))?.secrets).toEqual([next])
  })

  test.each([
    [{}],
    [{ kind: 'slack' }],
    [{ target: 'mailto:x' }],
    [{ target: null }],
    [{ secret: '' }],
    [{ secret: 'x' }],
    [{ active: 'perhaps' }],
  ])('cannot be changed by %j', async (json) => {
    const { id } = await make(hook)
    expect((await patch(id, json)).status).toBe(422)
  })

  test('keeps to its kind', async () => {
    const { id } = await make({ kind: 'email', target: 'mario@example.com' })
    expect((await patch(id, { target: 'https://example.com/' })).status).toBe(422)
    expect((await patch(id, { secret: secretOf(32) })).status).toBe(422)
    expect((await patch(id, { target: 'giulia@example.com' })).status).toBe(200)
  })

  test('is deleted with its deliveries', async () => {
    const { id } = await make(hook)
    const message = { it: 'x', en: 'x' }
    await db().transaction((tx) =>
      raise([{ userId: mario.id, type: 'rank_drop', severity: 'info', subject: 'x', message }], tx),
    )
    const gone = await api.delete<{ id: number }>(`/alert-channels/${id}`, { as: mario })
    expect([gone.status, gone.body.data]).toEqual([200, { id }])
    expect((await listed()).meta.total_results).toBe(0)
    expect(await db().any(sql.type(z.unknown())`select 1 from deliveries`)).toEqual([])
  })

  test("is nobody else's", async () => {
    const { id } = await make(hook)
    expect((await patch(id, { active: false }, giulia)).status).toBe(404)
    expect((await patch(id, { active: 'perhaps' }, giulia)).status).toBe(404)
    expect((await api.delete(`/alert-channels/${id}`, { as: giulia })).status).toBe(404)
    expect((await api.post(`/alert-channels/${id}/test`, { as: giulia })).status).toBe(404)
    expect((await listed(giulia)).data).toEqual([])
    expect((await listed()).data).toMatchObject([{ active: true }])
  })

  test.each([
    ['PATCH', '/alert-channels/999999', 404],
    ['DELETE', '/alert-channels/0', 404],
    ['POST', '/alert-channels/x/test', 404],
    ['PATCH', '/alert-channels', 405],
    ['GET', '/alert-channels/1/test', 405],
  ])('%s %s is %d', async (method, path, status) => {
    expect((await api.call(method, path, { as: mario })).status).toBe(status)
  })
})

test('a channel can be tested 60 times an hour', async () => {
  const { id } = await make(hook)
  await db().query(sql.typeAlias('void')`
    insert into quota_uses (user_id, quota) select ${mario.id}, 'alert-tests' from generate_series(1, 60)`)
  expect((await api.post(`/alert-channels/${id}/test`, { as: mario })).status).toBe(429)
})

describe('at rest', () => {
  /** Every row of every table, as text. */
  async function dump() {
    const tables = await db().any(sql.type(z.object({ schema: z.string(), name: z.string() }))`
      select table_schema as schema, table_name as name from information_schema.tables
       where table_schema in ('public', 'graphile_worker') and table_type = 'BASE TABLE'`)
    const texts = await Promise.all(
      tables.map(({ schema, name }) =>
        db().any(sql.type(z.object({ row: z.string() }))`
          select to_jsonb(t)::text as row from ${sql.identifier([schema, name])} t`),
      ),
    )
    return texts.flat().map(({ row }) => row)
  }

  test('no target and no secret can be read in the database', async () => {
    const secrets = [secretOf(30), secretOf(40)]
    const { id } = await make({ ...hook, secret: secrets[0] })
    await patch(id, { secret: secrets[1] })
    for (const [kind, [target]] of kinds) await make({ kind, target })
    const rows = await dump()
    expect(rows.filter((row) => row.includes('"target": "v1.'))).toHaveLength(1 + kinds.length)
    const whole = rows.join('\n')
    for (const word of [
      token,
      token.split(':')[1]!,
      'XXXXXXXX',
      'sig=x',
      '/hook',
      'ab-C_d',
      'mario@example.com',
      ...secrets.flatMap((secret) => [secret, secret.slice('whsec_'.length)]),
    ])
      expect(whole).not.toContain(word)
  })

  test("a row of another user's does not open", async () => {
    const { id } = await make(hook)
    await db().query(sql.typeAlias('void')`update alert_channels set user_id = ${giulia.id} where id = ${id}`)
    await expect(channels.address(id)).rejects.toThrow(/authenticate/)
  })
})

describe('the link in a mail', () => {
  const at = (token: string, method = 'GET') => fetch(`${api.url}/unsubscribe/${token}`, { method })
  const isActive = async () => (await listed()).data[0]?.active

  test('ends the mails of its channel, but not by being looked at', async () => {
    const { id, target } = await make({ kind: 'email', target: 'mario@example.com' })
    const token = unsubscribeToken({ id, target })
    const page = await at(token)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<form method="post">')])
    expect(await isActive()).toBe(true)
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    expect((await fetch(`${api.url}/unsubscribe/${token}`, { method: 'POST', body })).status).toBe(200)
    expect(await isActive()).toBe(false)
  })

  test('is of no use for another channel or another address', async () => {
    const { id, target } = await make({ kind: 'email', target: 'mario@example.com' })
    const token = unsubscribeToken({ id, target })
    await patch(id, { target: 'giulia@example.com' })
    const other = await make(hook)
    const [, signature] = token.split('.')
    for (const each of [
      token,
      `${other.id}.${signature}`,
      `0${token}`,
      `${id}.`,
      `${id}.${'A'.repeat(43)}`,
      'x',
    ])
      for (const method of ['GET', 'POST']) expect((await at(each, method)).status).toBe(404)
    expect(await isActive()).toBe(true)
  })
})
