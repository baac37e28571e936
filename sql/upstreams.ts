import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

const Taken = z.object({ slot: z.int().nullable(), resting: z.string().nullable() })

/** Who has a place: one call of one worker. */
export type Holder = { holder: string; worker: string }

/**
 * Takes one of the first `limit` places that the whole fleet has for calls in flight to one account, for at most
 * `seconds`. No slot: all are taken, or the account is left alone for the reason in `resting`.
 */
export async function takeSlot(
  upstream: string,
  { holder, worker }: Holder,
  { limit, seconds }: { limit: number; seconds: number },
  on: Executor = db(),
) {
  return await on.one(sql.type(Taken)`
    with resting as (
      select reason from upstream_rests where upstream = ${upstream} and until > now()
    ), free as (
      select slot from generate_series(1, ${limit}) as slot
       where not exists (select from resting) and not exists (
         select from upstream_slots u where u.upstream = ${upstream} and u.slot = slot.slot and u.until > now())
       order by random() limit 1
    ), taken as (
      insert into upstream_slots as u (upstream, slot, holder, worker, until)
      select ${upstream}, slot, ${holder}, ${worker}, now() + make_interval(secs => ${seconds}) from free
      on conflict (upstream, slot)
        do update set holder = excluded.holder, worker = excluded.worker, until = excluded.until
        where u.until <= now()
      returning slot
    )
    select (select slot from taken) as slot, (select reason from resting) as resting`)
}

export async function giveSlot(upstream: string, slot: number, holder: string, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    delete from upstream_slots where upstream = ${upstream} and slot = ${slot} and holder = ${holder}`)
}

/** Frees the places of workers that are no more. */
export async function freeSlots(on: Executor) {
  await on.query(sql.typeAlias('void')`
    delete from upstream_slots u where not exists (select from workers w where w.id = u.worker)`)
}

/** Nobody calls the account for so many seconds. */
export async function rest(upstream: string, reason: string, seconds: number, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    insert into upstream_rests as r (upstream, until, reason)
    values (${upstream}, now() + make_interval(secs => ${seconds}), ${reason})
    on conflict (upstream) do update set until = excluded.until, reason = excluded.reason`)
}

/** Books what one call cost; `userId` null when nobody asked for it. */
export async function addCost(
  cost: { userId: number | null; upstream: string; call: string; usd: number },
  on: Executor = db(),
) {
  await on.query(sql.typeAlias('void')`
    insert into upstream_costs as c (day, user_id, upstream, call, calls, cost_usd)
    values ((now() at time zone 'UTC')::date, (select id from users where id = ${cost.userId}),
            ${cost.upstream}, ${cost.call}, 1, ${cost.usd})
    on conflict (day, user_id, upstream, call)
      do update set calls = c.calls + 1, cost_usd = c.cost_usd + excluded.cost_usd`)
}
