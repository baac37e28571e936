import { type Entry, freshAnswer } from '../../sql/report-cache.ts'
import { clampedQuery } from '../fields.ts'

/** Longer than a job that reads the account may take. */
export const WITHIN_SECONDS = 85
const DAY_MS = 86_400_000
const RANGES = [7, 28, 90]
const DEFAULT_RANGE = 28

/** Days of a report. */
export const range = clampedQuery(0, 1000, DEFAULT_RANGE)
  .transform((days) => (RANGES.includes(days) ? days : DEFAULT_RANGE))
  .meta({
    override: { type: 'integer', enum: RANGES, default: DEFAULT_RANGE },
    description: 'Days; anything else is the default.',
  })

/** The first and the last of so many days (UTC, `YYYY-MM-DD`), which ended some days ago. */
export function windowOf(days: number, endedDaysAgo: number, now = Date.now()) {
  const dayBefore = (count: number) => new Date(now - count * DAY_MS).toISOString().slice(0, 10)
  return { start: dayBefore(endedDaysAgo + days - 1), end: dayBefore(endedDaysAgo) }
}

/** What is known and fresh, or else what the fleet finds. */
export async function answerOf(entry: Entry, ask: () => Promise<unknown>): Promise<unknown> {
  const kept = await freshAnswer(entry)
  return kept ? kept.result : await ask()
}
