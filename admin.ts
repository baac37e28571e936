import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { ForeignKeyIntegrityConstraintViolationError, UniqueIntegrityConstraintViolationError } from 'slonik'
import { z } from 'zod'

import { config } from './config.ts'
import * as accounts from './sql/accounts.ts'
import * as channels from './sql/alert-channels.ts'
import { claim } from './sql/claim.ts'
import { startEmbedded } from './sql/embedded.ts'
import { scopes } from './sql/external-accounts.ts'
import { makeKey } from './sql/keys.ts'
import { migrate } from './sql/migrate.ts'
import { closePool, db, openPool } from './sql/pool.ts'
import { rotateSecrets } from './sql/rotation.ts'
import { acceptChannel, channelKinds, shownTarget } from './tasks/alerts/channels/index.ts'
import { keepConnection } from './tasks/external/keep.ts'

const POLL_MS = 100
const DATABASE_PATIENCE_MS = 60_000 // a starting service holds its database, but does not tell its address yet

type Command = {
  /** What follows the command's two words. */
  names: readonly string[]
  input: z.ZodObject
  run: (input: never) => Promise<unknown>
}

/** Ties the input's schema to the function's parameter. */
const command = <Input extends z.ZodObject>(
  names: readonly string[],
  input: Input,
  run: (input: z.output<Input>) => Promise<unknown>,
): Command => ({ names, input, run })

const email = z.string().regex(/^[^\s@]+@[^\s@]+$/, 'is not an e-mail address')
const name = z.string().trim().min(1)
const truth = z.enum(['true', 'false']).transform((word) => word === 'true')
const nothing = z.strictObject({})

const commands: Record<string, Command> = {
  'account create': command(
    [],
    z.strictObject({
      email,
      name: z.string().optional(),
      plan: name.optional(),
      admin: z.boolean().optional(),
    }),
    async ({ email, name = '', plan = 'default', admin = false }) => {
      const key = makeKey()
      const account = await accounts.createAccount({ email, name, plan, type: admin ? 1 : 0, key })
      return { id: account.id, email: account.email, plan: account.plan, type: account.type, api_key: key }
    },
  ),
  'account list': command([], nothing, () => accounts.listAccounts()),
  'account set': command(
    [],
    z.strictObject({
      email,
      plan: name.optional(),
      status: z.enum(['active', 'suspended']).optional(),
      locale: z.enum(['it', 'en']).optional(),
    }),
    async ({ email, ...change }) => {
      if (Object.keys(change).length === 0) throw new Error('nothing to set: --plan, --status or --locale')
      return (await accounts.setAccount(email, change)) ?? noAccount(email)
    },
  ),
  'account rotate-key': command([], z.strictObject({ email }), async ({ email }) => {
    const key = makeKey()
    if (!(await accounts.setAccountKey(email, key))) noAccount(email)
    return { api_key: key }
  }),
  'plan set': command(
    ['name'],
    z.strictObject({
      name,
      api: truth.optional(),
      'max-pages': z
        .string()
        .regex(/^\d+$/, 'must be a whole number')
        .transform(Number)
        .pipe(z.int().min(1).max(10_000))
        .optional(),
      'refresh-hours': z
        .string()
        .regex(/^\d+$/, 'must be a whole number')
        .transform(Number)
        .pipe(z.int().max(8760))
        .optional(),
    }),
    ({ name, api, 'max-pages': maxPages, 'refresh-hours': refreshHours }) =>
      accounts.setPlan(name, { api, maxPages, refreshHours }),
  ),
  'plan list': command([], nothing, () => accounts.listPlans()),
  'setting set': command(
    ['name', 'value'],
    z.strictObject({ name: z.literal('api_enabled'), value: truth }),
    ({ name, value }) => accounts.setSetting(name, value),
  ),
  'setting list': command([], nothing, () => accounts.listSettings()),
  'channel add': command(
    [],
    z.strictObject({
      email,
      kind: z.enum(channelKinds, { error: `must be one of ${channelKinds.join(', ')}` }),
      target: name,
      secret: name.optional(),
    }),
    async ({ email, kind, ...given }) => {
      const accepted = acceptChannel(kind, given)
      if (typeof accepted === 'string')
        throw new Error(`--${accepted}: is not good for a channel of kind ${kind}`)
      const id = (await accounts.findId(email)) ?? noAccount(email)
      const channel = shown(await channels.create(id, { ...accepted, active: true }))
      return accepted.secret === null ? channel : { ...channel, secret: accepted.secret }
    },
  ),
  'channel list': command([], z.strictObject({ email }), async ({ email }) => {
    const id = (await accounts.findId(email)) ?? noAccount(email)
    const { rows } = await channels.list(id, { limit: 1000, offset: 0 })
    return rows.map(shown)
  }),
  'external connect': command(
    [],
    z.strictObject({ email, 'refresh-token': name, 'external-email': email }),
    async ({ email, 'refresh-token': refreshToken, 'external-email': external }) => {
      const id = (await accounts.findId(email)) ?? noAccount(email)
      // What was consented to is told with the first access token.
      const grant = { refreshToken, email: external, scopes: Object.values(scopes) }
      await db().transaction((on) => keepConnection(id, grant, on))
      return { connected: true, email: external }
    },
  ),
  'secrets rotate': command([], nothing, async () => ({ rotated: await rotateSecrets() })),
}

