import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'
import { storable } from './storable.ts'

const Id = z.object({ id: z.int() })
const Total = z.object({ total: z.int() })

type Window = { limit: number; offset: number }

/** The runs of one AI module: its table, the columns of its list, and those that only a single run is read with. */
function runsOf<L extends z.ZodRawShape, P extends z.ZodRawShape>(name: string, listed: L, payload: P) {
  const table = sql.identifier([name])
  const columnsOf = (shape: z.ZodRawShape) =>
    sql.join(
      Object.keys(shape).map((column) => sql.identifier([column])),
      sql.fragment`, `,
    )
  const Found = z.object({ ...listed, ...payload })
  const Listed = z.object({ id: z.int(), ...listed, datetime: z.number() })
  const Detail = z.object({ id: z.int(), ...listed, ...payload, datetime: z.number() })

  return {
    Listed,
    Detail,

    async list(userId: number, { limit, offset }: Window, on: Executor = db()) {
      const rows = await on.any(sql.type(Listed)`
        select id, ${columnsOf(listed)}, created_at as datetime from ${table}
         where user_id = ${userId} order by id desc limit ${limit} offset ${offset}`)
      const { total } = await on.one(
        sql.type(Total)`select count(*) as total from ${table} where user_id = ${userId}`,
      )
      return { rows, total }
    },

    async find(userId: number, id: number, on: Executor = db()) {
      return await on.maybeOne(sql.type(Detail)`
        select id, ${columnsOf(Found.shape)}, created_at as datetime from ${table}
         where id = ${id} and user_id = ${userId}`)
    },

    /** The row of a run that has stored it already, and is being repeated. */
    async findRun(run: string, on: Executor = db()) {
      return await on.maybeOne(sql.type(Id)`select id from ${table} where run = ${run}`)
    },

    /** Stores what a run found; of two that were the same run, the first stands. */
    async keep(
      { run, userId }: { run: string; userId: number },
      found: z.output<typeof Found>,
      on: Executor = db(),
    ) {
      return await on.one(sql.type(Id)`
        insert into ${table} as kept (run, user_id, ${columnsOf(Found.shape)})
        select ${run}, ${userId}, ${columnsOf(Found.shape)}
          from json_populate_record(null::${table}, ${sql.json(storable(found) as never)})
        on conflict (run) do update set run = kept.run
        returning id`)
    },
  }
}

const figure = z.int()
const result = z.record(z.string(), z.unknown())

const Check = z.looseObject({
  code: z.string(),
  area: z.string(),
  title: z.string(),
  status: z.enum(['pass', 'warn', 'fail', 'unknown']),
  weight: z.number().describe('Points of the score that it can earn.'),
  score: z.number().nullable().describe('Those it earned; null when it could not be decided.'),
})
const Recommendation = z.looseObject({
  check: z.string(),
  area: z.string(),
  priority: z.enum(['high', 'medium', 'low']),
  gain: z.number().describe('Points of the score.'),
  title: z.string(),
  fix: z.string(),
})
const Crawler = z.looseObject({
  agent: z.string().describe('As robots.txt names it.'),
  operator: z.string(),
  class: z.enum(['search', 'user', 'training']).describe('What it fetches for.'),
  robots: z.enum(['allowed', 'blocked']).describe('By robots.txt.'),
  observed: z
    .enum(['welcomed', 'turned_away', 'unclear'])
    .nullable()
    .describe('How a visit in its name was received, compared with a browser; null: not tried.'),
})

export const geoAudits = runsOf(
  'geo_audits',
  { host: z.string(), url: z.string(), geo_score: figure, has_llms_txt: z.boolean(), pages_count: figure },
  {
    checks: z.array(Check),
    recommendations: z.array(Recommendation).describe('The largest gain first.'),
    ai_crawlers: z.array(Crawler),
  },
)

export const visibilityRuns = runsOf(
  'visibility_runs',
  {
    brand: z.string(),
    host: z.string().nullable(),
    engine: z.string(),
    score: figure,
    prompts_total: figure,
    cited_count: figure,
    first_count: figure,
    avg_position: z.number().nullable(),
  },
  { result },
)

export const engineTests = runsOf(
  'engine_tests',
  { keyword: z.string(), url: z.string(), score: figure },
  { result },
)

export const competitorReports = runsOf(
  'competitor_reports',
  { brand: z.string(), competitors: z.array(z.string()) },
  { result },
)

export const promptResearches = runsOf(
  'prompt_researches',
  { prompt: z.string(), language: z.string() },
  { result },
)
