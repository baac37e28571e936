import { z } from 'zod'

import type { Caller } from '../account.ts'
import { type AnswerEngine, type EngineName, engineNames } from '../answer-engine.ts'
import { engineSettings } from '../configured.ts'
import { call } from '../dataforseo/call.ts'
import { rowsOf } from '../dataforseo/wire.ts'
import { UpstreamFault } from '../fault.ts'
import { distinct, pageAt, sentenceBefore } from './citations.ts'
import { readObject } from './objects.ts'
import { asking, fenced } from './prompts.ts'

const MAX_TEXT = 500
const MAX_OUTPUT_TOKENS = 4096
const MODELS_MS = 24 * 3600 * 1000

const text = z.string().nullish()
const number = z.number().nullish()
const Model = z.object({
  model_name: text,
  reasoning: z.boolean().nullish(),
  web_search_supported: z.boolean().nullish(),
})
const Reply = z.object({
  model_name: text,
  input_tokens: number,
  output_tokens: number,
  web_search: z.boolean().nullish(),
  items: rowsOf(
    z.object({
      type: text,
      sections: rowsOf(
        z.object({
          text,
          annotations: rowsOf(
            z.object({ url: text, direct_url: text, title: text, start_index: number, text }),
          ),
        }),
      ),
    }),
  ),
  fan_out_queries: rowsOf(z.string()).catch([]),
})
type Reply = z.output<typeof Reply>

/** What each of its endpoints is called, and takes; Perplexity always searches. */
const endpoints: Record<EngineName, { path: string; search: (country: string) => object }> = {
  openai: {
    path: 'chat_gpt',
    search: (country) => ({ web_search: true, web_search_country_iso_code: country }),
  },
  anthropic: {
    path: 'claude',
    search: (country) => ({ web_search: true, web_search_country_iso_code: country }),
  },
  gemini: { path: 'gemini', search: () => ({ web_search: true }) },
  perplexity: { path: 'perplexity', search: (country) => ({ web_search_country_iso_code: country }) },
}

/** Each engine as DataForSEO asks it (https://docs.dataforseo.com/v3/ai_optimization/llm_responses), with short texts alone. */
export const brokered = Object.fromEntries(engineNames.map((name) => [name, through(name)])) as Record<
  EngineName,
  AnswerEngine
>

function through(name: EngineName): AnswerEngine {
  const { search } = endpoints[name]
  return {
    name,
    async ask(question, caller) {
      const order = { user_prompt: question.prompt, system_message: asking(question) }
      const { reply, ...rest } = await post(name, { ...order, ...search(question.country) }, caller)
      const sections = sectionsOf(reply)
      const whole = sections.map((section) => section.text ?? '').join('')
      if (whole.trim() === '') throw new UpstreamFault('empty', `${name} answers nothing`)
      const cited = sections.flatMap((section) =>
        section.annotations.flatMap(({ url, direct_url: direct, title, start_index: at, text: words }) => {
          const page = pageAt(direct ?? url ?? '', title)
          const passage = words ?? (at ? sentenceBefore(section.text ?? '', at) : null)
          return page ? [{ ...page, passage }] : []
        }),
      )
      const ended = (reply.output_tokens ?? 0) >= MAX_OUTPUT_TOKENS ? 'truncated' : 'whole'
      const queries = reply.fan_out_queries
      return { engine: name, text: whole, ...distinct(cited, []), queries, ended, ...rest }
    },
    async extract({ schema, instructions, data }, caller) {
      const { prompt, instructions: rules, schema: shape } = fenced({ schema, instructions, data })
      const system = `${rules}\nAnswer with one JSON object and nothing else, of this schema: ${JSON.stringify(shape)}`
      const { reply, ...rest } = await post(name, { user_prompt: prompt, system_message: system }, caller)
      const object = sectionsOf(reply).map((section) => section.text ?? '')
      return { value: readObject(name, { text: object.join(''), ended: 'whole' }, schema), ...rest }
    },
  }
}

async function post(
  name: EngineName,
  order: { user_prompt: string; system_message: string },
  caller: Caller,
) {
  const { path } = endpoints[name]
  if ([order.user_prompt, order.system_message].some((words) => [...words].length > MAX_TEXT))
    throw new UpstreamFault('input', `DataForSEO takes at most ${MAX_TEXT} characters`)
  const model = await modelOf(name, caller)
  const task = { ...order, model_name: model, max_output_tokens: MAX_OUTPUT_TOKENS }
  let usd = 0
  const [reply] = await call(
    `ai_optimization/${path}/llm_responses/live`,
    task,
    Reply,
    caller,
    (cost) => (usd += cost),
  )
  if (!reply) throw new UpstreamFault('empty', `${name} answers nothing`)
  const usage = {
    inputTokens: reply.input_tokens ?? 0,
    outputTokens: reply.output_tokens ?? 0,
    searches: reply.web_search ? Math.max(1, reply.fan_out_queries.length) : 0,
    usd,
  }
  return { reply, model: reply.model_name ?? model, usage }
}

const sectionsOf = ({ items }: Reply) =>
  items.flatMap(({ type, sections }) => (type === 'message' ? sections : []))

const models = new Map<EngineName, { name: string; until: number }>()

/** The configured model if it is offered, else the first that searches, rather one that does not think at length. */
async function modelOf(engine: EngineName, caller: Caller): Promise<string> {
  const known = models.get(engine)
  if (known && known.until > Date.now()) return known.name
  const path = `ai_optimization/${endpoints[engine].path}/llm_responses/models`
  const offered = (await call(path, undefined, Model, caller)).filter((model) => model.model_name)
  const wanted = engineSettings(engine).model.replace(/^perplexity\//, '')
  const searching = offered.filter((model) => model.web_search_supported !== false)
  const chosen =
    offered.find((model) => model.model_name === wanted) ??
    searching.find((model) => !model.reasoning) ??
    searching[0]
  if (!chosen?.model_name) throw new UpstreamFault('input', `DataForSEO offers no model of ${engine}`)
  models.set(engine, { name: chosen.model_name, until: Date.now() + MODELS_MS })
  return chosen.model_name
}
