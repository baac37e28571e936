import { z } from 'zod'

import { Problem } from '../../problem.ts'
import { type Entry, knownAnswer } from '../../sql/report-cache.ts'
import { clampedQuery } from '../fields.ts'

/** Longer than a job that reads the account may take. */
export const WITHIN_SECONDS = 85
const DAY_MS = 86_400_000
const RANGES = [7, 28, 90]
const DEFAULT_RANGE = 28
const ROWS = 100
const MAX_ROWS = 1000

/** Days of a report. */
export const range = clampedQuery(0, 1000, DEFAULT_RANGE)
  .transform((days) => (RANGES.includes(days) ? days : DEFAULT_RANGE))
  .meta({
    override: { type: 'integer', enum: RANGES, default: DEFAULT_RANGE },
    description: 'Days; anything else is the default.',
  })

/** How many rows are shown, of those that were asked for. */
export const rowLimit = clampedQuery(1, MAX_ROWS, ROWS)

/** The first or the last of a report. */
export const day = z.iso.date().describe('Included.')

/** The first and the last of so many days (UTC, `YYYY-MM-DD`), which ended some days ago. */
export function windowOf(days: number, endedDaysAgo: number, now = Date.now()) {
  const dayBefore = (count: number) => new Date(now - count * DAY_MS).toISOString().slice(0, 10)
  return { start: dayBefore(endedDaysAgo + days - 1), end: dayBefore(endedDaysAgo) }
}

/** What is known and fresh, or else what the fleet finds; `ask` is told when that was asked for. */
export async function answerOf(entry: Entry, ask: (asked: number) => Promise<unknown>): Promise<unknown> {
  const { result, asked } = await knownAnswer(entry)
  return result ?? (await ask(asked))
}

/** The site or property that was named, or the only one; a Problem when it is none of them. */
export function chosen(named: string, all: readonly string[], field: 'site' | 'property'): string {
  const [only, ...others] = all
  if (!named && only !== undefined && others.length === 0) return only
  if (!all.includes(named)) throw new Problem('invalid', { field })
  return named
}
