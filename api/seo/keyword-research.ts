import { z } from 'zod'

import { config } from '../../config.ts'
import { Problem } from '../../problem.ts'
import { findIdeas } from '../../sql/keyword-ideas.ts'
import { giveBack, isSpent, type Quota, use } from '../../sql/quotas.ts'
import { ask, canSource } from '../../tasks/jobs.ts'
import { created, endpoint } from '../endpoint.ts'
import { datetime, requiredText } from '../fields.ts'
import { languageCode, locationCode } from './market.ts'

const KEYWORD_LENGTH = 255
const WITHIN_SECONDS = 150
const quota: Quota = { name: 'keyword-research', runs: 60, hours: 1 }

const Metric = z
  .object({
    keyword: z.string(),
    search_volume: z.int().nullable().describe('Searches a month.'),
    cpc: z.number().nullable().describe('Cost per click, US dollars.'),
    competition: z.number().nullable().describe('0 to 1.'),
    competition_level: z.string().nullable(),
    difficulty: z.int().nullable().describe('0 to 100.'),
    intent: z.string().nullable(),
    monthly_searches: z.array(z.object({ year: z.int(), month: z.int(), search_volume: z.int().nullable() })),
    serp_features: z.array(z.string()),
    opportunity: z
      .number()
      .nullable()
      .describe('0 to 100: log10(1 + search_volume) / 6, at most 1, times 100 − difficulty.'),
  })
  .meta({ id: 'KeywordMetric' })
const Ideas = z.object({ seed: Metric, related: z.array(Metric), questions: z.array(Metric) })
const Research = Ideas.extend({
  location_code: z.int(),
  language_code: z.string(),
  generated_at: datetime,
}).meta({ id: 'KeywordResearch' })

const metricExample = {
  keyword: 'scarpe rosse',
  search_volume: 1300,
  cpc: 0.45,
  competition: 0.8,
  competition_level: 'HIGH',
  difficulty: 24,
  intent: 'commercial',
  monthly_searches: [{ year: 2026, month: 6, search_volume: 1300 }],
  serp_features: ['organic', 'people_also_ask'],
  opportunity: 39.5,
}

const Seed = z
  .object({
    keyword: requiredText(KEYWORD_LENGTH).transform((keyword) => keyword.toLowerCase()),
    location_code: locationCode,
    language_code: languageCode.nullish(),
  })
  .transform(({ keyword, location_code: location, language_code: language }) => ({
    keyword,
    location: location ?? config.DEFAULT_LOCATION_CODE,
    language: language ?? config.DEFAULT_LANGUAGE_CODE,
  }))
  .meta({ example: { keyword: 'scarpe rosse' } })

export const keywordResearchEndpoints = [
  endpoint({
    method: 'post',
    path: '/keyword-research',
    summary: 'Find keyword ideas',
    description: `At most 100 ideas around a keyword. ${quota.runs} an hour; what was found in the last 30 days, by anybody, is free.`,
    body: Seed,
    reply: created(Research, {
      seed: metricExample,
      related: [],
      questions: [],
      location_code: 2380,
      language_code: 'it',
      generated_at: '2026-07-01 09:30:00',
    }),
    problems: ['quota', 'invalid', 'no_datasource', 'upstream_failed'],
    async find({ user, sent }) {
      const seed = Seed.safeParse(sent)
      const known = seed.success ? await findIdeas(seed.data) : null
      if (!known && (await isSpent(user.id, quota))) throw new Problem('quota')
      return { known }
    },
    async handle({ user, body, record: { known } }) {
      const { result, generated_at } = known ?? (await research(user.id, body))
      return {
        ...Ideas.parse(result),
        location_code: body.location,
        language_code: body.language,
        generated_at,
      }
    },
  }),
]

async function research(user: number, seed: z.output<typeof Seed>) {
  if (!canSource('ideas')) throw new Problem('no_datasource')
  const run = await use(user, quota)
  if (run === null) throw new Problem('quota')
  try {
    const found = await ask('keywords.research', { user, ...seed }, { within: WITHIN_SECONDS })
    if (!found.is_paid) await giveBack(run)
    return found
  } catch (error) {
    await giveBack(run)
    throw error
  }
}
