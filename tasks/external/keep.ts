import { type Grant, replaceConnection } from '../../sql/external-accounts.ts'
import type { Executor } from '../../sql/pool.ts'
import { enqueue } from '../jobs.ts'

/** Connects an account in place of what was connected, whose grant is revoked. */
export async function keepConnection(userId: number, grant: Grant, on: Executor): Promise<void> {
  const revocation = await replaceConnection(userId, grant, on)
  if (revocation !== null) await enqueue('external.revoke', { revocation }, { on })
}
