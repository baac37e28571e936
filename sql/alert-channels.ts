import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'
import { seal, unseal } from './secrets.ts'

/** How long webhooks are also signed with the secret before. */
const OLD_SECRET_HOURS = 24
/** In a row, before a channel is left alone for a while. */
const FAILURES = 5
/** The first such while; it doubles with every failure more. */
const REST_SECONDS = 15
const LONGEST_REST_SECONDS = 3600

const Row = z.object({
  id: z.int(),
  kind: z.string(),
  target: z.string(),
  active: z.boolean(),
  datetime: z.number(),
})
export type Channel = z.output<typeof Row>
const Total = z.object({ total: z.int() })
const Id = z.object({ id: z.int() })

const columns = sql.fragment`id, kind, target, active, created_at as datetime`

export async function list(userId: number, window: { limit: number; offset: number }, on: Executor = db()) {
  const rows = await on.any(sql.type(Row)`
    select ${columns} from alert_channels where user_id = ${userId} order by id
     limit ${window.limit} offset ${window.offset}`)
  const total = await count(userId, on)
  return { rows: rows.map((row) => opened(userId, row)), total }
}

export async function count(userId: number, on: Executor = db()): Promise<number> {
  return await on.oneFirst(
    sql.type(Total)`select count(*) as total from alert_channels where user_id = ${userId}`,
  )
}

export async function find(userId: number, id: number, on: Executor = db()): Promise<Channel | null> {
  const row = await on.maybeOne(sql.type(Row)`
    select ${columns} from alert_channels where id = ${id} and user_id = ${userId}`)
  return row && opened(userId, row)
}

export async function create(
  userId: number,
  channel: { kind: string; target: string; secret: string | null; active: boolean },
  on: Executor = db(),
): Promise<Channel> {
  const { kind, target, secret, active } = channel
  const row = await on.one(sql.type(Row)`
    insert into alert_channels (user_id, kind, target, secret, active)
    values (${userId}, ${kind}, ${seal(target, place('target', userId))},
            ${secret && seal(secret, place('secret', userId))}, ${active})
    returning ${columns}`)
  return opened(userId, row)
}

/** Changes what is named; a channel that is made active begins without a past, and a new secret has the old one beside it. */
export async function change(
  userId: number,
  id: number,
  fields: { target?: string | undefined; secret?: string | undefined; active?: boolean | undefined },
  on: Executor = db(),
): Promise<Channel | null> {
  const { target, secret, active } = fields
  const row = await on.maybeOne(sql.type(Row)`
    update alert_channels
       set target = coalesce(${target === undefined ? null : seal(target, place('target', userId))}, target),
           old_secret = case when ${secret !== undefined} then secret else old_secret end,
           old_secret_until = case when ${secret !== undefined}
                                   then now() + make_interval(hours => ${OLD_SECRET_HOURS}) else old_secret_until end,
           secret = coalesce(${secret === undefined ? null : seal(secret, place('secret', userId))}, secret),
           active = coalesce(${active ?? null}, active),
           failures = case when ${active === true || target !== undefined} then 0 else failures end,
           rests_until = case when ${active === true || target !== undefined} then null else rests_until end
     where id = ${id} and user_id = ${userId} returning ${columns}`)
  return row && opened(userId, row)
}

export async function remove(userId: number, id: number, on: Executor = db()) {
  return await on.maybeOne(sql.type(Id)`
    delete from alert_channels where id = ${id} and user_id = ${userId} returning id`)
}

const Addressed = z.object({
  id: z.int(),
  user_id: z.int(),
  kind: z.string(),
  target: z.string(),
  secret: z.string().nullable(),
  old_secret: z.string().nullable(),
  locale: z.enum(['it', 'en']),
})

/** A channel with all that is needed to send to it; its secrets are the valid ones, the newest first. */
export async function address(id: number, on: Executor = db()) {
  const row = await on.maybeOne(sql.type(Addressed)`
    select c.id, c.user_id, c.kind, c.target, c.secret, u.locale,
           case when c.old_secret_until > now() then c.old_secret end as old_secret
      from alert_channels c join users u on u.id = c.user_id where c.id = ${id}`)
  if (!row) return null
  const { secret, old_secret: old, user_id: userId, ...channel } = row
  const sealed = [secret, old].filter((each) => each !== null)
  return {
    ...channel,
    target: unseal(row.target, place('target', userId)),
    secrets: sealed.map((each) => unseal(each, place('secret', userId))),
  }
}

/** Nothing is sent there any more until its owner makes it active again. */
export async function deactivate(id: number, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`update alert_channels set active = false where id = ${id}`)
}

export async function noteSuccess(id: number, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update alert_channels set failures = 0, rests_until = null
     where id = ${id} and (failures > 0 or rests_until is not null)`)
}

/** Counts a failure; after several in a row, or when the receiver asks for it, the channel rests. */
export async function noteFailure(id: number, restSeconds: number | null, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update alert_channels
       set failures = failures + 1,
           rests_until = greatest(
             now() + make_interval(secs => ${restSeconds}),
             case when failures + 1 >= ${FAILURES} then now() + make_interval(secs =>
               least(${REST_SECONDS} * power(2, least(failures + 1 - ${FAILURES}, 16)), ${LONGEST_REST_SECONDS})) end)
     where id = ${id}`)
}

/** Sealed for its owner: a row copied to another user's does not open. */
const place = (column: 'target' | 'secret', userId: number) => `alert_channels.${column}:${userId}`

function opened(userId: number, row: Channel): Channel {
  return { ...row, target: unseal(row.target, place('target', userId)) }
}
