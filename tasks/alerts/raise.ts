import * as alerts from '../../sql/alerts.ts'
import type { Executor } from '../../sql/pool.ts'
import { enqueueAll } from '../jobs.ts'
import { alertsRaised } from './metrics.ts'

const COOLDOWN_HOURS = 24
/** Code points. */
const MESSAGE_LENGTH = 1000

/** What something is about: one incident, open from its alert until it is recovered from. */
export type Incident = alerts.Incident
export type Alert = Incident & {
  severity: alerts.Severity
  /** A sentence; the one in the user's language is stored. */
  message: { it: string; en: string }
  /** For programs, in webhooks. */
  details?: Record<string, unknown>
  /** While its incident is open, the same is alerted of once in so many hours (24), or but once: null. */
  cooldownHours?: number | null
}

/**
 * Raises alerts in the caller's transaction: rows, their deliveries to the users' channels, and the jobs that send
 * them. What is alerted of already is left out, unless it got worse. Returns how many were new.
 */
export async function raise(given: readonly Alert[], on: Executor): Promise<number> {
  if (given.length === 0) return 0
  const whole = given.map(({ details = {}, cooldownHours = COOLDOWN_HOURS, message, ...alert }) => ({
    ...alert,
    details,
    cooldownHours,
    message: { it: cut(message.it), en: cut(message.en) },
  }))
  const raised = await alerts.add(worstOfEach(whole), on)
  const deliveries = raised.flatMap((alert) => alert.deliveries)
  await enqueueAll(
    'alerts.send',
    deliveries.map((delivery) => ({ payload: { delivery } })),
    { on },
  )
  for (const { type } of raised) alertsRaised.inc({ type })
  return raised.length
}

/** Closes incidents: what they were about is well again, and the next alert of it is raised however soon. */
export async function recover(incidents: readonly Incident[], on?: Executor): Promise<void> {
  if (incidents.length > 0) await alerts.close(incidents, on)
}

function worstOfEach(given: readonly alerts.NewAlert[]): alerts.NewAlert[] {
  const worst = new Map<string, alerts.NewAlert>()
  const rank = ({ severity }: alerts.NewAlert) => alerts.severities.indexOf(severity)
  for (const alert of given) {
    const key = JSON.stringify([alert.userId, alert.type, alert.subject])
    const known = worst.get(key)
    if (!known || rank(known) < rank(alert)) worst.set(key, alert)
  }
  return [...worst.values()]
}

const cut = (text: string) => Array.from(text).slice(0, MESSAGE_LENGTH).join('')
