import type { Severity } from './checks/check.ts'
import { registry } from './checks/index.ts'
import type { Answer } from './view.ts'

/** Kept with every site score, so that only scores made alike are compared. */
export const scoreVersion = 1

/** Points one issue costs, and what all of its severity may cost. */
export const prices: Record<Severity, { each: number; most: number }> = {
  major: { each: 15, most: 60 },
  moderate: { each: 5, most: 30 },
  minor: { each: 1, most: 10 },
}

/** The codes that cost points, by severity; the others inform. */
export const scored: Record<Severity, readonly string[]> = {
  major: codesOf('major'),
  moderate: codesOf('moderate'),
  minor: codesOf('minor'),
}

const severityOf = new Map(
  Object.entries(scored).flatMap(([severity, codes]) => codes.map((code) => [code, severity as Severity])),
)

/** 0 to 100: nothing that can be read is 0, a clean page 100; null for what is no page. */
export function pageScore(
  { visit: { status }, isHtml, isBlocked }: Pick<Answer, 'visit' | 'isHtml' | 'isBlocked'>,
  issues: readonly string[],
): number | null {
  if (status === 0 || status >= 400) return 0
  if (status >= 300 || !isHtml) return null
  return isBlocked ? 0 : scoreOf(issues)
}

/** The score of a readable page with these issues. */
export function scoreOf(issues: Iterable<string>): number {
  const counts: Record<Severity, number> = { major: 0, moderate: 0, minor: 0 }
  for (const code of issues) {
    const severity = severityOf.get(code)
    if (severity) counts[severity]++
  }
  return Object.entries(prices).reduce(
    (score, [severity, { each, most }]) => score - Math.min(most, each * counts[severity as Severity]),
    100,
  )
}

function codesOf(severity: Severity): string[] {
  return registry
    .filter((check) => check.severity === severity && check.scored !== false)
    .map(({ code }) => code)
}
