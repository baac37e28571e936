import type { Standing } from './standing.ts'
import { percent } from './statistics.ts'
import type { Read } from './tally.ts'

export type Duel = {
  wins: number
  losses: number
  ties: number
  neither: number
  win_rate: number
  loss_rate: number
}

/** One brand against another, answer by answer. Rates are percent of all answers, so two of a pair make at most 100. */
export function headToHead(reads: readonly Read[], subject: number, other: number): Duel {
  const outcomes = reads.map(({ standings }) => duel(standings[subject]!, standings[other]!))
  const count = (outcome: ReturnType<typeof duel>) => outcomes.filter((one) => one === outcome).length
  return {
    wins: count('win'),
    losses: count('loss'),
    ties: count('tie'),
    neither: count('neither'),
    win_rate: winRate(reads, subject, other),
    loss_rate: winRate(reads, other, subject),
  }
}

/** The share of answers in which the subject stands before the other, or stands and the other does not; percent. */
export const winRate = (reads: readonly Read[], subject: number, other: number): number =>
  percent(
    reads.filter(({ standings }) => duel(standings[subject]!, standings[other]!) === 'win').length,
    reads.length,
  ) ?? 0

function duel(subject: Standing, other: Standing): 'win' | 'loss' | 'tie' | 'neither' {
  const [own, their] = [rankOf(subject), rankOf(other)]
  if (own === their) return own === Infinity ? 'neither' : 'tie'
  return own < their ? 'win' : 'loss'
}

/** Who is only linked comes after all who are named. */
const rankOf = ({ place, linked }: Standing) => place ?? (linked ? Number.MAX_SAFE_INTEGER : Infinity)
