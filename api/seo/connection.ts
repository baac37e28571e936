import { Problem, type ProblemKey } from '../../problem.ts'
import { type Connection, connectionOf } from '../../sql/external-accounts.ts'
import { allows, type Feature } from '../../sql/scopes.ts'
import { isGoogleConfigured } from '../../tasks/jobs.ts'

/** What `connectionFor` may tell. */
export const unconnected = [
  'external_not_configured',
  'not_connected',
  'not_consented',
] as const satisfies ProblemKey[]

/** The caller's Google account, for something that needs its owner's consent; a Problem that tells what is missing. */
export async function connectionFor(userId: number, feature: Feature): Promise<Connection> {
  if (!isGoogleConfigured()) throw new Problem('external_not_configured')
  const connection = await connectionOf(userId)
  if (!connection) throw new Problem('not_connected')
  if (!allows(connection.scopes, feature)) throw new Problem('not_consented', { feature })
  return connection
}
