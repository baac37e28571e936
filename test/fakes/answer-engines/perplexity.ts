import { citedBy, isCountry, type Json, queriesOf, served, tokens } from './script.ts'
import { unknownField, type Wire } from './script.ts'

const fields =
  'model preset input instructions tools max_output_tokens max_steps response_format store stream language_preference'
const errors = {
  'bad key': [401, 'invalid_api_key'],
  'no money': [401, 'insufficient_quota'],
  'too many': [429, 'rate_limit_exceeded'],
  broken: [500, 'internal_server_error'],
  overloaded: [503, 'overloaded'],
  'not understood': [400, 'invalid_request'],
} as const

/** What one answer costs, US dollars, as it says itself. */
export const perplexityCost = 0.006

/** The Agent API, and its alias. */
export const perplexity: Wire = {
  path: /^\/v1\/(agent|responses)$/,
  keyOf: (headers) => /^Bearer (.+)$/.exec(headers.get('authorization') ?? '')?.[1] ?? null,
  wrong(body) {
    const field = unknownField(body, fields)
    if (field) return field
    if (!body['model'] && !body['preset']) return 'model or preset is required'
    if (!body['input']) return 'input is required'
    for (const tool of (body['tools'] ?? []) as Json[]) {
      if (tool['type'] !== 'web_search') return `tools[0].type: ${String(tool['type'])} is not known`
      const wrong = unknownField(tool, 'type search_context_size user_location filters')
      if (wrong) return wrong
      if (tool['user_location'] && !isCountry(tool['user_location']))
        return 'tools[0].user_location is invalid'
    }
    const format = body['response_format'] as { type?: string; json_schema?: Json } | undefined
    if (format && (format.type !== 'json_schema' || !format.json_schema?.['schema']))
      return 'response_format is invalid'
    return undefined
  },
  asked: (body) => ({
    prompt: String(body['input']),
    instructions: body['instructions'] as string,
    model: String(body['model']),
    schema: (body['response_format'] as { json_schema: { schema: object } } | undefined)?.json_schema.schema,
  }),
  answer(scripted, asked, body) {
    const pages = [...citedBy(scripted), ...(scripted.others ?? [])]
    const text = scripted.parts
      .map(({ text: words, cites }) =>
        [words, ...(cites ?? []).map((page) => `[${pages.indexOf(page) + 1}]`)].join(''),
      )
      .join(' ')
    const results = pages.map(({ url, title }, at) => ({
      id: at + 1,
      title,
      url,
      snippet: `Words of ${title}`,
      date: '2026-01-01',
      last_updated: '2026-10-01',
      source: 'web',
    }))
    const searched = {
      type: 'search_results',
      queries: queriesOf(scripted, asked),
      results: scripted.searchFails ? [] : results,
    }
    const content =
      scripted.ended === 'refused'
        ? { type: 'refusal', refusal: text }
        : { type: 'output_text', text, annotations: [] }
    return {
      id: 'resp_1',
      object: 'response',
      created_at: 1_795_000_000,
      status: scripted.ended === 'truncated' ? 'incomplete' : 'completed',
      ...(scripted.ended === 'truncated' && { incomplete_details: { reason: 'max_output_tokens' } }),
      model: served(asked.model),
      error: null,
      output: [
        ...(body['tools'] ? [searched] : []),
        { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [content] },
      ],
      usage: {
        input_tokens: tokens.input,
        output_tokens: tokens.output,
        total_tokens: tokens.input + tokens.output,
        cost: {
          currency: 'USD',
          input_cost: 0.0005,
          output_cost: 0.0005,
          tool_calls_cost: 0.005,
          total_cost: perplexityCost,
        },
      },
    }
  },
  refuse(fault, message) {
    const [status, type] = errors[fault]
    return {
      status,
      body: { error: { message, type, code: status } },
      ...(fault === 'too many' && { headers: { 'retry-after': '1' } }),
    }
  },
}
