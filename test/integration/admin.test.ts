import { execFile } from 'node:child_process'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { childEnvironment } from '../../config.ts'
import { createAccount, createFirstAccount, findId } from '../../sql/accounts.ts'
import { create as createChannel, list as listChannels } from '../../sql/alert-channels.ts'
import { connectionOf, replaceConnection, scopes, tokensOf } from '../../sql/external-accounts.ts'
import { hashKey, looksLikeKey, makeKey, maskKey } from '../../sql/keys.ts'
import { migrate } from '../../sql/migrate.ts'
import { db, sql } from '../../sql/pool.ts'
import { sealedBy } from '../../sql/secrets.ts'
import { useDatabase } from '../support/database.ts'
import { dumpDatabase } from '../support/dump.ts'

const database = useDatabase()

type Outcome = { code: number; stdout: string; stderr: string }

function call(more: Record<string, string>, ...words: string[]): Promise<Outcome> {
  const env = childEnvironment({}, { DATABASE_URL: database.url, LOG_LEVEL: 'info', ...more })
  const options = { cwd: join(import.meta.dirname, '../..'), env }
  return new Promise((resolve) => {
    execFile(process.execPath, ['admin.ts', ...words], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}

/** The one JSON document of a call that went well. */
async function admin(...words: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await call({}, ...words)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  return JSON.parse(stdout)
}

/** The one line of a call that was refused. */
async function refused(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await call({}, ...words)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^admin: [^\n]+\n$/)
  return stderr.slice('admin: '.length).trimEnd()
}

const ownerOf = (key: string) =>
  db().maybeOneFirst(sql.type(z.object({ email: z.string() }))`
    select email from users where key_hash = ${sql.binary(hashKey(key))}`)

describe('accounts', () => {
  test('are made with a key that is stored as its hash', async () => {
    const made = z
      .strictObject({ id: z.int(), email: z.string(), plan: z.string(), type: z.int(), api_key: z.string() })
      .parse(await admin('account', 'create', '--email', 'mario@example.test', '--name', 'Mario'))
    expect(made).toMatchObject({ email: 'mario@example.test', plan: 'default', type: 0 })
    expect(looksLikeKey(made.api_key)).toBe(true)
    expect(await ownerOf(made.api_key)).toBe('mario@example.test')
    const stored = await db().oneFirst(sql.type(z.object({ whole: z.string() }))`
      select to_jsonb(users)::text as whole from users where id = ${made.id}`)
    expect(stored).toContain(maskKey(made.api_key))
    expect(stored).not.toContain(made.api_key)
  })

  test('can be administrators on another plan', async () => {
    await admin('plan', 'set', 'big', '--max-pages', '10000')
    expect(
      await admin('account', 'create', '--email', 'giulia@example.test', '--plan', 'big', '--admin'),
    ).toMatchObject({
      plan: 'big',
      type: 1,
    })
  })

  test('are listed and changed', async () => {
    await admin('account', 'create', '--email', 'anna@example.test')
    const change = ['--plan', 'big', '--status', 'suspended', '--locale', 'en']
    const changed = await admin('account', 'set', '--email', 'Anna@Example.test', ...change)
    expect(changed).toMatchObject({
      email: 'anna@example.test',
      plan: 'big',
      status: 'suspended',
      locale: 'en',
    })
    expect(await admin('account', 'list')).toContainEqual(changed)
  })

  test('get a new key, and the old one dies', async () => {
    const Key = z.looseObject({ api_key: z.string() })
    const { api_key: old } = Key.parse(await admin('account', 'create', '--email', 'luca@example.test'))
    const { api_key: fresh } = Key.parse(await admin('account', 'rotate-key', '--email', 'luca@example.test'))
    expect(await ownerOf(old)).toBeNull()
    expect(await ownerOf(fresh)).toBe('luca@example.test')
  })

  test('the first one is made once, however many ask', async () => {
    await db().query(sql.type(z.object({}))`delete from users`)
    const asked = Array.from({ length: 5 }, (_, at) =>
      createFirstAccount({ email: `first-${at}@example.test`, name: '', key: makeKey() }),
    )
    expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1)
    expect(await createFirstAccount({ email: 'late@example.test', name: '', key: makeKey() })).toBeNull()
  })
})

test('plans are made and then changed', async () => {
  expect(await admin('plan', 'set', 'pro')).toEqual({
    name: 'pro',
    api: true,
    max_pages: 200,
    refresh_hours: 24,
  })
  expect(await admin('plan', 'set', 'pro', '--max-pages', '500')).toEqual({
    name: 'pro',
    api: true,
    max_pages: 500,
    refresh_hours: 24,
  })
  const closed = await admin('plan', 'set', 'pro', '--api', 'false')
  expect(closed).toEqual({ name: 'pro', api: false, max_pages: 500, refresh_hours: 24 })
  expect(await admin('plan', 'list')).toEqual(
    expect.arrayContaining([{ name: 'default', api: true, max_pages: 200, refresh_hours: 24 }, closed]),
  )
})

test('the API is switched off and on', async () => {
  expect(await admin('setting', 'set', 'api_enabled', 'false')).toEqual({ name: 'api_enabled', value: false })
  expect(await admin('setting', 'list')).toEqual([{ name: 'api_enabled', value: false }])
  await admin('setting', 'set', 'api_enabled', 'true')
  expect(await admin('setting', 'list')).toEqual([{ name: 'api_enabled', value: true }])
})

test('migrating again, several at once, changes nothing', async () => {
  await admin('setting', 'set', 'api_enabled', 'false')
  await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)])
  expect(await admin('setting', 'list')).toEqual([{ name: 'api_enabled', value: false }])
})

