import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

const Value = z.object({ value: z.unknown() })

/** The administrator's switch for the whole API; on until it was set. */
export async function apiEnabled(on: Executor = db()): Promise<boolean> {
  const row = await on.maybeOne(sql.type(Value)`select value from settings where name = 'api_enabled'`)
  return row?.value !== false
}
