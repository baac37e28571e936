import { Problem } from '../../problem.ts'
import { type Connection, connectionOf, scopes } from '../../sql/external-accounts.ts'
import { isGoogleConfigured } from '../../tasks/jobs.ts'

/** The caller's Google account, for something that needs its owner's consent; a Problem that tells what is missing. */
export async function connectionFor(userId: number, feature: keyof typeof scopes): Promise<Connection> {
  if (!isGoogleConfigured()) throw new Problem('external_not_configured')
  const connection = await connectionOf(userId)
  if (!connection) throw new Problem('not_connected')
  if (!connection.scopes.includes(scopes[feature])) throw new Problem('not_consented', { feature })
  return connection
}
