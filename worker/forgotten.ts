import { lockedJobs, returnJobs } from '../sql/workers.ts'
import { log } from '../telemetry.ts'
import type { Crew } from './runners.ts'

const LOOK_MS = 15_000
const KNOWN_SECONDS = 20

/**
 * When a connection breaks just after a job was locked, nobody here ever hears of it, and to the reaper it is the work
 * of a living process. Such a job, seen twice, is handed back. Returns what stops the looking.
 */
export function startLooking(crew: Crew): () => void {
  let suspects: readonly string[] = []
  const timer = setInterval(async () => {
    try {
      suspects = await returnForgotten(crew, suspects)
    } catch (error) {
      log.warn({ err: error }, 'could not look for forgotten jobs')
    }
  }, LOOK_MS)
  return () => clearInterval(timer)
}

/** Hands back the suspects that are still locked and not running; returns the next ones. */
export async function returnForgotten(crew: Crew, suspects: readonly string[], knownSeconds = KNOWN_SECONDS) {
  const locked = await lockedJobs(crew.poolIds, knownSeconds)
  const idle = locked.filter((id) => !crew.isRunning(id))
  const forgotten = idle.filter((id) => suspects.includes(id))
  if (forgotten.length > 0) {
    log.warn({ jobs: forgotten }, 'locked jobs that nobody works on are handed back')
    await returnJobs(crew.poolIds, forgotten)
  }
  return idle.filter((id) => !forgotten.includes(id))
}
