import type { z } from 'zod'

import { runCompetitor, runEngine, runGeo, runPrompts, runVisibility } from './ai/runs.ts'
import { sendAlert, testChannel } from './alerts/send.ts'
import { lookAtHosts, watchHosts } from './alerts/watch.ts'
import { loadCatalogue } from './catalogue/load.ts'
import { abandonCrawl } from './crawl/abandon.ts'
import { finishCrawl } from './crawl/finish.ts'
import { probeCrawl } from './crawl/probes/run.ts'
import { renderCrawl, sliceCrawl } from './crawl/slice.ts'
import { connectAccount } from './external/connect.ts'
import { revokeGrant } from './external/revoke.ts'
import type { jobs } from './jobs.ts'
import { researchKeyword } from './keywords/research.ts'
import { sweep, sweepScrapes } from './maintenance.ts'
import type { Tools } from './outcome.ts'
import type { Job, Jobs } from './queue.ts'
import { collectRanks } from './rankings/collect.ts'
import { postRanks } from './rankings/post.ts'
import { recheckProject, refreshProject } from './rankings/refresh.ts'
import { scheduleRefreshes } from './rankings/schedule.ts'
import { measureProjects } from './rankings/volumes.ts'
import { analyticsRows, listProperties, reportAnalytics } from './reports/analytics.ts'
import { listSites, reportSearch, searchRows } from './reports/search-console.ts'
import { linkArchive, removeArchive } from './scrape/archives.ts'
import { runScrape } from './scrape/run.ts'

export type Run<J extends Job> = (
  payload: z.output<J['payload']>,
  tools: Tools,
) => Promise<J extends { answer: infer A extends z.ZodType } ? z.input<A> : void>
export type Runs<All extends Jobs> = { [Name in keyof All]: Run<All[Name]> }

/** Which function runs which job; leaving one out does not compile. */
export const runs: Runs<typeof jobs> = {
  'crawl.slice': sliceCrawl,
  'crawl.render': renderCrawl,
  'crawl.probe': probeCrawl,
  'crawl.finish': finishCrawl,
  'crawl.abandon': abandonCrawl,
  'scrape.run': runScrape,
  'scrape.remove': removeArchive,
  'scrape.link': linkArchive,
  'scrape.sweep': sweepScrapes,
  'rankings.refresh': refreshProject,
  'rankings.recheck': recheckProject,
  'rankings.volumes': measureProjects,
  'rankings.schedule': scheduleRefreshes,
  'rankings.post': postRanks,
  'rankings.collect': collectRanks,
  'keywords.research': researchKeyword,
  'catalogue.load': loadCatalogue,
  'ai.geo': runGeo,
  'ai.visibility': runVisibility,
  'ai.engine': runEngine,
  'ai.competitor': runCompetitor,
  'ai.prompts': runPrompts,
  'alerts.send': sendAlert,
  'alerts.test': testChannel,
  'alerts.watch': watchHosts,
  'alerts.look': lookAtHosts,
  'external.connect': connectAccount,
  'external.revoke': revokeGrant,
  'search-console.sites': listSites,
  'search-console.report': reportSearch,
  'search-console.rows': searchRows,
  'analytics.properties': listProperties,
  'analytics.report': reportAnalytics,
  'analytics.rows': analyticsRows,
  'maintenance.sweep': sweep,
}
