import { Problem } from '../../problem.ts'
import { beginFetch, breakOffFetch, type Entry, keepAnswer } from '../../sql/report-cache.ts'
import { Later, type Tools } from '../outcome.ts'

/** Who has not come back after this long is not waited for; longer than a job may take. */
const FETCH_SECONDS = 90
const BUSY_SECONDS = 0.5

/**
 * What is known and fresh, or what `fetch` finds, which is kept. Of all workers that are asked for the same one fetches;
 * the others look again a little later, and get what it found, or why it did not.
 */
export async function cached(
  entry: Entry,
  { workerId }: Tools,
  fetch: () => Promise<unknown>,
): Promise<unknown> {
  const found = await beginFetch(entry, workerId, FETCH_SECONDS)
  if (!found.is_connected) throw new Problem('not_connected')
  if (found.is_fresh) return found.result
  if (found.failure !== null) throw new Problem('upstream_failed', { reason: found.failure })
  if (!found.is_mine) throw new Later(BUSY_SECONDS)
  try {
    const result = await fetch()
    await keepAnswer(entry, workerId, result)
    return result
  } catch (error) {
    const reason = error instanceof Problem ? error.params['reason'] : undefined
    await breakOffFetch(entry, workerId, reason === undefined ? null : String(reason))
    throw error
  }
}
