import { z } from 'zod'

import { underAccount } from '../account.ts'
import type { Answer, AnswerEngine, Citation } from '../answer-engine.ts'
import { engineSettings } from '../configured.ts'
import { soon } from '../dataforseo/faults.ts'
import { UpstreamFault } from '../fault.ts'
import { distinct, pageAt, sentenceBefore } from './citations.ts'
import { insistOnWhole, readObject } from './objects.ts'
import { asking, fenced } from './prompts.ts'
import { accountOf } from './sdk.ts'
import { openSession, type Receipt, type Session } from './session.ts'

const MAX_OUTPUT_TOKENS = 4000

const text = z.string().nullish()
const Agent = z.object({
  model: text,
  incomplete_details: z.object({ reason: text }).nullish(),
  output: z.array(
    z.object({
      type: z.string(),
      queries: z.array(z.string()).nullish(),
      results: z.array(z.object({ id: z.number().nullish(), url: z.string(), title: text })).nullish(),
      content: z
        .array(
          z.object({
            type: z.string(),
            text,
            refusal: text,
            annotations: z
              .array(
                z.object({ url: text, title: text, start_index: z.number().nullish() }).catch({ url: null }),
              )
              .nullish(),
          }),
        )
        .nullish(),
    }),
  ),
  usage: z
    .object({
      input_tokens: z.number().nullish(),
      output_tokens: z.number().nullish(),
      cost: z.object({ total_cost: z.number().nullish() }).nullish(),
    })
    .nullish(),
})
type Agent = z.output<typeof Agent>

const account = accountOf('perplexity')

/** The Agent API: https://docs.perplexity.ai/api-reference/agent-post. A preset would have another vendor's model answer. */
export const perplexity: AnswerEngine = {
  name: 'perplexity',
  ask: (question, caller) =>
    underAccount(account, 'ask', caller, async (signal, charge) => {
      const session = openSession('perplexity', signal, charge, receiptOf)
      const place = { user_location: { country: question.country } }
      const answer = await post(session, {
        input: question.prompt,
        instructions: asking(question),
        tools: [{ type: 'web_search', search_context_size: 'low', ...place }],
      })
      const { model, usage } = session
      return { engine: 'perplexity', model, ...read(answer), usage }
    }),
  extract: ({ schema, instructions, data }, caller) =>
    underAccount(account, 'extract', caller, async (signal, charge) => {
      const session = openSession('perplexity', signal, charge, receiptOf)
      const { prompt, instructions: rules } = fenced({ instructions, data })
      const format = { name: 'response', schema: z.toJSONSchema(schema, { io: 'input' }) }
      const answer = await post(session, {
        input: prompt,
        instructions: rules,
        response_format: { type: 'json_schema', json_schema: format },
      })
      const { ended, text: object } = read(answer)
      insistOnWhole('perplexity', ended)
      const value = readObject('perplexity', object, schema)
      return { value, model: session.model, usage: session.usage }
    }),
}

async function post(session: Session, order: object): Promise<Agent> {
  const { apiKey, baseUrl, model } = engineSettings('perplexity')
  const body = await session.post({
    url: `${baseUrl}/agent`,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, ...order, max_output_tokens: MAX_OUTPUT_TOKENS, store: false }),
  })
  const answer = Agent.safeParse(body)
  if (answer.success) return answer.data
  throw new UpstreamFault('temporary', 'perplexity answers what is not understood', soon())
}

function receiptOf(body: unknown): Receipt {
  const { model = null, usage, output = [] } = Agent.partial().catch({}).parse(body)
  return {
    model,
    inputTokens: usage?.input_tokens ?? 0,
    outputTokens: usage?.output_tokens ?? 0,
    searches: output.filter(({ type }) => type === 'search_results').length,
    usd: usage?.cost?.total_cost ?? undefined,
  }
}

function read(answer: Agent): Pick<Answer, 'text' | 'citations' | 'retrieved' | 'queries' | 'ended'> {
  const results = answer.output.flatMap((item) => item.results ?? [])
  const parts = answer.output.flatMap((item) => (item.type === 'message' ? (item.content ?? []) : []))
  const whole = parts.map((part) => part.text ?? part.refusal ?? '').join('')
  const isRefused = parts.some((part) => part.type === 'refusal')
  const reason = answer.incomplete_details?.reason
  const ended = isRefused || reason === 'content_filter' ? 'refused' : reason ? 'truncated' : 'whole'
  if (whole.trim() === '' && ended !== 'refused')
    throw new UpstreamFault('empty', 'perplexity answers nothing')
  const pages = new Map(
    results.map(({ id, url, title }, at) => [id ?? at + 1, pageAt(url, title)] as const).toReversed(),
  )
  const marked = [...whole.matchAll(/\[(\d{1,3}(?:,\s*\d{1,3})*)\]/g)].flatMap((marker) =>
    (marker[1] ?? '').split(',').map((id) => ({ page: pages.get(Number(id)), at: marker.index })),
  )
  const annotated = parts
    .flatMap((part) => part.annotations ?? [])
    .map(({ url, title, start_index: at }) => ({ page: pageAt(url ?? '', title), at: at ?? whole.length }))
  const cited = [...marked, ...annotated]
    .toSorted((one, other) => one.at - other.at)
    .flatMap(({ page, at }): Citation[] => (page ? [{ ...page, passage: sentenceBefore(whole, at) }] : []))
  return {
    text: whole,
    ...distinct(
      cited,
      [...pages.values()].toReversed().filter((page) => page !== undefined),
    ),
    queries: answer.output.flatMap((item) => item.queries ?? []),
    ended,
  }
}
