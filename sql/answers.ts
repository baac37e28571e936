import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

/** Channel on which the id of an answer is told; the answer itself is read from its row. */
export const ANSWERS = 'answers'

const State = z.object({
  id: z.string(),
  state: z.enum(['done', 'failed']),
  result: z.unknown(),
  problem: z.unknown(),
})
export type AnswerState = z.output<typeof State>

/** Opens a place for an answer that is awaited for so many seconds. */
export async function openAnswer(id: string, seconds: number, on: Executor) {
  await on.query(sql.typeAlias('void')`
    insert into answers (id, deadline_at) values (${id}, now() + make_interval(secs => ${seconds}))`)
}

/** Which of these answers have come; one statement for all who wait. */
export async function settledAnswers(ids: readonly string[], on: Executor = db()) {
  return await on.any(sql.type(State)`
    select id, state, result, problem from answers
     where id = any(${sql.array([...ids], 'uuid')}) and state <> 'waiting'`)
}

/** Whether somebody still waits for it; else its work need not begin. */
export async function isAwaited(id: string, on: Executor = db()): Promise<boolean> {
  return await on.exists(sql.type(z.unknown())`
    select 1 from answers where id = ${id} and state = 'waiting' and deadline_at > now()`)
}

/** Writes the result and tells whoever waits; after a job ran twice, the first result stands. */
export async function giveAnswer(id: string, result: unknown, on: Executor = db()) {
  await on.query(sql.type(z.unknown())`
    with given as (
      update answers set state = 'done', result = ${sql.jsonb((result ?? null) as never)}, finished_at = now()
       where id = ${id} and state = 'waiting' returning id
    )
    select pg_notify(${ANSWERS}, id::text) from given`)
}

/** Writes the expected failure that came instead of a result. */
export async function refuseAnswer(id: string, problem: object, on: Executor = db()) {
  await on.query(sql.type(z.unknown())`
    with refused as (
      update answers set state = 'failed', problem = ${sql.jsonb(problem as never)}, finished_at = now()
       where id = ${id} and state = 'waiting' returning id
    )
    select pg_notify(${ANSWERS}, id::text) from refused`)
}

/** Settles, without a result, the answers named in the column `answer` of what a statement calls `ended`; read `told`. */
export const tellEnded = sql.fragment`
  settled as (
    update answers a set state = 'done', finished_at = now()
      from ended where a.id = ended.answer and a.state = 'waiting' returning a.id
  ), told as (
    select pg_notify(${ANSWERS}, id::text) from settled
  )`

/** Nobody waits any longer: a worker that has not begun will not. */
export async function abandonAnswer(id: string, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update answers set state = 'failed', finished_at = now() where id = ${id} and state = 'waiting'`)
}
