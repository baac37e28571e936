import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

const Used = z.object({ used: z.int() })
const Id = z.object({ id: z.int() })

/** So many runs in any such span of time. */
export type Quota = { name: string; runs: number; hours: number }

/** Whether a user has no run left. */
export async function isSpent(userId: number, quota: Quota, on: Executor = db()): Promise<boolean> {
  const { used } = await on.one(sql.type(Used)`
    select count(*) as used from quota_uses where ${recent(userId, quota)}`)
  return used >= quota.runs
}

/** Counts one run, exactly however many ask at once; null when none is left. */
export async function use(userId: number, quota: Quota): Promise<number | null> {
  return await db().transaction(async (tx) => {
    await tx.query(sql.type(z.unknown())`
      select pg_advisory_xact_lock(hashtextextended(${`quota:${quota.name}:${userId}`}, 0))`)
    const row = await tx.maybeOne(sql.type(Id)`
      insert into quota_uses (user_id, quota)
      select ${userId}, ${quota.name}
       where (select count(*) from quota_uses where ${recent(userId, quota)}) < ${quota.runs}
      returning id`)
    return row?.id ?? null
  })
}

/** A run that came to nothing does not count. */
export async function giveBack(id: number, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`delete from quota_uses where id = ${id}`)
}

const recent = (userId: number, { name, hours }: Quota) => sql.fragment`
  user_id = ${userId} and quota = ${name} and used_at > clock_timestamp() - make_interval(hours => ${hours})`
