import type { AlertType, Severity } from '../../../sql/alerts.ts'
import type { Executor } from '../../../sql/pool.ts'
import { type Alert, type Incident, raise, recover } from '../raise.ts'

/** How grave it is; `well`: nothing is the matter any more; null: nothing can be said, as after a check that failed. */
export type Judgement = Severity | 'well' | null

/** What users are told of, and how. */
export type Rule<Facts> = {
  type: AlertType
  /** What it is about, such as `scan:12`. */
  subject(facts: Facts): string
  judge(facts: Facts): Judgement
  message: { it(facts: Facts): string; en(facts: Facts): string }
  /** For programs, in webhooks. */
  details(facts: Facts): Record<string, unknown>
  /** While nothing is well, the same is told once in so many hours, or but once: null. */
  cooldownHours: number | null
  /** Its tests. */
  examples: Partial<Record<Severity | 'well' | 'nothing', Facts[]>>
}

/** What a rule says for one user: to raise, to recover from, or neither. */
export type Verdict = { alert?: Alert; well?: Incident }

export function judge<Facts>(rule: Rule<Facts>, userId: number, facts: Facts): Verdict {
  const judgement = rule.judge(facts)
  if (judgement === null) return {}
  const incident = { userId, type: rule.type, subject: rule.subject(facts) }
  if (judgement === 'well') return { well: incident }
  const message = { it: rule.message.it(facts), en: rule.message.en(facts) }
  const { cooldownHours } = rule
  return { alert: { ...incident, severity: judgement, message, details: rule.details(facts), cooldownHours } }
}

/** Closes the incidents that are over and raises alerts, in the caller's transaction, where it comes last. */
export async function settle(verdicts: readonly Verdict[], on: Executor): Promise<void> {
  await recover(
    verdicts.flatMap(({ well }) => well ?? []),
    on,
  )
  await raise(
    verdicts.flatMap(({ alert }) => alert ?? []),
    on,
  )
}
