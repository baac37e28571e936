import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

/** Whether any worker process is alive; it beats every 5 s. */
export function workersBeat(on: Executor = db()): Promise<boolean> {
  return on.oneFirst(sql.type(z.object({ alive: z.boolean() }))`
    select exists (select from workers where beat_at > now() - interval '30 seconds') as alive`)
}
