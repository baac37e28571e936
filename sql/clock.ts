import { z } from 'zod'

import { type Executor, sql } from './pool.ts'

/** True for the first clock that fires this slot, whichever of them it is. */
export async function claimSlot(name: string, slot: Date, on: Executor): Promise<boolean> {
  const claimed = await on.maybeOne(sql.type(z.object({ name: z.string() }))`
    insert into clock_fires (name, slot) values (${name}, ${slot.toISOString()}::timestamptz)
    on conflict do nothing returning name`)
  return claimed !== null
}
