import type { z } from 'zod'

import type { Caller } from './account.ts'

/** Engines by the name under which a user knows whom was asked; DataForSEO can stand in for each of them. */
export const engineNames = ['openai', 'anthropic', 'gemini', 'perplexity'] as const
export type EngineName = (typeof engineNames)[number]

export type Question = {
  prompt: string
  /** ISO 639-1; the answer is wanted in it. */
  language: string
  /** ISO 3166-1 alpha-2, where the asker is. */
  country: string
}

/** A page named in an answer's text. `url` is without the engine's own tracking; a redirect of the engine stays one. */
export type Citation = {
  url: string
  /** Its host without `www.`, also when `url` is a redirect of the engine. */
  host: string
  title: string | null
  /** The words of the answer that it backs; null where the engine does not say. */
  passage: string | null
}

export type Answer = {
  engine: EngineName
  /** As the engine says it: the one that served. */
  model: string
  text: string
  /** In order of appearance, each address once. */
  citations: Citation[]
  /** Looked at, whether cited or not. */
  retrieved: { url: string; host: string; title: string | null }[]
  /** What the engine searched for. */
  queries: string[]
  ended: 'whole' | 'truncated' | 'refused'
  usage: Usage
}

export type Usage = { inputTokens: number; outputTokens: number; searches: number; usd: number }

export type Extraction<T extends z.ZodType> = {
  /** A JSON object without transformations, of which every property is required: `nullable` stands for optional. */
  schema: T
  instructions: string
  /** Given as data, never as instructions. */
  data: string
}

/** What the AI modules need of an engine. Both throw UpstreamFault; both book their cost under the engine's account. */
export type AnswerEngine = {
  name: EngineName
  /** A free text answer, grounded by a search of the web. */
  ask(question: Question, caller: Caller): Promise<Answer>
  /** Structure out of a text, without tools; a result that does not fit the schema is a fault. */
  extract<T extends z.ZodType>(
    extraction: Extraction<T>,
    caller: Caller,
  ): Promise<{ value: z.output<T>; model: string; usage: Usage }>
}
