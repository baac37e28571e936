import type { Logger } from 'pino'

import * as refreshes from '../../sql/refreshes.ts'
import type { Payload } from '../jobs.ts'
import { Later, type Tools } from '../outcome.ts'
import type { Caller } from '../upstream/account.ts'
import { canSource } from '../upstream/configured.ts'
import { UpstreamFault } from '../upstream/fault.ts'
import { source } from '../upstream/source.ts'

/** Keywords of one call, which costs the same however few they are. */
const BATCH = 1000
/** After this, other work has its turn. */
const SLICE_MS = 30_000

/** Fills in the search volumes of projects that the clock refreshes. */
export async function measureProjects(
  { projects, user }: Payload<'rankings.volumes'>,
  { signal, workerId, log }: Tools,
) {
  const over = AbortSignal.timeout(SLICE_MS)
  await fillVolumes(projects, { userId: user, signal, workerId, over, bulk: true }, log)
  signal.throwIfAborted()
  if (over.aborted) throw new Later(0)
}

/** Asks for search volumes that are not known or a month old. Positions do not depend on it: a fault is a line in the log. */
export async function fillVolumes(projectIds: readonly number[], caller: Caller, log: Logger) {
  if (!canSource('volumes')) return
  const stops = [caller.signal, ...(caller.over ? [caller.over] : [])]
  try {
    while (!stops.some(({ aborted }) => aborted)) {
      const due = await refreshes.withoutVolume(projectIds, BATCH)
      const [first] = due
      if (!first) return
      const market = { locationCode: first.location_code, languageCode: first.language_code }
      const keywords = due.map(({ keyword }) => keyword)
      const volumes = await source('volumes')(keywords, market, caller)
      await refreshes.keepVolumes(
        due.map(({ id, keyword }) => ({ id, volume: volumes.get(keyword) ?? null })),
      )
    }
  } catch (error) {
    if (error instanceof UpstreamFault) log.warn({ err: error }, 'no search volumes')
    else if (!stops.some(({ aborted }) => aborted)) throw error
  }
}