process.exit(await administer(process.argv.slice(2)))

async function administer(words: string[]): Promise<number> {
  try {
    const work = understand(words)
    const close = await openDatabase()
    try {
      const result = await work()
      process.stdout.write(`${JSON.stringify(result)}\n`)
    } finally {
      await close()
    }
    return 0
  } catch (error) {
    process.stderr.write(`admin: ${explain(error as Error)}\n`)
    return 1
  }
}

/** Checks the whole call before anything is opened. */
function understand(words: string[]): () => Promise<unknown> {
  const called = words.slice(0, 2).join(' ')
  const found = commands[called]
  if (!found) throw new Error(`unknown command "${called}"; there are ${Object.keys(commands).join(', ')}`)
  const { names, input, run } = found
  const options = Object.keys(input.shape).filter((key) => !names.includes(key))
  const { values, positionals } = parseArgs({
    args: words.slice(2),
    options: Object.fromEntries(
      options.map((key) => [key, { type: key === 'admin' ? 'boolean' : 'string' }]),
    ),
    allowPositionals: names.length > 0,
  })
  if (positionals.length !== names.length)
    throw new Error(`${called} takes ${names.join(' and ').toUpperCase()}`)
  const given = input.safeParse({
    ...values,
    ...Object.fromEntries(names.map((key, at) => [key, positionals[at]])),
  })
  if (given.success) return () => run(given.data as never)
  const { path, message, code } = given.error.issues[0]!
  const option = String(path[0])
  const shown = names.includes(option) ? option.toUpperCase() : `--${option}`
  throw new Error(
    code === 'invalid_type' && !(option in values) ? `${shown} is missing` : `${shown}: ${message}`,
  )
}

/**
 * The service's database, running or not. Nobody holding the embedded one means that it is ours for the moment;
 * otherwise the service that holds it tells its address in a file.
 */
async function openDatabase(): Promise<() => Promise<void>> {
  if (config.DATABASE_URL) {
    await migrate(config.DATABASE_URL)
    return open(config.DATABASE_URL)
  }
  const urlFile = join(config.DATA_DIR, 'database.url')
  for (const until = Date.now() + DATABASE_PATIENCE_MS; ; await sleep(POLL_MS)) {
    if (await claim(config.DATA_DIR, 'postgres')) {
      const postgres = await startEmbedded(config.DATA_DIR)
      try {
        await migrate(postgres.url)
        return await open(postgres.url, postgres.stop)
      } catch (error) {
        await postgres.stop()
        throw error
      }
    }
    if (existsSync(urlFile)) return open(readFileSync(urlFile, 'utf8'))
    if (Date.now() > until)
      throw new Error(`the database in ${config.DATA_DIR} is in use and cannot be reached`)
  }
}

async function open(url: string, after = async () => {}): Promise<() => Promise<void>> {
  await openPool({ url, size: 2 })
  return async () => {
    await closePool()
    await after()
  }
}

function shown(channel: channels.Channel) {
  const datetime = new Date(channel.datetime).toISOString().slice(0, 19).replace('T', ' ')
  return { ...channel, target: shownTarget(channel), datetime }
}

function noAccount(email: string): never {
  throw new Error(`there is no account ${email}`)
}

function explain(error: Error): string {
  if (error instanceof UniqueIntegrityConstraintViolationError)
    return 'there is an account with that e-mail address already'
  if (error instanceof ForeignKeyIntegrityConstraintViolationError) return 'there is no such plan'
  const [line = ''] = error.message.split('\n')
  // parseArgs goes on with advice for programmers.
  return line.replace(/\. To specify.*/, '')
}
