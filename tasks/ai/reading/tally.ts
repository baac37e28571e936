import type { KeptAnswer } from '../../../sql/ai-answers.ts'
import type { Brand } from './brands.ts'
import { type Standing, standingsIn } from './standing.ts'
import { mean, oneDecimal, percent, twoDecimals, wilson } from './statistics.ts'

/** An answer, and what it does for each brand, in the brands' order. */
export type Read = { answer: KeptAnswer; standings: Standing[] }

export const readAll = (answers: readonly KeptAnswer[], brands: readonly Brand[]): Read[] =>
  answers.map((answer) => ({ answer, standings: standingsIn(answer, brands) }))

/** How a brand does over a set of prompts. */
export type Tally = {
  /** 0 to 100, see `scoreOf`. */
  score: number
  /** Prompts that got an answer, from any engine. */
  prompts_answered: number
  /** Those in which at least one engine named the brand or linked its domain. */
  cited_count: number
  /** Those in which at least one engine put it first: in its list, or else by naming it before all others. */
  first_count: number
  /** Over the prompts where it stood in a list, each with the mean over its engines; two decimals, null without any. */
  avg_position: number | null
  answers: number
  /** Answers that name it, and answers that link its domain; null when its domain is not known. */
  mentions: number
  citations: number | null
  mention_rate: number | null
  citation_rate: number | null
  /** Wilson's interval of cited_count and first_count, percent. */
  ci95: { cited: [number, number] | null; first: [number, number] | null }
}

/** Name of the formula in results; another formula gets another name. */
export const FORMULA = 'visibility-1'
const WEIGHTS = { cited: 0.6, first: 0.25, prominence: 0.15 }

/**
 * `visibility-1`: round(100 × (0.60 × cited_count / prompts_answered + 0.25 × first_count / prompts_answered + 0.15 × the mean
 * over these prompts of 1 / place)). The place of a brand in an answer is its position in a list, or else its turn among
 * the brands that are named; a prompt counts the mean over the engines that named it, and 0 when none did. 0 without
 * prompts.
 */
function scoreOf({
  prompts,
  cited,
  first,
  prominence,
}: Record<'prompts' | 'cited' | 'first' | 'prominence', number>) {
  if (prompts === 0) return 0
  const points = WEIGHTS.cited * cited + WEIGHTS.first * first + WEIGHTS.prominence * prominence
  return Math.round((100 * points) / prompts)
}

/** Counts what the brand at `index` got. A refusal is an answer that names nobody. */
export function tally(reads: readonly Read[], index: number): Tally {
  const own = reads.map(({ answer, standings }) => ({ prompt: answer.prompt, ...standings[index]! }))
  const prompts = [...Map.groupBy(own, ({ prompt }) => prompt).values()]
  const cited = prompts.filter((answers) => answers.some(isCited)).length
  const first = prompts.filter((answers) => answers.some(({ place }) => place === 1)).length
  const numbers = (pick: (standing: Standing) => number | null) =>
    prompts
      .map((answers) => mean(answers.map(pick).filter((value) => value !== null)))
      .filter((value) => value !== null)
  const positions = mean(numbers(({ position }) => position))
  const prominence = numbers(({ place }) => place && 1 / place).reduce((sum, value) => sum + value, 0)
  const mentions = own.filter(({ named }) => named).length
  const citations = own.every(({ linked }) => linked === null)
    ? null
    : own.filter(({ linked }) => linked).length
  return {
    score: scoreOf({ prompts: prompts.length, cited, first, prominence }),
    prompts_answered: prompts.length,
    cited_count: cited,
    first_count: first,
    avg_position: positions === null ? null : twoDecimals(positions),
    answers: own.length,
    mentions,
    citations,
    mention_rate: percent(mentions, own.length),
    citation_rate: citations === null ? null : percent(citations, own.length),
    ci95: { cited: wilson(cited, prompts.length), first: wilson(first, prompts.length) },
  }
}

export const isCited = ({ named, linked }: Standing): boolean => named || linked === true

/** Each brand's part of all answers that name one of them, percent with one decimal; null when none is named. */
export function sharesOfVoice(mentions: readonly number[]): (number | null)[] {
  const all = mentions.reduce((sum, count) => sum + count, 0)
  return mentions.map((count) => (all === 0 ? null : oneDecimal((100 * count) / all)))
}
