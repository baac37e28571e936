import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

export const alertTypes = [
  'rank_drop',
  'rank_gain',
  'spider_server_errors',
  'spider_score_drop',
  'spider_failed',
  'certificate_expiring',
  'ai_crawler_blocked',
] as const
export type AlertType = (typeof alertTypes)[number]
/** From the least to the most severe. */
export const severities = ['info', 'warning', 'critical'] as const
export type Severity = (typeof severities)[number]
const Severity = z.enum(severities)

export const Alert = z.object({
  id: z.int(),
  type: z.enum(alertTypes),
  severity: Severity,
  message: z.string(),
  is_read: z.boolean(),
  datetime: z.number(),
})
const Id = z.object({ id: z.int() })
const Total = z.object({ total: z.int() })
const Marked = z.object({ id: z.int(), is_read: z.boolean() })
const Counted = z.object({ rows: z.int() })

/** Newest first; `isRead` undefined is all of them. */
export async function list(
  userId: number,
  { isRead, limit, offset }: { isRead: boolean | undefined; limit: number; offset: number },
  on: Executor = db(),
) {
  const wanted = sql.fragment`user_id = ${userId} and (${isRead ?? null}::boolean is null or is_read = ${isRead ?? null})`
  const rows = await on.any(sql.type(Alert)`
    select id, type, severity, message, is_read, created_at as datetime from alerts
     where ${wanted} order by created_at desc, id desc limit ${limit} offset ${offset}`)
  const { total } = await on.one(sql.type(Total)`select count(*) as total from alerts where ${wanted}`)
  return { rows, total }
}

export async function find(userId: number, id: number, on: Executor = db()) {
  return await on.maybeOne(sql.type(Id)`select id from alerts where id = ${id} and user_id = ${userId}`)
}

export async function mark(userId: number, id: number, isRead: boolean, on: Executor = db()) {
  return await on.maybeOne(sql.type(Marked)`
    update alerts set is_read = ${isRead} where id = ${id} and user_id = ${userId} returning id, is_read`)
}

/** Marks all of a user's alerts; how many were not so before. */
export async function markAll(userId: number, isRead: boolean, on: Executor = db()): Promise<number> {
  return await on.oneFirst(sql.type(Counted)`
    with marked as (
      update alerts set is_read = ${isRead} where user_id = ${userId} and is_read <> ${isRead} returning 1
    ) select count(*) as rows from marked`)
}

export type Incident = { userId: number; type: AlertType; subject: string }
export type NewAlert = Incident & {
  severity: Severity
  message: { it: string; en: string }
  details: Record<string, unknown>
  /** Until the same may be alerted of again; null: until it is recovered from. */
  cooldownHours: number | null
}

const Raised = z.object({ type: z.enum(alertTypes), deliveries: z.array(z.string()) })

/**
 * Stores alerts, each with a delivery to every active channel of its user, unless its incident is open: alerted of
 * within the cooldown, not recovered from, and no less severe. No incident may occur twice. Returns those stored, with
 * the ids of their deliveries.
 */
export async function add(alerts: readonly NewAlert[], on: Executor) {
  const rows = alerts.map(({ userId, cooldownHours, ...alert }) => ({
    ...alert,
    user_id: userId,
    cooldown_hours: cooldownHours,
    rank: severities.indexOf(alert.severity),
  }))
  return await on.any(sql.type(Raised)`
    with given as (
      select g.*, u.locale from jsonb_to_recordset(${sql.jsonb(rows as never)}) as g
        (user_id bigint, type text, subject text, severity text, rank int, message jsonb, details jsonb, cooldown_hours float8)
        join users u on u.id = g.user_id
    ), opened as (
      insert into incidents as i (user_id, type, subject, severity, quiet_until)
      select user_id, type, subject, severity,
             coalesce(now() + make_interval(secs => cooldown_hours * 3600), 'infinity')
        from given
       -- In one order, so that two who raise the same do not wait for each other.
       order by user_id, type, subject
      on conflict (user_id, type, subject)
        do update set severity = excluded.severity, quiet_until = excluded.quiet_until, alerted_at = now()
        where i.quiet_until <= now()
           or array_position(${ranks}, i.severity) < array_position(${ranks}, excluded.severity)
      returning user_id, type, subject
    ), stored as (
      insert into alerts (user_id, type, severity, subject, message, details)
      select user_id, type, severity, subject, message ->> locale, details
        from given join opened using (user_id, type, subject) order by rank, user_id, type, subject
      returning id, user_id, type
    ), sent as (
      insert into deliveries (alert_id, channel_id)
      select s.id, c.id from stored s
        join alert_channels c on c.user_id = s.user_id and c.active
        join users u on u.id = s.user_id and u.status = 'active'
      returning id, alert_id
    )
    select s.type, array(select d.id::text from sent d where d.alert_id = s.id) as deliveries from stored s`)
}

/** Closes incidents: the next alert of the same is stored however soon it comes. */
export async function close(incidents: readonly Incident[], on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    delete from incidents i using ${sql.unnest(
      incidents.map(({ userId, type, subject }) => [userId, type, subject]),
      ['int8', 'text', 'text'],
    )} as g (user_id, type, subject)
     where i.user_id = g.user_id and i.type = g.type and i.subject = g.subject`)
}

const ranks = sql.fragment`${sql.array([...severities], 'text')}`
