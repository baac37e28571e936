import { z } from 'zod'

import { alertTypes, severities } from './alerts.ts'
import { db, type Executor, sql } from './pool.ts'

/** The span in which the messages to a channel are counted. */
export const WINDOW_SECONDS = 60
/** Alerts of one message, of which so many are told and the others counted. */
const MESSAGE_ALERTS = 10_000
const TOLD_ALERTS = 50

const Id = z.object({ id: z.int() })

/** Makes those who begin messages to a channel take turns until the transaction ends; the delivery's channel, if it is there yet. */
export async function lockChannel(id: string, tx: Executor): Promise<number | null> {
  const row = await tx.maybeOne(sql.type(Id)`
    select id from alert_channels where id = (select channel_id from deliveries where id = ${id}) for no key update`)
  return row && row.id
}

const Delivery = z.object({
  state: z.enum(['waiting', 'delivered', 'failed']),
  message_id: z.string().nullable(),
  attempts: z.int(),
  age: z.number(),
  active: z.boolean(),
  /** Seconds that the channel is left alone yet; negative when that is over, null when there was no cause. */
  rests: z.number().nullable(),
  unbegun: z.int(),
  begun: z.int(),
  /** Age of the oldest message counted in `begun`. */
  oldest: z.number().nullable(),
})

/** One delivery, with what its channel has waiting (counted to `most`) and what it was sent in the last minute. */
export async function look(id: string, most: number, tx: Executor) {
  return await tx.one(sql.type(Delivery)`
    select d.state, d.message_id, d.attempts, c.active,
           extract(epoch from now() - d.created_at)::float8 as age,
           extract(epoch from c.rests_until - now())::float8 as rests,
           (select count(*) from (
              select from deliveries w
               where w.channel_id = c.id and w.message_id is null and w.state = 'waiting' limit ${most}) few) as unbegun,
           recent.begun, recent.oldest
      from deliveries d join alert_channels c on c.id = d.channel_id,
      lateral (
        select count(*) as begun, extract(epoch from now() - min(begun_at))::float8 as oldest from deliveries m
         where m.channel_id = c.id and m.message_id = m.id
           and m.begun_at > now() - make_interval(secs => ${WINDOW_SECONDS})
      ) recent
     where d.id = ${id}`)
}

/** Puts a delivery into a message that bears its id; with the others of its channel that wait, if it is to be a digest. */
export async function begin(id: string, { digest }: { digest: boolean }, tx: Executor) {
  await tx.query(sql.typeAlias('void')`
    update deliveries set message_id = ${id}, begun_at = now()
     where id in (
       select w.id from deliveries w
        where w.channel_id = (select channel_id from deliveries where id = ${id})
          and w.message_id is null and w.state = 'waiting'
        order by (w.id = ${id}) desc, w.created_at, w.alert_id limit ${digest ? MESSAGE_ALERTS : 1})`)
}

/** The channel is left alone meanwhile by all but the one who tries. */
export async function holdOthers(channelId: number, seconds: number, tx: Executor) {
  await tx.query(sql.typeAlias('void')`
    update alert_channels set rests_until = now() + make_interval(secs => ${seconds}) where id = ${channelId}`)
}

const Content = z.object({
  id: z.int(),
  type: z.enum(alertTypes),
  severity: z.enum(severities),
  subject: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
  datetime: z.number(),
  begun: z.number(),
  total: z.int(),
})
export type Content = z.output<typeof Content>

/** The alerts in a message, the most severe first, as many as are told; `total` counts all. Always the same ones. */
export async function contents(messageId: string, on: Executor = db()) {
  return await on.any(sql.type(Content)`
    select a.id, a.type, a.severity, a.subject, a.message, a.details, a.created_at as datetime, d.begun_at as begun,
           count(*) over () as total
      from deliveries d join alerts a on a.id = d.alert_id where d.message_id = ${messageId}
     order by array_position(${sql.array([...severities], 'text')}, a.severity) desc, a.id limit ${TOLD_ALERTS}`)
}

const Ended = z.object({ age: z.number() })

/** Writes down how a message, or a delivery that never got into one, ended; the seconds since each alert was raised. */
export async function end(
  id: string,
  { state, error }: { state: 'delivered' | 'failed'; error: string | null },
  on: Executor = db(),
) {
  return await on.any(sql.type(Ended)`
    update deliveries
       set state = ${state}, error = ${error}, ended_at = now(),
           attempts = attempts + case when message_id is null then 0 else 1 end
     where (message_id = ${id} or id = ${id}) and state = 'waiting'
    returning extract(epoch from now() - created_at)::float8 as age`)
}

/** Writes down an attempt that will be made again. */
export async function noteAttempt(id: string, error: string, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update deliveries set attempts = attempts + 1, error = ${error} where message_id = ${id} and state = 'waiting'`)
}
