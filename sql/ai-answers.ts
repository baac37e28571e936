import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'
import { storable } from './storable.ts'

const KEPT_DAYS = 90

const Page = z.object({ url: z.string(), host: z.string(), title: z.string().nullable() })
const Kept = z.object({
  prompt: z.string(),
  engine: z.enum(['openai', 'anthropic', 'gemini', 'perplexity']),
  model: z.string(),
  text: z.string(),
  citations: z.array(Page.extend({ passage: z.string().nullable() })),
  retrieved: z.array(Page),
  queries: z.array(z.string()),
  ended: z.enum(['whole', 'truncated', 'refused']),
  usage: z.object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    searches: z.number(),
    usd: z.number(),
  }),
})
/** An engine's answer to a prompt: what the port answers, and what was asked. */
export type KeptAnswer = z.output<typeof Kept>

type Run = { run: string; userId: number }

/** Stores answers that were paid for; a repeated run finds them by `keptAnswers`. */
export async function keepAnswers(
  { run, userId }: Run,
  answers: readonly KeptAnswer[],
  on: Executor = db(),
): Promise<void> {
  if (answers.length === 0) return
  await on.query(sql.typeAlias('void')`
    insert into ai_answers (run, user_id, engine, model, prompt, text, citations, retrieved, queries, ended,
                            input_tokens, output_tokens, searches, cost_usd)
    select ${run}, ${userId}, engine, model, prompt, text, citations, retrieved,
           array(select jsonb_array_elements_text(queries)), ended,
           (usage ->> 'inputTokens')::int, (usage ->> 'outputTokens')::int, (usage ->> 'searches')::int,
           (usage ->> 'usd')::numeric
      from jsonb_to_recordset(${sql.jsonb(storable(answers) as never)})
        as a (engine text, model text, prompt text, text text, citations json, retrieved json, queries jsonb,
              ended text, usage jsonb)`)
}

/** The answers of a run so far, in the order in which they came; empty unless it is being repeated. */
export async function keptAnswers(run: string, on: Executor = db()): Promise<readonly KeptAnswer[]> {
  return await on.any(sql.type(Kept)`
    select prompt, engine, model, text, citations, retrieved, to_json(queries) as queries, ended,
           json_build_object('inputTokens', input_tokens, 'outputTokens', output_tokens,
                             'searches', searches, 'usd', cost_usd) as usage
      from ai_answers where run = ${run} order by id`)
}

const Counted = z.object({ rows: z.int() })

export async function sweepAiAnswers(on: Executor = db()): Promise<number> {
  return await on.oneFirst(sql.type(Counted)`
    with swept as (
      delete from ai_answers where created_at < now() - make_interval(days => ${KEPT_DAYS}) returning 1
    ) select count(*) as rows from swept`)
}
