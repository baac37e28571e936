import { pageAt, sentenceBefore } from './citations.ts'
import { engine } from './engine.ts'
import { responseOf, saidIn } from './responses.ts'

/** What is thought counts as well. */
const MAX_OUTPUT_TOKENS = 8000
/** These think at length unless they are told not to: an analysis asks much in little time. */
const THINKS = /^(gpt-[5-9]|o\d)/

/** Responses: https://developers.openai.com/api/reference/resources/responses */
export const openAi = engine({
  name: 'openai',
  order: ({ model, instructions, prompt, country, schema }, apiKey) => ({
    path: 'responses',
    headers: { authorization: `Bearer ${apiKey}` },
    body: {
      model,
      instructions,
      input: [{ role: 'user', content: [{ type: 'input_text', text: prompt }] }],
      max_output_tokens: MAX_OUTPUT_TOKENS,
      store: false,
      ...(THINKS.test(model) && { reasoning: { effort: 'low' } }),
      ...(country && {
        tools: [
          { type: 'web_search', search_context_size: 'low', user_location: { type: 'approximate', country } },
        ],
        tool_choice: 'auto',
        include: ['web_search_call.action.sources'],
      }),
      ...(schema && { text: { format: { type: 'json_schema', strict: true, name: 'response', schema } } }),
    },
  }),
  receiptOf(body) {
    const { model, usage } = responseOf(body)
    return {
      model,
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      searches: searchesIn(body).length,
    }
  },
  read([body]) {
    const { parts, ended } = saidIn(responseOf(body))
    const searches = searchesIn(body)
    return {
      text: parts.map(({ text }) => text).join(''),
      ended,
      // The range of a citation is the link's own: what it backs is the sentence before.
      cited: parts.flatMap(({ text, annotations }) =>
        annotations.flatMap(({ url, title, start_index: at }) => {
          const page = pageAt(url, title)
          return page ? [{ ...page, passage: at == null ? null : sentenceBefore(text, at) }] : []
        }),
      ),
      retrieved: searches.flatMap(({ sources }) => sources.flatMap(({ url }) => pageAt(url) ?? [])),
      queries: searches.flatMap(({ queries, query }) => (queries.length > 0 ? queries : (query ?? []))),
    }
  },
})

/** Opening a page, or looking for words in it, is no search. */
const searchesIn = (body: unknown) =>
  responseOf(body)
    .output.filter(({ type, action }) => type === 'web_search_call' && (action.type ?? 'search') === 'search')
    .map(({ action }) => action)
