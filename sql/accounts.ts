import { z } from 'zod'

import { hashKey, maskKey } from './keys.ts'
import { db, type Executor, sql } from './pool.ts'

/** 1 is an administrator. */
const Type = z.union([z.literal(0), z.literal(1)])

const Account = z.object({
  id: z.int(),
  email: z.string(),
  name: z.string(),
  plan: z.string(),
  type: Type,
  status: z.enum(['active', 'suspended']),
  locale: z.enum(['it', 'en']),
})
export type Account = z.output<typeof Account>

const Plan = z.object({ name: z.string(), api: z.boolean(), max_pages: z.int(), refresh_hours: z.int() })
export type Plan = z.output<typeof Plan>

const Setting = z.object({ name: z.string(), value: z.json() })
const Id = z.object({ id: z.int() })
const Exists = z.object({ exists: z.boolean() })

const accountColumns = sql.fragment`id, email, name, plan, type, status, locale`

export function createAccount(
  account: { email: string; name?: string; plan?: string; type?: 0 | 1; key: string },
  on: Executor = db(),
): Promise<Account> {
  const { email, name = '', plan = 'default', type = 0, key } = account
  return on.one(sql.type(Account)`
    insert into users (email, name, plan, type, key_hash, key_masked)
    values (${email}, ${name}, ${plan}, ${type}, ${sql.binary(hashKey(key))}, ${maskKey(key)})
    returning ${accountColumns}`)
}

/** Makes the first account of an empty database; null when there is one already, however many ask at once. */
export function createFirstAccount(
  account: { email: string; name: string; key: string },
  on: Executor = db(),
): Promise<Account | null> {
  return on.transaction(async (transaction) => {
    await transaction.query(sql.type(z.object({}))`lock table users in share row exclusive mode`)
    const { exists } = await transaction.one(sql.type(Exists)`select exists (select from users)`)
    return exists ? null : createAccount(account, transaction)
  })
}

export function listAccounts(on: Executor = db()): Promise<readonly Account[]> {
  return on.any(sql.type(Account)`select ${accountColumns} from users order by id`)
}

/** The id of an account; null when nobody has that address. */
export function findId(email: string, on: Executor = db()): Promise<number | null> {
  return on.maybeOneFirst(sql.type(Id)`select id from users where lower(email) = lower(${email})`)
}

/** Changes what is given; null when nobody has that address. */
export function setAccount(
  email: string,
  change: { plan?: string | undefined; status?: string | undefined; locale?: string | undefined },
  on: Executor = db(),
): Promise<Account | null> {
  return on.maybeOne(sql.type(Account)`
    update users set
      plan = coalesce(${change.plan ?? null}, plan),
      status = coalesce(${change.status ?? null}, status),
      locale = coalesce(${change.locale ?? null}, locale)
    where lower(email) = lower(${email})
    returning ${accountColumns}`)
}

/** The old key dies with this statement; the new one starts a new rate-limit window. */
export function setAccountKey(email: string, key: string, on: Executor = db()): Promise<Account | null> {
  return on.maybeOne(sql.type(Account)`
    with windows as (
      delete from rate_windows where user_id = (select id from users where lower(email) = lower(${email}))
    )
    update users set key_hash = ${sql.binary(hashKey(key))}, key_masked = ${maskKey(key)}
    where lower(email) = lower(${email})
    returning ${accountColumns}`)
}

/** Creates a plan, or changes what is given of it. */
export function setPlan(
  name: string,
  change: {
    api?: boolean | undefined
    maxPages?: number | undefined
    refreshHours?: number | undefined
  },
  on: Executor = db(),
): Promise<Plan> {
  const api = change.api ?? null
  const maxPages = change.maxPages ?? null
  const refreshHours = change.refreshHours ?? null
  return on.one(sql.type(Plan)`
    insert into plans as known (name, api, max_pages, refresh_hours)
    values (${name}, coalesce(${api}::boolean, true), coalesce(${maxPages}::integer, 200),
            coalesce(${refreshHours}::integer, 24))
    on conflict (name) do update set
      api = coalesce(${api}::boolean, known.api),
      max_pages = coalesce(${maxPages}::integer, known.max_pages),
      refresh_hours = coalesce(${refreshHours}::integer, known.refresh_hours)
    returning name, api, max_pages, refresh_hours`)
}

export function listPlans(on: Executor = db()): Promise<readonly Plan[]> {
  return on.any(sql.type(Plan)`select name, api, max_pages, refresh_hours from plans order by name`)
}

export function setSetting(name: string, value: boolean, on: Executor = db()) {
  return on.one(sql.type(Setting)`
    insert into settings (name, value) values (${name}, ${sql.jsonb(value)})
    on conflict (name) do update set value = excluded.value
    returning name, value`)
}

export function listSettings(on: Executor = db()) {
  return on.any(sql.type(Setting)`select name, value from settings order by name`)
}
