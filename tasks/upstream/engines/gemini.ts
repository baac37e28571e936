import { z } from 'zod'

import { pageAt } from './citations.ts'
import { engine } from './sdk.ts'

const number = z.number().nullish()
const Generated = z.object({
  modelVersion: z.string().nullish(),
  candidates: z
    .array(
      z.object({
        groundingMetadata: z
          .object({
            webSearchQueries: z.array(z.string()).nullish(),
            groundingChunks: z
              .array(z.object({ web: z.object({ uri: z.string(), title: z.string().nullish() }).nullish() }))
              .nullish(),
            groundingSupports: z
              .array(
                z.object({
                  segment: z
                    .object({ startIndex: number, endIndex: number, text: z.string().nullish() })
                    .nullish(),
                  groundingChunkIndices: z.array(z.number()).nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
      }),
    )
    .nullish(),
  usageMetadata: z
    .object({
      promptTokenCount: number,
      toolUsePromptTokenCount: number,
      candidatesTokenCount: number,
      thoughtsTokenCount: number,
    })
    .nullish(),
})

/** generateContent: https://ai.google.dev/api/generate-content; its models from Gemini 3 on. */
export const gemini = engine({
  name: 'gemini',
  // Those before count their thoughts otherwise.
  thinks: /^gemini-[3-9]/,
  async load() {
    const { createGoogle } = await import('@ai-sdk/google')
    return (access, id) => {
      const google = createGoogle(access)
      return {
        model: google(id),
        search: () => ({ google_search: google.tools.googleSearch({}) }),
        options: {},
      }
    }
  },
  receiptOf(body) {
    const { modelVersion = null, usageMetadata: usage } = Generated.catch({}).parse(body)
    return {
      model: modelVersion,
      inputTokens: (usage?.promptTokenCount ?? 0) + (usage?.toolUsePromptTokenCount ?? 0),
      outputTokens: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
      searches: groundingOf(body).queries.length,
    }
  },
  read(_parts, text, bodies) {
    const found = bodies.map(groundingOf)
    const bytes = Buffer.from(text)
    return {
      cited: found.flatMap(({ chunks, supports }) =>
        supports.flatMap(({ segment, groundingChunkIndices }) => {
          // Places are counted in bytes of UTF-8.
          const place = bytes.subarray(segment?.startIndex ?? 0, segment?.endIndex ?? 0).toString()
          const passage = (segment?.text ?? place).trim() || null
          return (groundingChunkIndices ?? []).flatMap((index) => {
            const page = chunks[index]
            return page ? { ...page, passage } : []
          })
        }),
      ),
      retrieved: found.flatMap(({ chunks }) => chunks.filter((page) => page !== undefined)),
      queries: found.flatMap(({ queries }) => queries),
    }
  },
})

function groundingOf(body: unknown) {
  const read = Generated.safeParse(body)
  const grounding = read.success ? read.data.candidates?.[0]?.groundingMetadata : undefined
  return {
    queries: grounding?.webSearchQueries ?? [],
    chunks: (grounding?.groundingChunks ?? []).map(({ web }) =>
      web ? chunkOf(web.uri, web.title) : undefined,
    ),
    supports: (grounding?.groundingSupports ?? []).toSorted(
      (one, other) => (one.segment?.startIndex ?? 0) - (other.segment?.startIndex ?? 0),
    ),
  }
}

/** The address is a redirect of Google's, and the title the site's domain. */
function chunkOf(uri: string, title: string | null | undefined) {
  const page = pageAt(uri, title)
  const domain = title?.trim().toLowerCase() ?? ''
  if (!page || !/^([\w-]+\.)+[a-z][a-z0-9-]+$/.test(domain)) return page
  return { ...page, host: domain.replace(/^www\./, ''), title: null }
}
