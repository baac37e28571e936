import { config } from '../config.ts'
import { sweepAiAnswers } from '../sql/ai-answers.ts'
import { sweepExternal } from '../sql/external-accounts.ts'
import { sweepIdeas } from '../sql/keyword-ideas.ts'
import { db } from '../sql/pool.ts'
import { prepareRankings } from '../sql/rankings.ts'
import { sweepReports } from '../sql/report-cache.ts'
import {
  expireScrapes,
  sweepAnswers,
  sweepClockFires,
  sweepDeliveries,
  sweepFailedJobs,
  sweepFrontier,
  sweepIncidents,
  sweepQuotaUses,
  sweepKnownTargets,
  sweepRateWindows,
} from '../sql/sweep.ts'
import { enqueueAll } from './jobs.ts'
import type { Tools } from './outcome.ts'
import { sweepWorkspaces } from './scrape/workspace.ts'

/** Removes what nobody will ask for again; safe to run at any time, twice, or not at all for a while. */
export async function sweep(_payload: object, { log, signal, workerId }: Tools): Promise<void> {
  await sweepWorkspaces(workerId)
  const failedJobs = await sweepFailedJobs()
  const answers = await sweepAnswers()
  const clockFires = await sweepClockFires()
  const rateWindows = await sweepRateWindows()
  const quotaUses = await sweepQuotaUses()
  const ideas = await sweepIdeas()
  const knownTargets = await sweepKnownTargets()
  const deliveries = await sweepDeliveries()
  const incidents = await sweepIncidents()
  const aiAnswers = await sweepAiAnswers()
  const external = await sweepExternal()
  const reports = await sweepReports()
  await prepareRankings()
  let urls = 0
  for (let batch = 1; batch > 0 && !signal.aborted; urls += batch) batch = await sweepFrontier()
  const rows = { failedJobs, answers, clockFires, rateWindows, quotaUses, ideas, knownTargets }
  log.info({ ...rows, deliveries, incidents, aiAnswers, external, reports, urls }, 'swept')
}

/** Deletes scrape jobs that ended `SCRAPE_RETENTION_DAYS` ago; a row and the order to remove its archive go together. */
export async function sweepScrapes(_payload: object, { log, signal }: Tools): Promise<void> {
  const days = config.SCRAPE_RETENTION_DAYS
  if (days === undefined) return
  let jobs = 0
  for (let batch = 1; batch > 0 && !signal.aborted; jobs += batch)
    batch = await db().transaction(async (on) => {
      const archives = await expireScrapes(days, on)
      const kept = archives.filter((archive) => archive !== null)
      await enqueueAll(
        'scrape.remove',
        kept.map((archive) => ({ payload: { archive } })),
        { on },
      )
      return archives.length
    })
  log.info({ jobs }, 'old scrape jobs swept')
}
