import { sweepIdeas } from '../sql/keyword-ideas.ts'
import { prepareRankings } from '../sql/rankings.ts'
import {
  sweepAnswers,
  sweepClockFires,
  sweepDeliveries,
  sweepFailedJobs,
  sweepFrontier,
  sweepIncidents,
  sweepQuotaUses,
  sweepRateWindows,
} from '../sql/sweep.ts'
import type { Tools } from './outcome.ts'

/** Removes what nobody will ask for again; safe to run at any time, twice, or not at all for a while. */
export async function sweep(_payload: object, { log, signal }: Tools): Promise<void> {
  const failedJobs = await sweepFailedJobs()
  const answers = await sweepAnswers()
  const clockFires = await sweepClockFires()
  const rateWindows = await sweepRateWindows()
  const quotaUses = await sweepQuotaUses()
  const ideas = await sweepIdeas()
  const deliveries = await sweepDeliveries()
  const incidents = await sweepIncidents()
  await prepareRankings()
  let urls = 0
  for (let batch = 1; batch > 0 && !signal.aborted; urls += batch) batch = await sweepFrontier()
  log.info(
    { failedJobs, answers, clockFires, rateWindows, quotaUses, ideas, deliveries, incidents, urls },
    'swept',
  )
}
