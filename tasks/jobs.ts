import { z } from 'zod'

import { config } from '../config.ts'
import { type Jobs, queueOf } from './queue.ts'
import { AnalyticsQuery, Period, SearchQuery } from './upstream/search-account.ts'

export { acceptChannel, channelKinds, channelOf, shownTarget } from './alerts/channels/index.ts'
export { closeAnswers, endWaiting, settled } from './answer.ts'

export { canSource, configuredEngines, isGoogleConfigured } from './upstream/configured.ts'
export {
  analyticsDimensions,
  analyticsMetrics,
  devices,
  searchDimensions,
  searchTypes,
} from './upstream/search-account.ts'

/** What an analysis may take beyond the bound that it keeps by itself: for its start, and for its last statement. */
const AI_SPARE_SECONDS = 15

const crawl = z.object({ crawl: z.int() })
const analysis = z.object({ user: z.int(), run: z.uuid(), locale: z.enum(['it', 'en']) })
/**
 * Its record is stored by the run itself, once: `run` names it, and the answers that it has paid for, which a second
 * attempt does not ask for again. Questions that are answered sooner go first.
 */
const analysed = {
  pool: 'interactive',
  answer: z.object({ id: z.int() }),
  attempts: 2,
  priority: 1,
  deadlineSeconds: config.AI_TIMEOUT_SECONDS + AI_SPARE_SECONDS,
} as const
/** Reads an account through the connection that its user had when it was asked for. */
const connected = z.object({ user: z.int(), connection: z.int() })
const site = connected.extend({ site: z.string(), ...Period.shape })
const property = connected.extend({ property: z.string(), ...Period.shape })
/** When what is kept for others too was asked for: milliseconds since 1970, by the database's clock. */
const asked = { asked: z.number() }
const report = { pool: 'interactive', attempts: 2, priority: -5, deadlineSeconds: 75 } as const

