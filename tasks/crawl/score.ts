import { explainScore, type Priced, prices, type Severity } from '../../sql/scores.ts'
import { registry } from './checks/index.ts'
import type { Answer } from './view.ts'

/** Kept with every site score, so that only scores made alike are compared. */
export const scoreVersion = 2

/** The codes that cost points, by severity; the others inform. */
export const scored: Record<Severity, readonly string[]> = {
  major: codesOf('major'),
  moderate: codesOf('moderate'),
  minor: codesOf('minor'),
}

const priced = new Map<string, Priced>(
  Object.entries(scored).flatMap(([name, codes]) => {
    const severity = name as Severity
    return codes.map((code) => [code, { code, severity, points: prices[severity].each }])
  }),
)

/** 0 to 100: nothing that can be read is 0, a clean page 100; null for what is no page. */
export function pageScore(
  { visit: { status }, isHtml, isBlocked }: Pick<Answer, 'visit' | 'isHtml' | 'isBlocked'>,
  issues: readonly string[],
): number | null {
  const known = issues.flatMap((code) => priced.get(code) ?? [])
  return explainScore({ status, isHtml, isBlocked }, known).score
}

function codesOf(severity: Severity): string[] {
  return registry
    .filter((check) => check.severity === severity && check.scored !== false)
    .map(({ code }) => code)
}
