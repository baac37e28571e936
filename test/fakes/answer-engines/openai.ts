import { citedBy, hostOf, isCountry, type Json, looseSchema, queriesOf, served, tokens } from './script.ts'
import { unknownField, type Wire } from './script.ts'

const fields =
  'model input instructions max_output_tokens store include reasoning tools tool_choice text stream metadata'
const sources = 'web_search_call.action.sources'

/** Responses, facts of its documents and of the official client. */
export const openAi: Wire = {
  path: /^\/v1\/responses$/,
  keyOf: (headers) => /^Bearer (.+)$/.exec(headers.get('authorization') ?? '')?.[1] ?? null,
  wrong(body) {
    const field = unknownField(body, fields)
    if (field) return field
    if (typeof body['model'] !== 'string') return "Missing required parameter: 'model'."
    if (typeof body['input'] !== 'string' && !Array.isArray(body['input']))
      return "Missing required parameter: 'input'."
    for (const tool of (body['tools'] ?? []) as Json[]) {
      if (tool['type'] !== 'web_search') return `Invalid value: '${String(tool['type'])}'.`
      const wrong = unknownField(tool, 'type search_context_size user_location filters external_web_access')
      if (wrong) return wrong
      const place = tool['user_location'] as Json | undefined
      if (place && (place['type'] !== 'approximate' || !isCountry(place))) return 'Invalid user_location.'
    }
    const format = formatOf(body)
    if (!format) return undefined
    if (format['type'] !== 'json_schema' || !format['name']) return "Invalid 'text.format'."
    return format['strict'] ? looseSchema(format['schema']) : undefined
  },
  asked(body) {
    const input = body['input']
    const items = (Array.isArray(input) ? input : [{ role: 'user', content: input }]) as Json[]
    const said = (roles: string[]) =>
      items
        .filter(({ role }) => roles.includes(String(role)))
        .map(({ content }) =>
          typeof content === 'string'
            ? content
            : (content as { text: string }[]).map(({ text }) => text).join(''),
        )
        .join('\n')
    return {
      prompt: said(['user']),
      instructions: (body['instructions'] as string | undefined) ?? said(['system', 'developer']),
      model: String(body['model']),
      schema: formatOf(body)?.['schema'] as object | undefined,
    }
  },
  answer(scripted, asked, body) {
    let text = ''
    const annotations: object[] = []
    for (const part of scripted.parts) {
      text += `${text && ' '}${part.text}`
      for (const page of part.cites ?? []) {
        const url = `${page.url}${page.url.includes('?') ? '&' : '?'}utm_source=chatgpt.com`
        const link = `([${hostOf(page)}](${url}))`
        const start = text.length + 1
        annotations.push({
          type: 'url_citation',
          start_index: start,
          end_index: start + link.length,
          url,
          title: page.title,
        })
        text += ` ${link}`
      }
    }
    const isTold = ((body['include'] ?? []) as string[]).includes(sources)
    const found = [...citedBy(scripted), ...(scripted.others ?? [])]
    const searches = queriesOf(scripted, asked).map((query, at) => ({
      type: 'web_search_call',
      id: `ws_${at}`,
      status: scripted.searchFails ? 'failed' : 'completed',
      action: {
        type: 'search',
        query,
        queries: [query],
        ...(isTold &&
          at === 0 &&
          !scripted.searchFails && { sources: found.map(({ url }) => ({ type: 'url', url })) }),
      },
    }))
    const content =
      scripted.ended === 'refused'
        ? { type: 'refusal', refusal: text }
        : { type: 'output_text', text, annotations, logprobs: [] }
    return {
      id: 'resp_1',
      object: 'response',
      created_at: 1_795_000_000,
      status: scripted.ended === 'truncated' ? 'incomplete' : 'completed',
      error: null,
      incomplete_details: scripted.ended === 'truncated' ? { reason: 'max_output_tokens' } : null,
      model: served(asked.model),
      output: [
        { type: 'reasoning', id: 'rs_1', summary: [] },
        ...(body['tools'] ? searches : []),
        { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [content] },
      ],
      usage: {
        input_tokens: tokens.input,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: tokens.output,
        output_tokens_details: { reasoning_tokens: 100 },
        total_tokens: tokens.input + tokens.output,
      },
    }
  },
  refuse(fault, message) {
    const error = (type: string, code: string | null, said = message) => ({
      error: { message: said, type, param: null, code },
    })
    switch (fault) {
      case 'bad key':
        return { status: 401, body: error('invalid_request_error', 'invalid_api_key') }
      case 'no money':
        return { status: 429, body: error('insufficient_quota', 'insufficient_quota') }
      case 'too many':
        return {
          status: 429,
          body: error('requests', 'rate_limit_exceeded'),
          headers: { 'retry-after': '1', 'retry-after-ms': '300' },
        }
      case 'overloaded':
        return { status: 503, body: error('server_error', 'overloaded') }
      case 'broken':
        return { status: 500, body: error('server_error', null) }
      case 'not understood':
        return { status: 400, body: error('invalid_request_error', 'unknown_parameter') }
    }
  },
}

const formatOf = (body: Json) => (body['text'] as { format?: Json } | undefined)?.format
