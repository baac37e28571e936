import { z } from 'zod'

import { promptResearches } from '../../../sql/ai-runs.ts'
import { ask } from '../../../tasks/jobs.ts'
import { created, endpoint } from '../../endpoint.ts'
import { datetime, requiredText, text } from '../../fields.ts'
import { admit, analyse, paidProblems, paidTerms, quotaNote } from './analysis.ts'
import { recordEndpoints } from './records.ts'

const PROMPT_LENGTH = 500
const LANGUAGE_LENGTH = 40

const Research = promptResearches.Listed.extend({ datetime }).meta({ id: 'PromptResearch' })
const ResearchDetail = promptResearches.Detail.extend({ datetime }).meta({
  id: 'PromptResearchDetail',
})

const example = { id: 2, prompt: 'scarpe su misura', language: 'it', datetime: '2026-07-01 09:30:00' }
const detailExample = { ...example, result: {} }

export const prompts = [
  ...recordEndpoints(
    '/prompt-research',
    { one: 'a prompt research', many: 'prompt researches' },
    promptResearches,
    { schema: Research, example },
    { schema: ResearchDetail, example: detailExample },
  ),
  endpoint({
    method: 'post',
    path: '/prompt-research',
    summary: 'Find prompts that people ask',
    description: `What people ask AI assistants around a subject, by intent and by stage of the purchase. ${quotaNote}`,
    body: z
      .object({
        prompt: requiredText(PROMPT_LENGTH),
        language: text(LANGUAGE_LENGTH).describe('By code or name; without, that of the prompt.'),
      })
      .meta({ example: { prompt: 'scarpe su misura' } }),
    reply: created(ResearchDetail, detailExample),
    problems: paidProblems,
    async find({ user }) {
      await admit(user, paidTerms)
      return {}
    },
    async handle({ user, body: { prompt, language } }) {
      return await analyse(user, paidTerms, promptResearches, (who, wait) =>
        ask('ai.prompts', { ...who, prompt, language: language || null }, wait),
      )
    },
  }),
]
