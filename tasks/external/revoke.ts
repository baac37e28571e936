import { closeRevocation, findRevocation } from '../../sql/external-accounts.ts'
import type { Payload } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import { revoke } from '../upstream/google/oauth.ts'

/** Tells Google that a grant is no longer wanted, unless its account is connected again by now. */
export async function revokeGrant(
  { revocation }: Payload<'external.revoke'>,
  { signal }: Tools,
): Promise<void> {
  const found = await findRevocation(revocation)
  if (found && !found.isInUse) await revoke(found.token, signal)
  await closeRevocation(revocation)
}
