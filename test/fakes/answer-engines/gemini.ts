import { citedBy, hostOf, type Json, queriesOf, served, tokens } from './script.ts'
import { type Page, type Scripted, unknownField, type Wire } from './script.ts'

const errors = {
  'bad key': [400, 'INVALID_ARGUMENT'],
  'no money': [402, 'FAILED_PRECONDITION'],
  'too many': [429, 'RESOURCE_EXHAUSTED'],
  broken: [500, 'INTERNAL'],
  overloaded: [503, 'UNAVAILABLE'],
  'not understood': [400, 'INVALID_ARGUMENT'],
} as const
const redirects = 'https://vertexaisearch.cloud.google.com/grounding-api-redirect/'

/** generateContent; the key is taken from its header alone, so that none gets into an address. */
export const gemini: Wire = {
  path: /^\/v1beta\/models\/([\w.-]+):generateContent$/,
  keyOf: (headers) => headers.get('x-goog-api-key'),
  wrong(body) {
    const field =
      unknownField(body, 'contents systemInstruction generationConfig tools toolConfig safetySettings') ??
      unknownField(
        body['generationConfig'],
        'maxOutputTokens responseMimeType responseJsonSchema thinkingConfig temperature topP topK',
      )
    if (field) return field
    const contents = body['contents'] as Json[] | undefined
    if (!contents?.length) return 'contents is not specified'
    const wrong = ((body['tools'] ?? []) as Json[]).map((tool) => unknownField(tool, 'googleSearch'))
    const [first] = wrong.filter((why) => why !== undefined)
    if (first) return first
    if (schemaOf(body) && configOf(body)['responseMimeType'] !== 'application/json')
      return 'responseJsonSchema needs a response mime type: application/json'
    return undefined
  },
  asked(body, path) {
    const said = (content: unknown) =>
      ((content as { parts?: { text: string }[] } | undefined)?.parts ?? []).map(({ text }) => text).join('')
    return {
      prompt: (body['contents'] as Json[]).map(said).join(''),
      instructions: said(body['systemInstruction']),
      model: this.path.exec(path)?.[1] ?? '',
      schema: schemaOf(body),
    }
  },
  answer(scripted, asked, body) {
    const isGrounded = body['tools'] !== undefined && !scripted.searchFails
    const finish = { refused: 'SAFETY', truncated: 'MAX_TOKENS', whole: 'STOP' }[scripted.ended ?? 'whole']
    const text = scripted.parts.map((part) => part.text).join(' ')
    return {
      candidates: [
        {
          ...(scripted.ended !== 'refused' && { content: { role: 'model', parts: [{ text }] } }),
          finishReason: finish,
          index: 0,
          ...(isGrounded && {
            groundingMetadata: {
              ...grounding(scripted),
              webSearchQueries: queriesOf(scripted, asked),
              searchEntryPoint: { renderedContent: '<div></div>' },
            },
          }),
        },
      ],
      usageMetadata: {
        promptTokenCount: tokens.input,
        candidatesTokenCount: tokens.output - 100,
        thoughtsTokenCount: 100,
        totalTokenCount: tokens.input + tokens.output,
      },
      modelVersion: served(asked.model),
      responseId: 'r1',
    }
  },
  refuse(fault, message) {
    const [code, status] = errors[fault]
    const details = {
      'bad key': [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
      'too many': [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0.4s' }],
    }[fault as string]
    return { status: code, body: { error: { code, message, status, ...(details && { details }) } } }
  },
}

const configOf = (body: Json) => (body['generationConfig'] ?? {}) as Json
const schemaOf = (body: Json) => configOf(body)['responseJsonSchema'] as object | undefined
const chunkOf = (page: Page) => ({
  web: { uri: `${redirects}${Buffer.from(page.url).toString('base64url')}`, title: hostOf(page) },
})

function grounding(scripted: Scripted) {
  const pages = [...citedBy(scripted), ...(scripted.others ?? [])]
  let at = 0
  const supports = scripted.parts.map(({ text, cites }) => {
    const startIndex = at
    const endIndex = startIndex + Buffer.byteLength(text)
    at = endIndex + 1
    return {
      // As the vendor does: nought is left out.
      segment: { ...(startIndex > 0 && { startIndex }), endIndex },
      groundingChunkIndices: (cites ?? []).map((page) => pages.indexOf(page)),
      confidenceScores: (cites ?? []).map(() => 0.9),
    }
  })
  return {
    groundingChunks: pages.map(chunkOf),
    groundingSupports: supports.filter(({ groundingChunkIndices }) => groundingChunkIndices.length > 0),
  }
}
