import { z } from 'zod'

import { engineTests } from '../../../sql/ai-runs.ts'
import { ask } from '../../../tasks/jobs.ts'
import { created, endpoint } from '../../endpoint.ts'
import { datetime, name, requiredText } from '../../fields.ts'
import { startUrl } from '../start-url.ts'
import { admit, analyse, paidProblems, paidTerms, quotaNote } from './analysis.ts'
import { recordEndpoints } from './records.ts'

const URL_LENGTH = 4096

const Test = engineTests.Listed.extend({ datetime }).meta({ id: 'EngineTest' })
const TestDetail = engineTests.Detail.extend({ datetime }).meta({ id: 'EngineTestDetail' })

const example = {
  id: 9,
  keyword: 'scarpe su misura',
  url: 'https://example.com/scarpe',
  score: 45,
  datetime: '2026-07-01 09:30:00',
}
const detailExample = { ...example, result: {} }

export const engine = [
  ...recordEndpoints(
    '/ai-engine',
    { one: 'an answer engine test', many: 'answer engine tests' },
    engineTests,
    { schema: Test, example },
    { schema: TestDetail, example: detailExample },
  ),
  endpoint({
    method: 'post',
    path: '/ai-engine',
    summary: 'Test whether answer engines cite a page',
    description: `Asks every configured answer engine about the keyword, and looks for the page among what they cite. ${quotaNote}`,
    body: z
      .object({ keyword: name, url: requiredText(URL_LENGTH) })
      .meta({ example: { keyword: 'scarpe su misura', url: 'https://example.com/scarpe' } }),
    reply: created(TestDetail, detailExample),
    problems: paidProblems,
    async find({ user }) {
      await admit(user, paidTerms)
      return {}
    },
    async handle({ user, body: { keyword, url: given } }) {
      const { href } = startUrl(given, 'url')
      const url = /^https?:/i.test(given) ? given : href
      return await analyse(user, paidTerms, engineTests, (who, wait) =>
        ask('ai.engine', { ...who, keyword, url }, wait),
      )
    },
  }),
]
