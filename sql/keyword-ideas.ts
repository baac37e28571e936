import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

const KEPT_DAYS = 30

const Ideas = z.object({ result: z.unknown(), generated_at: z.number() })

/** What was found for a seed in the last 30 days, whoever asked; null when nothing was. */
export async function findIdeas(
  seed: { keyword: string; location: number; language: string },
  on: Executor = db(),
) {
  return await on.maybeOne(sql.type(Ideas)`
    select result, generated_at from keyword_ideas
     where keyword = ${seed.keyword} and location_code = ${seed.location} and language_code = ${seed.language}
       and generated_at > now() - make_interval(days => ${KEPT_DAYS})`)
}

export async function keepIdeas(
  seed: { keyword: string; location: number; language: string },
  result: object,
  on: Executor = db(),
) {
  return await on.one(sql.type(Ideas)`
    insert into keyword_ideas (keyword, location_code, language_code, result)
    values (${seed.keyword}, ${seed.location}, ${seed.language}, ${sql.jsonb(result as never)})
    on conflict (keyword, location_code, language_code)
      do update set result = excluded.result, generated_at = now()
    returning result, generated_at`)
}

const Counted = z.object({ rows: z.int() })

export async function sweepIdeas(on: Executor = db()): Promise<number> {
  return await on.oneFirst(sql.type(Counted)`
    with swept as (
      delete from keyword_ideas where generated_at < now() - make_interval(days => ${KEPT_DAYS}) returning 1
    ) select count(*) as rows from swept`)
}
