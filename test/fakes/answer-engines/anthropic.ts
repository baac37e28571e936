import { citedBy, isCountry, type Json, queriesOf, served, tokens } from './script.ts'
import { type Scripted, unknownField, type Wire } from './script.ts'

const fields =
  'model max_tokens messages system tools tool_choice output_config thinking stop_sequences stream metadata'
const errors = {
  'bad key': [401, 'authentication_error'],
  'no money': [400, 'invalid_request_error'],
  'too many': [429, 'rate_limit_error'],
  broken: [500, 'api_error'],
  overloaded: [529, 'overloaded_error'],
  'not understood': [400, 'invalid_request_error'],
} as const
const encrypted = 'RW5jcnlwdGVk'

/** Messages; both ways to authenticate, and both versions, the newer of which takes no sampling parameters. */
export const anthropic: Wire = {
  path: /^\/v1\/messages$/,
  keyOf: (headers) =>
    headers.get('x-api-key') ?? /^Bearer (.+)$/.exec(headers.get('authorization') ?? '')?.[1] ?? null,
  wrong(body, headers) {
    const version = headers.get('anthropic-version')
    if (version !== '2023-06-01' && version !== '2026-10-21') return 'anthropic-version: header is required'
    const field = unknownField(body, version === '2023-06-01' ? `${fields} temperature top_p top_k` : fields)
    if (field) return field
    if (!Number.isInteger(body['max_tokens'])) return 'max_tokens: Field required'
    const messages = body['messages'] as Json[] | undefined
    if (!messages?.length || messages[0]?.['role'] !== 'user') return 'messages: first must use the user role'
    for (const tool of (body['tools'] ?? []) as Json[]) {
      if (!/^web_search_(20250305|20260209|20260318)$/.test(String(tool['type'])))
        return `tools.0: '${String(tool['type'])}' is not known`
      if (tool['name'] !== 'web_search') return 'tools.0.name: Input should be web_search'
      const wrong = unknownField(tool, 'type name max_uses user_location allowed_domains blocked_domains')
      if (wrong) return wrong
      if (tool['user_location'] && !isCountry(tool['user_location'])) return 'tools.0.user_location: invalid'
    }
    const format = formatOf(body)
    if (format && (format['type'] !== 'json_schema' || !format['schema']))
      return 'output_config.format: invalid'
    const turns = messages.slice(1)
    return turns.some((turn) => turn['role'] === 'assistant' && !isGivenBack(turn))
      ? 'messages.1: tool results have to be given back as they were'
      : undefined
  },
  asked(body) {
    const [first, ...turns] = body['messages'] as Json[]
    return {
      prompt: textOf(first?.['content']),
      instructions: textOf(body['system']),
      model: String(body['model']),
      schema: formatOf(body)?.['schema'] as object | undefined,
      isContinued: turns.length > 0,
    }
  },
  answer(scripted, asked, body) {
    const isPaused = scripted.pauses === true && !asked.isContinued
    const parts = isPaused
      ? scripted.parts.slice(0, 1)
      : asked.isContinued
        ? scripted.parts.slice(1)
        : scripted.parts
    const hasSearched = body['tools'] !== undefined && !asked.isContinued
    const queries = hasSearched ? queriesOf(scripted, asked) : []
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: served(asked.model),
      content: [
        ...queries.flatMap((query, at) => searchOf(scripted, query, at)),
        ...parts.map(({ text, cites }, at) => ({
          type: 'text',
          text: at === 0 && !asked.isContinued ? text : ` ${text}`,
          ...(cites && {
            citations: cites.map(({ url, title }, index) => ({
              type: 'web_search_result_location',
              cited_text: `Words of ${title}`,
              url,
              title,
              encrypted_index: `${encrypted}${index}`,
            })),
          }),
        })),
      ],
      stop_reason: isPaused ? 'pause_turn' : stops[scripted.ended ?? 'whole'],
      stop_sequence: null,
      usage: {
        input_tokens: tokens.input,
        output_tokens: tokens.output,
        server_tool_use: { web_search_requests: queries.length, web_fetch_requests: 0 },
      },
    }
  },
  refuse(fault, message) {
    const [status, type] = errors[fault]
    const said =
      fault === 'no money' ? 'Your credit balance is too low to access the Anthropic API.' : message
    return {
      status,
      body: { type: 'error', error: { type, message: said }, request_id: 'req_1' },
      ...(fault === 'too many' && { headers: { 'retry-after': '1' } }),
    }
  },
}

const stops = { refused: 'refusal', truncated: 'max_tokens', whole: 'end_turn' }

function searchOf(scripted: Scripted, query: string, at: number): object[] {
  const id = `srvtoolu_${at}`
  const found = at === 0 ? [...citedBy(scripted), ...(scripted.others ?? [])] : []
  const results = found.map(({ url, title }) => ({
    type: 'web_search_result',
    title,
    url,
    encrypted_content: encrypted,
    page_age: null,
  }))
  const error = { type: 'web_search_tool_result_error', error_code: 'unavailable' }
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: { query } },
    { type: 'web_search_tool_result', tool_use_id: id, content: scripted.searchFails ? error : results },
  ]
}

/** What a paused answer held comes back whole. */
function isGivenBack({ content }: Json): boolean {
  const blocks = content as Json[]
  const result = blocks.find(({ type }) => type === 'web_search_tool_result')
  const [first] = (result?.['content'] ?? []) as Json[]
  return blocks.some(({ type }) => type === 'server_tool_use') && first?.['encrypted_content'] === encrypted
}

const formatOf = (body: Json) => (body['output_config'] as { format?: Json } | undefined)?.format
const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : ((content ?? []) as { text?: string }[]).map(({ text }) => text ?? '').join('')
