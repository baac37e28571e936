import { z } from 'zod'

import { config } from '../config.ts'
import { db, type Executor, sql } from './pool.ts'

const ENGINES = ['openai', 'anthropic', 'gemini', 'perplexity']
/** What calls are named with which DataForSEO asks the engines for us. */
const BROKERED = 'ai_optimization/%'

const Spent = z.object({ usd: z.number() })

/**
 * US dollars that a user's analyses may still cost today (UTC); Infinity without a limit, never below 0. Calls in
 * flight are not in it yet: they are booked as they end.
 */
export async function spendLeft(userId: number, on: Executor = db()): Promise<number> {
  const limit = config.AI_SPEND_LIMIT_PER_DAY
  if (limit === undefined) return Infinity
  const { usd } = await on.one(sql.type(Spent)`
    select coalesce(sum(cost_usd), 0)::float8 as usd from upstream_costs
     where day = (now() at time zone 'UTC')::date and user_id = ${userId}
       and (upstream = any(${sql.array(ENGINES, 'text')}) or (upstream = 'dataforseo' and call like ${BROKERED}))`)
  return Math.max(0, limit - usd)
}
