import type { EngineName } from '../answer-engine.ts'

/** US dollars per million tokens, of input and of output. */
type Price = [model: string, input: number, output: number]

/**
 * List prices of November 2026 of what the engines do not price themselves; the longest prefix of a model's name counts,
 * and a model's dearer tier (long prompts, from a date on) where it has two. Cached input is counted in full. They are for the
 * spend cap: rather too high than too low.
 */
const prices: Price[] = [
  ['gpt-6-astra', 10, 50],
  ['gpt-6.1-sol', 2, 10],
  ['gpt-6.1-terra', 1, 5],
  ['gpt-6-sol', 2, 10],
  ['gpt-6-luna', 0.1, 0.5],
  ['gpt-5.6-sol', 5, 30],
  ['gpt-5.6-terra', 2.5, 15],
  ['gpt-5.6-luna', 0.2, 1.2],
  ['gpt-5.5', 5, 30],
  ['gpt-5.5-pro', 30, 180],
  ['gpt-5.4', 2.5, 15],
  ['gpt-5.4-pro', 30, 180],
  ['gpt-5.4-mini', 0.75, 4.5],
  ['gpt-5.4-nano', 0.2, 1.25],
  ['gpt-5', 1.75, 14],
  ['gpt-5-pro', 15, 120],
  ['gpt-5.2-pro', 21, 168],
  ['gpt-5-mini', 0.25, 2],
  ['gpt-5-nano', 0.05, 0.4],
  ['gpt-4.1', 2, 8],
  ['gpt-4.1-mini', 0.4, 1.6],
  ['gpt-4o', 2.5, 10],
  ['gpt-4o-mini', 0.15, 0.6],
  ['claude-fable', 10, 50],
  ['claude-opus', 5, 25],
  ['claude-opus-5-5', 4, 20],
  ['claude-sonnet', 3, 15],
  ['claude-sonnet-5', 2, 10],
  ['claude-haiku', 1, 5],
  ['claude-haiku-5-5', 0.5, 2.5],
  ['gemini-4', 4, 20],
  ['gemini-3.8-flash', 1.5, 7.5],
  ['gemini-3.5-flash', 1.5, 9],
  ['gemini-3.5-flash-lite', 0.3, 2.5],
  ['gemini-3.1-pro', 4, 18],
  ['gemini-3-flash', 0.5, 3],
  ['gemini-2.5-pro', 2.5, 15],
  ['gemini-2.5-flash', 0.3, 2.5],
]
/** A model that is not listed: as dear as the dearest that would be asked such questions. */
const unknown: Price = ['', 10, 50]

/** US dollars per search; Gemini's from version 3 on. */
const searchPrices: Record<EngineName, number> = {
  openai: 0.01,
  anthropic: 0.01,
  gemini: 0.014,
  perplexity: 0.005,
}

/** What an answer costs, US dollars. */
export function priceOf(
  engine: EngineName,
  model: string,
  used: { inputTokens: number; outputTokens: number; searches: number },
): number {
  const [, input, output] = prices
    .filter(([prefix]) => model.startsWith(prefix))
    .reduce((longest, price) => (price[0].length > longest[0].length ? price : longest), unknown)
  return (used.inputTokens * input + used.outputTokens * output) / 1e6 + used.searches * searchPrices[engine]
}
