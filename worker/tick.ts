import { schedule as scheduleCron, setLogger } from 'node-cron'

import { claimSlot } from '../sql/clock.ts'
import { db } from '../sql/pool.ts'
import { inSpan, log } from '../telemetry.ts'
import type { Entry } from './schedule.ts'

/**
 * Fires the slots of a schedule as they come, and those missed less than a period ago. Any number of clocks may run:
 * each slot is fired by one of them. Returns what stops it.
 */
export function startTicking(entries: readonly Entry[]): () => void {
  setLogger({
    info: (message) => log.debug(message),
    warn: (message) => log.warn(message),
    error: (message) => log.error(message),
    debug: (message) => log.trace(message),
  })
  const timers = entries.map((entry) => {
    const timer = scheduleCron(entry.cron, ({ date }) => fireSafely(entry, date), {
      timezone: 'Etc/UTC',
      name: entry.name,
    })
    timer.on('execution:missed', ({ date }) => fireSafely(entry, date))
    const next = timer.getNextRun()
    if (next) void fireSafely(entry, new Date(next.getTime() - entry.periodSeconds * 1000))
    return timer
  })
  return () => {
    for (const timer of timers) void timer.destroy()
  }
}

async function fireSafely(entry: Entry, slot: Date) {
  try {
    await fire(entry, slot)
  } catch (error) {
    log.error({ err: error, name: entry.name, slot }, 'a slot could not be fired')
  }
}

/** Fires one slot unless another clock has; true when it was this one. */
export async function fire(entry: Entry, slot: Date, now = new Date()): Promise<boolean> {
  const exact = new Date(Math.floor(slot.getTime() / 1000) * 1000)
  if (now.getTime() - exact.getTime() > entry.periodSeconds * 1000) {
    log.warn({ name: entry.name, slot: exact }, 'slot is too old to be fired')
    return false
  }
  const fired = await inSpan(`fire ${entry.name}`, { root: true }, () =>
    db().transaction(async (tx) => {
      if (!(await claimSlot(entry.name, exact, tx))) return false
      await entry.fire(tx)
      return true
    }),
  )
  if (fired) log.info({ name: entry.name, slot: exact }, 'fired')
  return fired
}
