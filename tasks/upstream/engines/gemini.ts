import { z } from 'zod'

import type { Answer } from '../answer-engine.ts'
import { pageAt } from './citations.ts'
import { engine } from './engine.ts'
import { count, items, record, text } from './wire.ts'

/** What is thought counts as well. */
const MAX_OUTPUT_TOKENS = 8000
/** Those before count their thoughts otherwise. */
const THINKS = /^gemini-[3-9]/
const REFUSED = /^(SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|LANGUAGE)$/

const Generated = record({
  modelVersion: text,
  candidates: items(
    z.object({
      content: record({ parts: items(z.object({ text, thought: z.boolean().nullish().catch(null) })) }),
      finishReason: text,
      groundingMetadata: record({
        webSearchQueries: items(z.string()),
        // Each keeps its place: they are referred to by it.
        groundingChunks: items(record({ web: record({ uri: text, title: text }) })),
        groundingSupports: items(
          z.object({
            segment: record({ startIndex: count, endIndex: count, text }),
            groundingChunkIndices: items(z.number()),
          }),
        ),
      }),
    }),
  ),
  promptFeedback: record({ blockReason: text }),
  usageMetadata: record({
    promptTokenCount: count,
    toolUsePromptTokenCount: count,
    candidatesTokenCount: count,
    thoughtsTokenCount: count,
  }),
})

/** generateContent: https://ai.google.dev/api/generate-content; its models from Gemini 3 on. */
export const gemini = engine({
  name: 'gemini',
  order: ({ model, instructions, prompt, country, schema }, apiKey) => ({
    path: `models/${model}:generateContent`,
    headers: { 'x-goog-api-key': apiKey },
    body: {
      systemInstruction: { parts: [{ text: instructions }] },
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
      generationConfig: {
        maxOutputTokens: MAX_OUTPUT_TOKENS,
        ...(THINKS.test(model) && { thinkingConfig: { thinkingLevel: 'low' } }),
        ...(schema && { responseMimeType: 'application/json', responseJsonSchema: schema }),
      },
      ...(country && { tools: [{ googleSearch: {} }] }),
    },
  }),
  receiptOf(body) {
    const { modelVersion, usageMetadata: usage, candidates } = Generated.parse(body)
    const sum = (own: number | null | undefined, more: number | null | undefined) =>
      own == null ? null : own + (more ?? 0)
    return {
      model: modelVersion,
      inputTokens: sum(usage.promptTokenCount, usage.toolUsePromptTokenCount),
      outputTokens: sum(usage.candidatesTokenCount, usage.thoughtsTokenCount),
      searches: candidates[0]?.groundingMetadata.webSearchQueries.length ?? 0,
    }
  },
  read([body]) {
    const { candidates, promptFeedback } = Generated.parse(body)
    const [candidate] = candidates
    const parts = candidate?.content.parts ?? []
    const text = parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join('')
    const {
      groundingChunks = [],
      groundingSupports = [],
      webSearchQueries = [],
    } = candidate?.groundingMetadata ?? {}
    const chunks = groundingChunks.map(({ web }) => chunkOf(web.uri ?? '', web.title))
    const bytes = Buffer.from(text)
    return {
      text,
      ended: endOf(candidate?.finishReason ?? '', promptFeedback.blockReason),
      cited: groundingSupports
        .toSorted((one, other) => (one.segment.startIndex ?? 0) - (other.segment.startIndex ?? 0))
        .flatMap(({ segment: { startIndex, endIndex, text: words }, groundingChunkIndices }) => {
          // Places are counted in bytes of UTF-8.
          const place = bytes.subarray(startIndex ?? 0, endIndex ?? 0).toString()
          const passage = (words ?? place).trim() || null
          return groundingChunkIndices.flatMap((index) => {
            const page = chunks[index]
            return page ? { ...page, passage } : []
          })
        }),
      retrieved: chunks.filter((page) => page !== undefined),
      queries: webSearchQueries,
    }
  },
})

function endOf(finish: string, blocked: string | null | undefined): Answer['ended'] {
  if (blocked || REFUSED.test(finish)) return 'refused'
  return finish === 'MAX_TOKENS' ? 'truncated' : 'whole'
}

/** The address is a redirect of Google's, and the title the site's domain. */
function chunkOf(uri: string, title: string | null | undefined) {
  const page = pageAt(uri, title)
  const domain = title?.trim().toLowerCase() ?? ''
  if (!page || !/^([\w-]+\.)+[a-z][a-z0-9-]+$/.test(domain)) return page
  return { ...page, host: domain.replace(/^www\./, ''), title: null }
}
