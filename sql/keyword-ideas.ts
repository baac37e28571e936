import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

const KEPT_DAYS = 30

type Seed = { keyword: string; location: number; language: string }

const Ideas = z.object({ result: z.unknown(), generated_at: z.number() })

/** What was found for a seed in the last 30 days, whoever asked; null when nothing was. */
export async function findIdeas(seed: Seed, on: Executor = db()) {
  return await on.maybeOne(sql.type(Ideas)`
    select result, generated_at from keyword_ideas
     where keyword = ${seed.keyword} and location_code = ${seed.location} and language_code = ${seed.language}
       and generated_at > now() - make_interval(days => ${KEPT_DAYS})`)
}

const Id = z.object({ keyword: z.string() })

/** Begins to look for ideas, for at most `seconds`; false when somebody else is at it. */
export async function beginIdeas(seed: Seed, seconds: number, on: Executor = db()): Promise<boolean> {
  const begun = await on.maybeOne(sql.type(Id)`
    insert into keyword_ideas as i (keyword, location_code, language_code, seeking_until)
    values (${seed.keyword}, ${seed.location}, ${seed.language}, now() + make_interval(secs => ${seconds}))
    on conflict (keyword, location_code, language_code) do update set seeking_until = excluded.seeking_until
      where i.seeking_until is null or i.seeking_until < now()
    returning keyword`)
  return begun !== null
}

/** Another may look for them at once. */
export async function breakOffIdeas(seed: Seed, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update keyword_ideas set seeking_until = null
     where keyword = ${seed.keyword} and location_code = ${seed.location} and language_code = ${seed.language}`)
}

export async function keepIdeas(seed: Seed, result: object, on: Executor = db()) {
  return await on.one(sql.type(Ideas)`
    insert into keyword_ideas (keyword, location_code, language_code, result, generated_at)
    values (${seed.keyword}, ${seed.location}, ${seed.language}, ${sql.jsonb(result as never)}, now())
    on conflict (keyword, location_code, language_code)
      do update set result = excluded.result, generated_at = now(), seeking_until = null
    returning result, generated_at`)
}

const Counted = z.object({ rows: z.int() })

export async function sweepIdeas(on: Executor = db()): Promise<number> {
  return await on.oneFirst(sql.type(Counted)`
    with swept as (
      delete from keyword_ideas
       where coalesce(generated_at, seeking_until, '-infinity') < now() - make_interval(days => ${KEPT_DAYS}) returning 1
    ) select count(*) as rows from swept`)
}
