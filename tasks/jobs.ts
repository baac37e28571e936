import { z } from 'zod'

import { type Jobs, queueOf } from './queue.ts'

export { closeAnswers } from './answer.ts'

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
  'maintenance.sweep': { pool: 'maintenance', payload: z.object({}), attempts: 3, priority: 10 },
} as const satisfies Jobs

export type JobName = keyof typeof jobs
export type Payload<Name extends JobName> = z.output<(typeof jobs)[Name]['payload']>

export const { enqueue, enqueueAll, ask } = queueOf(jobs)
