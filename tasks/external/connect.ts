import { Problem } from '../../problem.ts'
import { scopes } from '../../sql/external-accounts.ts'
import { closeConsent, findConsent } from '../../sql/external-consents.ts'
import { db } from '../../sql/pool.ts'
import type { Payload } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import { exchangeCode, InvalidGrant } from '../upstream/google/oauth.ts'
import { orProblem } from '../upstream/source.ts'
import { keepConnection } from './keep.ts'

/** Exchanges the code that a browser brought back, and connects the account it is of. */
export async function connectAccount({ consent }: Payload<'external.connect'>, { signal }: Tools) {
  const found = await findConsent(consent)
  if (!found) throw new Problem('consent_expired')
  const grant = await orProblem(exchangeCode(found, signal).catch(orExpired))
  // Whoever unticks everything has not given anything.
  if (!Object.values(scopes).some((scope) => grant.scopes.includes(scope)))
    throw new Problem('consent_refused')
  await db().transaction(async (on) => {
    await closeConsent(consent, on)
    await keepConnection(found.userId, grant, on)
  })
  return { email: grant.email }
}

function orExpired(error: unknown): never {
  throw error instanceof InvalidGrant ? new Problem('consent_expired') : error
}
