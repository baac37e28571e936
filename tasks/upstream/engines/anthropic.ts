import { z } from 'zod'

import { pageAt } from './citations.ts'
import { engine } from './sdk.ts'

const MAX_SEARCHES = 3

const tokens = z.number().nullish()
const Message = z.object({
  model: z.string().nullish(),
  usage: z
    .object({
      input_tokens: tokens,
      cache_creation_input_tokens: tokens,
      cache_read_input_tokens: tokens,
      output_tokens: tokens,
      server_tool_use: z.object({ web_search_requests: tokens }).nullish(),
    })
    .nullish(),
})

/** Messages: https://platform.claude.com/docs/en/api/messages; its models from Claude 4.5 on. */
export const anthropic = engine({
  name: 'anthropic',
  // Those before think only when they are told to.
  thinks: /^claude-[a-z]+-[5-9]/,
  async load() {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return (access, id) => {
      const vendor = createAnthropic(access)
      const search = (country: string) => ({
        web_search: vendor.tools.webSearch_20250305({
          maxUses: MAX_SEARCHES,
          userLocation: { type: 'approximate', country },
        }),
      })
      const options = { anthropic: { structuredOutputMode: 'outputFormat' } }
      return { model: vendor(id), search, options }
    }
  },
  receiptOf(body) {
    const { model = null, usage } = Message.catch({}).parse(body)
    return {
      model,
      inputTokens:
        (usage?.input_tokens ?? 0) +
        (usage?.cache_creation_input_tokens ?? 0) +
        (usage?.cache_read_input_tokens ?? 0),
      outputTokens: usage?.output_tokens ?? 0,
      searches: usage?.server_tool_use?.web_search_requests ?? 0,
    }
  },
  read: (parts) => ({
    // A citation backs the whole block that it belongs to.
    cited: parts.flatMap((part) =>
      part.type === 'text'
        ? (part.citations ?? []).flatMap(({ source }) => {
            const page = source.sourceType === 'url' ? pageAt(source.url, source.title) : undefined
            return page ? { ...page, passage: part.text.trim() || null } : []
          })
        : [],
    ),
    retrieved: parts.flatMap((part) =>
      part.type === 'source' && part.sourceType === 'url' ? (pageAt(part.url, part.title) ?? []) : [],
    ),
    queries: parts.flatMap((part) =>
      part.type === 'tool-call' ? ((part.input as { query?: string } | undefined)?.query ?? []) : [],
    ),
  }),
})
