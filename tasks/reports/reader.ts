import type { Tools } from '../outcome.ts'
import { accessToken } from '../upstream/google/account.ts'
import type { Reader } from '../upstream/search-account.ts'

/** A job as it reads the account that a user has connected; one for all its calls. */
export function readerOf(
  { user, connection }: { user: number; connection: number },
  { signal, workerId }: Tools,
): Reader {
  const token = (refused?: string) => accessToken(user, { signal }, refused)
  return { userId: user, connection, signal, workerId, token }
}