const hook = 'https://hooks.example/seo'
const channel = ['channel', 'add', '--email', 'first-taken@example.test']

test('channels are added and listed; a secret is shown once', async () => {
  const email = 'channels@example.test'
  await admin('account', 'create', '--email', email)
  const add = (...words: string[]) => admin('channel', 'add', '--email', email, ...words)
  const made = await add('--kind', 'webhook', '--target', hook)
  expect(made).toEqual({
    id: expect.any(Number) as number,
    kind: 'webhook',
    target: hook,
    active: true,
    datetime: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string,
    secret: expect.stringMatching(/^whsec_/) as string,
  })
  const secret = `whsec_${Buffer.alloc(32).toString('base64')}`
  expect(await add('--kind', 'webhook', '--target', hook, '--secret', secret)).toMatchObject({ secret })
  expect(await add('--kind', 'telegram', '--target', 'tgram://1:abc/2')).toMatchObject({
    target: 'tgram://••••••••/2',
  })
  const { secret: _, ...shown } = made as { secret: string }
  const listed = await admin('channel', 'list', '--email', email)
  expect(listed).toMatchObject([shown, { target: hook }, { kind: 'telegram', target: 'tgram://••••••••/2' }])
  expect(JSON.stringify(listed)).not.toContain('whsec_')
})

test('without SECRET_KEY, channels of an external database are refused in one line', async () => {
  await createTaken()
  const { code, stdout, stderr } = await call(
    { SECRET_KEY: '' },
    ...channel,
    '--kind',
    'webhook',
    '--target',
    hook,
  )
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: 'admin: SECRET_KEY: is required when DATABASE_URL is set\n',
  })
})

test('an external account is connected; its token is nowhere to be read', async () => {
  await createTaken()
  const words = ['external', 'connect', '--email', 'first-taken@example.test']
  const of = (token: string, email: string) =>
    admin(...words, '--refresh-token', token, '--external-email', email)
  expect(await of('1//first-token', 'a@gmail.test')).toEqual({ connected: true, email: 'a@gmail.test' })
  expect(await of('1//second-token', 'b@gmail.test')).toEqual({ connected: true, email: 'b@gmail.test' })
  const user = (await findId('first-taken@example.test')) ?? 0
  expect(await connectionOf(user)).toMatchObject({ email: 'b@gmail.test', scopes: Object.values(scopes) })
  expect((await tokensOf(user))?.refreshToken).toBe('1//second-token')
  const dump = await dumpDatabase()
  expect(dump).toContain('b@gmail.test')
  expect(dump).not.toMatch(/(first|second)-token/)
})

