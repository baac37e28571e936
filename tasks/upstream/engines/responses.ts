import { z } from 'zod'

import type { Answer } from '../answer-engine.ts'
import { amount, count, items, record, text } from './wire.ts'

/** What OpenAI's Responses answer, and Perplexity's Agent after their model. */
const Response = record({
  model: text,
  incomplete_details: record({ reason: text }),
  output: items(
    z.object({
      type: text,
      /** Of a search, OpenAI's. */
      action: record({
        type: text,
        query: text,
        queries: items(z.string()),
        sources: items(z.object({ url: z.string() })),
      }),
      /** Of a search, Perplexity's. */
      queries: items(z.string()),
      results: items(z.object({ id: count, url: z.string(), title: text })),
      content: items(
        z.object({
          type: text,
          text,
          refusal: text,
          annotations: items(z.object({ url: z.string(), title: text, start_index: count })),
        }),
      ),
    }),
  ),
  usage: record({ input_tokens: count, output_tokens: count, cost: record({ total_cost: amount }) }),
})

export const responseOf = (body: unknown) => Response.parse(body)

/** The parts of what it says, in order, and how it ended. */
export function saidIn({ output, incomplete_details: { reason } }: z.output<typeof Response>) {
  const parts = output.flatMap(({ type, content }) => (type === 'message' ? content : []))
  const isRefused = parts.some(({ type }) => type === 'refusal') || reason === 'content_filter'
  const ended: Answer['ended'] = isRefused ? 'refused' : reason ? 'truncated' : 'whole'
  return { parts: parts.map((part) => ({ ...part, text: part.text ?? part.refusal ?? '' })), ended }
}
