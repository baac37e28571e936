import { z } from 'zod'

import { type Jobs, queueOf } from './queue.ts'

export { acceptChannel, channelKinds, channelOf, shownTarget } from './alerts/channels/index.ts'
export { closeAnswers, endWaiting, settled } from './answer.ts'
export { canSource } from './upstream/configured.ts'

const crawl = z.object({ crawl: z.int() })

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