test('secrets are sealed anew under another key', async () => {
  const [old, fresh] = ['00'.repeat(32), '11'.repeat(32)]
  const rotate = (SECRET_KEY: string, SECRET_KEY_OLD = '') =>
    call({ SECRET_KEY, SECRET_KEY_OLD }, 'secrets', 'rotate')
  const email = 'rotated@example.test'
  await createAccount({ email, key: makeKey() })
  const user = (await findId(email)) ?? 0
  for (let at = 0; at < 600; at++)
    await createChannel(user, { kind: 'webhook', target: `${hook}/${at}`, secret: 'whsec_a', active: true })
  const grant = { refreshToken: '1//refresh', scopes: [], email, access: { token: 'ya29.x', seconds: 60 } }
  await db().transaction((on) => replaceConnection(user, grant, on))
  const [version] = sealedBy().split('.')
  const seals = async () =>
    (await dumpDatabase()).match(new RegExp(`${version}\\.[0-9a-f]{8}(?=\\.)`, 'g')) ?? []
  const before = await seals()
  expect(new Set(before)).toEqual(new Set([sealedBy()]))

  expect((await rotate(fresh)).stderr).toMatch(/^admin: stored under another SECRET_KEY \([0-9a-f]{8}\)/)
  const { stdout } = await rotate(fresh, old)
  expect(JSON.parse(stdout)).toEqual({ rotated: before.length })
  expect(new Set(await seals())).not.toContain(sealedBy())
  expect(JSON.parse((await rotate(fresh, old)).stdout)).toEqual({ rotated: 0 })
  await expect(tokensOf(user)).rejects.toThrow(/another SECRET_KEY/)

  expect(JSON.parse((await rotate(old, fresh)).stdout)).toEqual({ rotated: before.length })
  expect(await tokensOf(user)).toMatchObject({ refreshToken: '1//refresh', accessToken: 'ya29.x' })
  const { rows } = await listChannels(user, { limit: 1000, offset: 0 })
  expect(rows.map(({ target }) => target)).toEqual(rows.map((_, at) => `${hook}/${at}`))
})

describe('a bad call is refused in one line', () => {
  test.each([
    ['an address that is taken', ['account', 'create', '--email', 'First-Taken@example.test'], /already/],
    ['no address', ['account', 'create'], /--email is missing/],
    ['no address at all', ['account', 'create', '--email', 'mario'], /--email/],
    ['an option without its value', ['account', 'create', '--email'], /--email/],
    ['an unknown option', ['account', 'list', '--all'], /--all/],
    ['an unknown plan', ['account', 'create', '--email', 'new@example.test', '--plan', 'none'], /plan/],
    ['an unknown account', ['account', 'set', '--email', 'nobody@example.test', '--locale', 'en'], /nobody@/],
    ['a key for an unknown account', ['account', 'rotate-key', '--email', 'nobody@example.test'], /nobody@/],
    ['nothing to change', ['account', 'set', '--email', 'first-taken@example.test'], /nothing to set/],
    ['an unknown status', ['account', 'set', '--email', 'a@b', '--status', 'gone'], /--status/],
    ['an unknown locale', ['account', 'set', '--email', 'a@b', '--locale', 'fr'], /--locale/],
    ['a plan without a name', ['plan', 'set'], /NAME/],
    ['a plan beyond the bounds', ['plan', 'set', 'huge', '--max-pages', '10001'], /--max-pages/],
    ['a plan with half a page', ['plan', 'set', 'huge', '--max-pages', '1.5'], /--max-pages/],
    ['a word that is no truth', ['plan', 'set', 'huge', '--api', 'perhaps'], /--api/],
    ['an unknown setting', ['setting', 'set', 'colour', 'true'], /NAME/],
    ['a setting without a value', ['setting', 'set', 'api_enabled'], /VALUE/],
    ['one word too many', ['setting', 'list', 'now'], /now/],
    ['an unknown command', ['account', 'delete'], /unknown command "account delete"/],
    ['no command', [], /unknown command/],
    ['an external account without its token', ['external', 'connect', '--email', 'a@b'], /--refresh-token/],
    [
      'an external account of nobody',
      ['external', 'connect', '--email', 'no@body', '--refresh-token', 'x', '--external-email', 'g@h'],
      /no@body/,
    ],
    ['a channel of no kind', ['channel', 'add', '--email', 'a@b', '--kind', 'x', '--target', 'y'], /--kind/],
    ['a channel to nowhere', [...channel, '--kind', 'slack', '--target', 'https://x.example/'], /--target/],
    [
      'a secret that is none',
      [...channel, '--kind', 'webhook', '--target', hook, '--secret', 'x'],
      /--secret/,
    ],
    [
      'a channel of nobody',
      ['channel', 'add', '--email', 'no@body', '--kind', 'webhook', '--target', hook],
      /no@body/,
    ],
    ['the channels of nobody', ['channel', 'list', '--email', 'no@body'], /no@body/],
  ])('%s', async (_, words, line) => {
    await createTaken()
    expect(await refused(...words)).toMatch(line)
  })
})

async function createTaken() {
  await db().query(sql.type(z.object({}))`
    insert into users (email) values ('first-taken@example.test') on conflict do nothing`)
}