/** What the fleet can do, as far as those who ask for it need to know. The functions are in tasks/index.ts. */
export const jobs = {
  'crawl.slice': { pool: 'crawl', payload: crawl, attempts: 10, priority: 0, chained: true },
  'crawl.render': { pool: 'render', payload: crawl, attempts: 10, priority: 0, chained: true },
  'crawl.probe': { pool: 'crawl', payload: crawl, attempts: 10, priority: -5, chained: true },
  'crawl.finish': { pool: 'crawl', payload: crawl, attempts: 10, priority: -5, chained: true },
  'crawl.abandon': {
    pool: 'crawl',
    payload: crawl.extend({ failure: z.string() }),
    attempts: 5,
    priority: -5,
    chained: true,
  },
  /**
   * Mirrors a site into an archive; its key is `scrape:<job>`. Begins anew after a killed worker or a hand-over. Long,
   * but well below the 4 hours after which the queue takes any job for lost.
   */
  'scrape.run': {
    pool: 'scrape',
    payload: z.object({ job: z.int() }),
    attempts: 10,
    priority: 0,
    chained: true,
    deadlineSeconds: 3 * 3600,
  },
  /** Deletes an archive and what an upload left of it; none is no fault. Outlasts a bucket that is away for days. */
  'scrape.remove': {
    pool: 'maintenance',
    payload: z.object({ archive: z.string() }),
    attempts: 25,
    priority: 0,
  },
  /** Gives an address from which an archive in the bucket can be had for a while. */
  'scrape.link': {
    pool: 'interactive',
    payload: z.object({ archive: z.string() }),
    attempts: 1,
    priority: -10,
    answer: z.object({ url: z.url() }),
  },
  /** Deletes jobs that ended `SCRAPE_RETENTION_DAYS` ago, and their archives. */
  'scrape.sweep': { pool: 'maintenance', payload: z.object({}), attempts: 3, priority: 10, chained: true },
  'rankings.refresh': {
    pool: 'interactive',
    payload: z.object({ project: z.int(), user: z.int(), claim: z.uuid() }),
    answer: z.object({ refreshed: z.int() }),
    attempts: 3,
    priority: 0,
  },
  'rankings.recheck': {
    pool: 'maintenance',
    payload: z.object({ project: z.int(), user: z.int(), claim: z.uuid() }),
    attempts: 3,
    priority: 8,
  },
  'rankings.volumes': {
    pool: 'maintenance',
    payload: z.object({ projects: z.array(z.int()), user: z.int() }),
    attempts: 3,
    priority: 6,
  },
  'rankings.schedule': {
    pool: 'maintenance',
    payload: z.object({}),
    attempts: 3,
    priority: 5,
    chained: true,
  },
  'rankings.post': { pool: 'maintenance', payload: z.object({}), attempts: 5, priority: 5, chained: true },
  'rankings.collect': { pool: 'maintenance', payload: z.object({}), attempts: 3, priority: 5, chained: true },
  'keywords.research': {
    pool: 'interactive',
    payload: z.object({ user: z.int(), keyword: z.string(), location: z.int(), language: z.string() }),
    answer: z.object({ result: z.unknown(), generated_at: z.number(), is_paid: z.boolean() }),
    attempts: 2,
    priority: 0,
    deadlineSeconds: 300,
  },
  'catalogue.load': {
    pool: 'interactive',
    payload: z.object({ name: z.enum(['locations', 'languages']) }),
    answer: z.object({}),
    attempts: 3,
    priority: 0,
    deadlineSeconds: 300,
  },
  'ai.geo': { ...analysed, payload: analysis.extend({ url: z.string() }) },
  'ai.visibility': {
    ...analysed,
    payload: analysis.extend({
      brand: z.string(),
      domain: z.string().nullable(),
      prompts: z.array(z.string()),
      topic: z.string().nullable(),
    }),
  },
  'ai.engine': { ...analysed, payload: analysis.extend({ keyword: z.string(), url: z.string() }) },
  'ai.competitor': {
    ...analysed,
    payload: analysis.extend({
      brand: z.string(),
      competitors: z.array(z.string()),
      language: z.string(),
      matrix: z.boolean(),
    }),
  },
  'ai.prompts': {
    ...analysed,
    payload: analysis.extend({ prompt: z.string(), language: z.string().nullable() }),
  },
  'alerts.send': {
    pool: 'alerts',
    payload: z.object({ delivery: z.uuid() }),
    attempts: 10,
    priority: 0,
    deadlineSeconds: 90,
  },
  'alerts.test': {
    pool: 'alerts',
    payload: z.object({ channel: z.int() }),
    answer: z.object({}),
    attempts: 2,
    priority: -5,
    deadlineSeconds: 90,
  },
  /** Shares out the hosts whose daily look is due. */
  'alerts.watch': { pool: 'maintenance', payload: z.object({}), attempts: 3, priority: 5, chained: true },
  'alerts.look': {
    pool: 'maintenance',
    payload: z.object({ hosts: z.array(z.string()) }),
    attempts: 3,
    priority: 9,
    deadlineSeconds: 300,
  },
  'external.connect': {
    pool: 'interactive',
    payload: z.object({ consent: z.int() }),
    answer: z.object({ email: z.string().nullable() }),
    attempts: 2,
    priority: -10,
    deadlineSeconds: 60,
  },
  /** Outlasts a Google that is away for days. */
  'external.revoke': {
    pool: 'interactive',
    payload: z.object({ revocation: z.int() }),
    attempts: 25,
    priority: 5,
  },
  'search-console.sites': { ...report, payload: connected.extend(asked), answer: z.unknown() },
  'search-console.report': { ...report, payload: site.extend(asked), answer: z.unknown() },
  'search-console.rows': { ...report, payload: site.extend({ query: SearchQuery }), answer: z.unknown() },
  'analytics.properties': { ...report, payload: connected.extend(asked), answer: z.unknown() },
  'analytics.report': { ...report, payload: property.extend(asked), answer: z.unknown() },
  'analytics.rows': { ...report, payload: property.extend({ query: AnalyticsQuery }), answer: z.unknown() },
  'maintenance.sweep': {
    pool: 'maintenance',
    payload: z.object({}),
    attempts: 3,
    priority: 10,
    chained: true,
  },
} as const satisfies Jobs

export type JobName = keyof typeof jobs
export type Payload<Name extends JobName> = z.output<(typeof jobs)[Name]['payload']>

export const { enqueue, enqueueAll, ask } = queueOf(jobs)
