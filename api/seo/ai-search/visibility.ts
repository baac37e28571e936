import { z } from 'zod'

import { visibilityRuns } from '../../../sql/ai-runs.ts'
import { ask } from '../../../tasks/jobs.ts'
import { created, endpoint } from '../../endpoint.ts'
import { datetime, name, text } from '../../fields.ts'
import { domain } from '../domain.ts'
import { admit, analyse, paidProblems, paidTerms, quotaNote } from './analysis.ts'
import { recordEndpoints } from './records.ts'

const MOST_PROMPTS = 20
const PROMPT_LENGTH = 500
const TOPIC_LENGTH = 255

const Run = visibilityRuns.Listed.extend({ datetime }).meta({ id: 'VisibilityRun' })
const RunDetail = visibilityRuns.Detail.extend({ datetime }).meta({ id: 'VisibilityRunDetail' })

const example = {
  id: 4,
  brand: 'Rossi',
  host: 'example.com',
  engine: 'openai, perplexity',
  score: 58,
  prompts_total: 10,
  cited_count: 6,
  first_count: 2,
  avg_position: 2.4,
  datetime: '2026-07-01 09:30:00',
}
const detailExample = { ...example, result: {} }

/** Distinct and not blank; whatever is not an array is as if it were not there. */
const prompts = z
  .unknown()
  .optional()
  .transform((given) => (Array.isArray(given) ? given : []))
  .pipe(z.array(z.string()))
  .transform((given) => {
    const cut = given.map((prompt) => Array.from(prompt.trim()).slice(0, PROMPT_LENGTH).join(''))
    return [...new Set(cut.filter(Boolean))]
  })
  .pipe(z.array(z.string()).max(MOST_PROMPTS))
  .meta({
    override: { type: 'array', items: { type: 'string' }, maxItems: MOST_PROMPTS },
    description: 'What people ask. Without, prompts are made up from brand and topic.',
  })

export const visibility = [
  ...recordEndpoints(
    '/ai-visibility',
    { one: 'an AI visibility run', many: 'AI visibility runs' },
    visibilityRuns,
    { schema: Run, example },
    { schema: RunDetail, example: detailExample },
  ),
  endpoint({
    method: 'post',
    path: '/ai-visibility',
    summary: 'Measure the AI visibility of a brand',
    description: `Asks every configured answer engine each prompt, and counts where the brand is named and its domain cited. ${quotaNote}`,
    body: z
      .object({
        brand: name,
        domain: z.preprocess((given) => given || null, domain.nullable()).optional(),
        prompts,
        topic: text(TOPIC_LENGTH),
      })
      .meta({ example: { brand: 'Rossi', domain: 'example.com', topic: 'scarpe su misura' } }),
    reply: created(RunDetail, detailExample),
    problems: paidProblems,
    async find({ user }) {
      await admit(user, paidTerms)
      return {}
    },
    async handle({ user, body: { brand, domain = null, prompts, topic } }) {
      return await analyse(user, paidTerms, visibilityRuns, (who, wait) =>
        ask('ai.visibility', { ...who, brand, domain, prompts, topic: topic || null }, wait),
      )
    },
  }),
]
