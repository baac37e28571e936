import type { Citation } from '../answer-engine.ts'
import { pageAt, sentenceBefore } from './citations.ts'
import { engine } from './engine.ts'
import { responseOf, saidIn } from './responses.ts'

const MAX_OUTPUT_TOKENS = 4000
/** `[2]`, `[2, 3]`: results by their ids. */
const MARKER = /\[(\d{1,3}(?:,\s*\d{1,3})*)\]/g

/** The Agent API: https://docs.perplexity.ai/api-reference/agent-post. A preset would have another vendor's model answer. */
export const perplexity = engine({
  name: 'perplexity',
  order: ({ model, instructions, prompt, country, schema }, apiKey) => ({
    path: 'agent',
    headers: { authorization: `Bearer ${apiKey}` },
    body: {
      model,
      input: prompt,
      instructions,
      ...(country && {
        tools: [{ type: 'web_search', search_context_size: 'low', user_location: { country } }],
      }),
      ...(schema && { response_format: { type: 'json_schema', json_schema: { name: 'response', schema } } }),
      max_output_tokens: MAX_OUTPUT_TOKENS,
      store: false,
    },
  }),
  receiptOf(body) {
    const { model, usage, output } = responseOf(body)
    return {
      model,
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      searches: output.filter(({ type }) => type === 'search_results').length,
      usd: usage.cost.total_cost,
    }
  },
  read([body]) {
    const response = responseOf(body)
    const { parts, ended } = saidIn(response)
    const text = parts.map((part) => part.text).join('')
    const results = response.output.flatMap((item) => item.results)
    const found = results.map(({ id, url, title }, at) => ({ id: id ?? at + 1, page: pageAt(url, title) }))
    const marked = [...text.matchAll(MARKER)].flatMap(({ 1: ids = '', index: at }) =>
      ids.split(',').map((id) => ({ page: found.find((result) => result.id === Number(id))?.page, at })),
    )
    const annotated = parts
      .flatMap(({ annotations }) => annotations)
      .map(({ url, title, start_index: at }) => ({ page: pageAt(url, title), at: at ?? text.length }))
    return {
      text,
      ended,
      cited: [...marked, ...annotated]
        .toSorted((one, other) => one.at - other.at)
        .flatMap(({ page, at }): Citation[] =>
          page ? [{ ...page, passage: sentenceBefore(text, at) }] : [],
        ),
      retrieved: found.flatMap(({ page }) => page ?? []),
      queries: response.output.flatMap(({ queries }) => queries),
    }
  },
})
