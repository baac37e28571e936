import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

/** An account, as its own requests see it. */
const User = z.object({
  id: z.number(),
  admin: z.boolean(),
  locale: z.enum(['it', 'en']),
  plan: z.string(),
  /** The plan's bound on the pages of one scan. */
  maxPages: z.number(),
  keyMasked: z.string().nullable(),
  /** The plan has the API. */
  api: z.boolean(),
})
export type User = z.output<typeof User>

const Admission = User.extend({
  /** Requests of the window so far, this one counted; null for administrators, who are not counted. */
  hits: z.number().nullable(),
  /** Seconds until the window ends. */
  reset: z.number().nullable(),
})
export type Admission = z.output<typeof Admission>

/**
 * Whose key this is, and its place in the minute's window: look-up and count are one round trip.
 * Null when no active account with the API in its plan has that key.
 */
export async function admit(
  keyHash: Buffer,
  service: string,
  on: Executor = db(),
): Promise<Admission | null> {
  return on.maybeOne(sql.type(Admission)`
    with account as (
      select users.id, users.type = 1 as admin, users.locale, users.plan,
             plans.max_pages as "maxPages", users.key_masked as "keyMasked", plans.api
      from users join plans on plans.name = users.plan
      where users.key_hash = ${sql.binary(keyHash)} and users.status = 'active' and plans.api
    ), hit as (
      insert into rate_windows as seen (user_id, service, started_at, hits)
      select id, ${service}, now(), 1 from account where not admin
      on conflict (user_id, service) do update set
        hits = case when seen.started_at <= now() - interval '60 seconds' then 1 else seen.hits + 1 end,
        started_at = case when seen.started_at <= now() - interval '60 seconds' then now() else seen.started_at end
      returning hits, ceil(extract(epoch from started_at + interval '60 seconds' - now()))::int as reset
    )
    select account.*, hit.hits, hit.reset from account left join hit on true`)
}

/** Puts a new key in place of the old one, which dies at once; the new one starts a new window. */
export async function rotateKey(id: number, key: { hash: Buffer; masked: string }, on: Executor = db()) {
  await on.query(sql.type(z.object({}))`
    with windows as (delete from rate_windows where user_id = ${id})
    update users set key_hash = ${sql.binary(key.hash)}, key_masked = ${key.masked} where id = ${id}`)
}
