import { z } from 'zod'

import { pageAt } from './citations.ts'
import { engine } from './engine.ts'
import { count, items, record, text } from './wire.ts'

/** What is thought counts as well. */
const MAX_OUTPUT_TOKENS = 8000
const MAX_SEARCHES = 3
/** Those before think only when they are told to. */
const THINKS = /^claude-[a-z]+-[5-9]/

const WebPage = z.object({ url: z.string(), title: text })
const Message = record({
  model: text,
  content: items(
    z.object({
      type: text,
      text,
      citations: items(WebPage),
      /** Of a search. */
      input: record({ query: text }),
      /** Of its result; an object when it failed. */
      content: items(WebPage),
    }),
  ),
  stop_reason: text,
  usage: record({
    input_tokens: count,
    cache_creation_input_tokens: count,
    cache_read_input_tokens: count,
    output_tokens: count,
    server_tool_use: record({ web_search_requests: count }),
  }),
})

/** Messages: https://platform.claude.com/docs/en/api/messages; its models from Claude 4.5 on. */
export const anthropic = engine({
  name: 'anthropic',
  order: ({ model, instructions, prompt, country, schema }, apiKey, bodies) => ({
    path: 'messages',
    headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
    body: {
      model,
      max_tokens: MAX_OUTPUT_TOKENS,
      system: instructions,
      messages: [
        { role: 'user', content: [{ type: 'text', text: prompt }] },
        // What a paused answer holds goes back as it came.
        ...bodies.map((body) => ({ role: 'assistant', content: (body as { content: unknown }).content })),
      ],
      ...(country && {
        tools: [
          {
            type: 'web_search_20250305',
            name: 'web_search',
            max_uses: MAX_SEARCHES,
            user_location: { type: 'approximate', country },
          },
        ],
        tool_choice: { type: 'auto' },
      }),
      ...(THINKS.test(model) && { thinking: { type: 'adaptive' } }),
      ...((THINKS.test(model) || schema) && {
        output_config: {
          ...(THINKS.test(model) && { effort: 'low' }),
          ...(schema && { format: { type: 'json_schema', schema } }),
        },
      }),
    },
  }),
  receiptOf(body) {
    const { model, usage } = Message.parse(body)
    const { input_tokens: input, cache_creation_input_tokens: made, cache_read_input_tokens: read } = usage
    return {
      model,
      inputTokens: input == null ? null : input + (made ?? 0) + (read ?? 0),
      outputTokens: usage.output_tokens,
      searches: usage.server_tool_use.web_search_requests ?? 0,
    }
  },
  isPaused: (body) => Message.parse(body).stop_reason === 'pause_turn',
  read(bodies) {
    const messages = bodies.map((body) => Message.parse(body))
    const blocks = messages.flatMap(({ content }) => content)
    const said = blocks.filter(({ type }) => type === 'text')
    return {
      text: said.map((block) => block.text ?? '').join(''),
      ended: endings[messages.at(-1)?.stop_reason ?? ''] ?? 'whole',
      // A citation backs the whole block that it belongs to.
      cited: said.flatMap(({ text, citations }) =>
        citations.flatMap(({ url, title }) => {
          const page = pageAt(url, title)
          return page ? [{ ...page, passage: text?.trim() || null }] : []
        }),
      ),
      retrieved: blocks
        .filter(({ type }) => type === 'web_search_tool_result')
        .flatMap(({ content }) => content.flatMap(({ url, title }) => pageAt(url, title) ?? [])),
      queries: blocks.flatMap(({ type, input }) => (type === 'server_tool_use' ? (input.query ?? []) : [])),
    }
  },
})

const endings: Record<string, 'refused' | 'truncated'> = {
  refusal: 'refused',
  max_tokens: 'truncated',
  model_context_window_exceeded: 'truncated',
  pause_turn: 'truncated',
}
