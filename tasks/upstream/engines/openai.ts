import { z } from 'zod'

import { pageAt, sentenceBefore } from './citations.ts'
import { engine, type Part } from './sdk.ts'

const Response = z.object({
  model: z.string().nullish(),
  output: z.array(
    z.object({
      type: z.string(),
      action: z
        .object({
          type: z.string(),
          query: z.string().nullish(),
          queries: z.array(z.string()).nullish(),
        })
        .nullish(),
    }),
  ),
  usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }).nullish(),
})

/** Responses: https://developers.openai.com/api/reference/resources/responses */
export const openAi = engine({
  name: 'openai',
  thinks: /./,
  async load() {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return (access, id) => {
      const openai = createOpenAI(access)
      const search = (country: string) => ({
        web_search: openai.tools.webSearch({
          searchContextSize: 'low',
          userLocation: { type: 'approximate', country },
        }),
      })
      // A summary of its thoughts is given to verified organizations alone.
      const options = { openai: { store: false, reasoningSummary: null } }
      return { model: openai.responses(id), search, options }
    }
  },
  receiptOf(body) {
    const { model = null, usage } = Response.partial().catch({}).parse(body)
    return {
      model,
      inputTokens: usage?.input_tokens ?? 0,
      outputTokens: usage?.output_tokens ?? 0,
      searches: searchesOf(body).length,
    }
  },
  read: (parts, _text, bodies) => ({
    cited: parts.flatMap(citationsOf),
    retrieved: parts.flatMap((part) =>
      part.type === 'source' && part.sourceType === 'url' ? (pageAt(part.url, part.title) ?? []) : [],
    ),
    queries: bodies.flatMap(searchesOf).flatMap(({ action }) => action?.queries ?? action?.query ?? []),
  }),
})

/** Opening a page, or looking for words in it, is no search. */
function searchesOf(body: unknown) {
  const read = Response.safeParse(body)
  const items = read.success ? read.data.output : []
  return items.filter(
    ({ type, action }) => type === 'web_search_call' && (action?.type ?? 'search') === 'search',
  )
}

/** The range of a citation is the link's own: what it backs is the sentence before. */
function citationsOf(part: Part) {
  if (part.type !== 'text') return []
  return (part.citations ?? []).flatMap(({ source, startIndex }) => {
    const page = source.sourceType === 'url' ? pageAt(source.url, source.title) : undefined
    const passage = startIndex === undefined ? null : sentenceBefore(part.text, startIndex)
    return page ? { ...page, passage } : []
  })
}
