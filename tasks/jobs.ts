import { z } from 'zod'

import { type Jobs, queueOf } from './queue.ts'

export { acceptChannel, channelKinds, channelOf, shownTarget } from './alerts/channels/index.ts'
export { closeAnswers } from './answer.ts'
export { canSource } from './upstream/configured.ts'

const crawl = z.object({ crawl: z.int() })

/** What the fleet can do, as far as those who ask for it need to know. The functions are in tasks/index.ts. */
export const jobs = {
  'crawl.slice': { pool: 'crawl', payload: crawl, attempts: 10, priority: 0, chained: true },
  'crawl.render': { pool: 'render', payload: crawl, attempts: 10, priority: 0, chained: true },
  'crawl.finish': { pool: 'crawl', payload: crawl, attempts: 10, priority: -5, chained: true },
  'crawl.abandon': {
    pool: 'crawl',
    payload: crawl.extend({ failure: z.string() }),
    attempts: 5,
    priority: -5,
    chained: true,
  },
  'rankings.refresh': {
    pool: 'interactive',
    payload: z.object({ project: z.int(), user: z.int() }),
    answer: z.object({ refreshed: z.int() }),
    attempts: 3,
    priority: 0,
  },
  'rankings.schedule': { pool: 'maintenance', payload: z.object({}), attempts: 3, priority: 5 },
  'rankings.post': { pool: 'maintenance', payload: z.object({}), attempts: 5, priority: 5 },
  'rankings.collect': { pool: 'maintenance', payload: z.object({}), attempts: 3, priority: 5 },
  'keywords.research': {
    pool: 'interactive',
    payload: z.object({ user: z.int(), keyword: z.string(), location: z.int(), language: z.string() }),
    answer: z.object({ result: z.unknown(), generated_at: z.number() }),
    attempts: 2,
    priority: 0,
    deadlineSeconds: 300,
  },
  'catalogue.load': {
    pool: 'interactive',
    payload: z.object({ name: z.enum(['locations', 'languages']), olderThan: z.number() }),
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
  'maintenance.sweep': { pool: 'maintenance', payload: z.object({}), attempts: 3, priority: 10 },
} as const satisfies Jobs

export type JobName = keyof typeof jobs
export type Payload<Name extends JobName> = z.output<(typeof jobs)[Name]['payload']>

export const { enqueue, enqueueAll, ask } = queueOf(jobs)
