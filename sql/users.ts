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

const Admitted = Admission.extend({ place: z.number() })

/**
 * Whose keys these are, and the accounts' places in the minute's window when each asked so many `times`: look-up and
 * count are one round trip. Null where no active account with the API in its plan has that key.
 */
export async function admit(
  asked: readonly { keyHash: Buffer; service: string; times: number }[],
  on: Executor = db(),
): Promise<(Admission | null)[]> {
  const rows = asked.map(({ keyHash, service, times }) => [keyHash, service, times])
  // In order, or two of these could wait for each other.
  const admitted = await on.any(sql.type(Admitted)`
    with asked as (
      select * from ${sql.unnest(rows, ['bytea', 'text', 'int4'])} with ordinality as a (key_hash, service, times, place)
    ), account as (
      select place, service, times, users.id, users.type = 1 as admin, users.locale, users.plan,
             plans.max_pages as "maxPages", users.key_masked as "keyMasked", plans.api
      from asked join users using (key_hash) join plans on plans.name = users.plan
      where users.status = 'active' and plans.api
    ), hit as (
      insert into rate_windows as seen (user_id, service, started_at, hits)
      select id, service, now(), times from account where not admin order by id, service
      on conflict (user_id, service) do update set
        hits = case when seen.started_at <= now() - interval '60 seconds' then 0 else seen.hits end + excluded.hits,
        started_at = case when seen.started_at <= now() - interval '60 seconds' then now() else seen.started_at end
      returning user_id, service, hits, ceil(extract(epoch from started_at + interval '60 seconds' - now()))::int as reset
    )
    select account.*, hit.hits, hit.reset
      from account left join hit on hit.user_id = account.id and hit.service = account.service`)
  const byPlace = new Map(admitted.map(({ place, ...admission }) => [place, admission]))
  return asked.map((_, index) => byPlace.get(index + 1) ?? null)
}

/** Puts a new key in place of the old one, which dies at once; the new one starts a new window. */
export async function rotateKey(id: number, key: { hash: Buffer; masked: string }, on: Executor = db()) {
  await on.query(sql.type(z.object({}))`
    with windows as (delete from rate_windows where user_id = ${id})
    update users set key_hash = ${sql.binary(key.hash)}, key_masked = ${key.masked} where id = ${id}`)
}
