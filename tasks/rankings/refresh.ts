import { Problem } from '../../problem.ts'
import * as refreshes from '../../sql/refreshes.ts'
import type { Payload } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import type { Caller } from '../upstream/account.ts'
import { canSource } from '../upstream/configured.ts'
import { UpstreamFault } from '../upstream/fault.ts'
import type { Market } from '../upstream/keyword-data.ts'
import { source } from '../upstream/source.ts'

/** Keywords in hand at once; the source's own limit holds for the whole fleet. */
const IN_HAND = 25

/** Asks for the position of every keyword of a project, and stores each as it comes. */
export async function refreshProject(
  { project: id, user }: Payload<'rankings.refresh'>,
  { signal, log }: Tools,
) {
  const project = await refreshes.projectOf(id)
  if (!project) throw new Problem('not_found')
  const market = { locationCode: project.location_code, languageCode: project.language_code }
  const due = await refreshes.unchecked(id)
  const stop = new AbortController()
  const caller = { userId: user, signal: AbortSignal.any([signal, stop.signal]) }
  const rank = source('rank')

  let fault: UpstreamFault | undefined
  let refreshed = project.keywords_count - due.length
  async function check({ id: keywordId, keyword }: (typeof due)[number]) {
    try {
      const found = await rank(keyword, market, project!.domain, caller)
      if (await refreshes.keepRank(keywordId, found)) refreshed++
    } catch (error) {
      if (stop.signal.aborted) return
      if (!(error instanceof UpstreamFault)) throw error
      log.warn({ err: error, keyword }, 'no position')
      fault = error
      // An answer that says nothing of this keyword says nothing against the next.
      if (error.kind !== 'empty' && error.kind !== 'input') stop.abort()
    }
  }

  const volumes = fillVolumes(id, market, caller).catch((error: unknown) => {
    if (!caller.signal.aborted) log.warn({ err: error }, 'no search volumes')
  })
  const queue = due.values()
  const lanes = Array.from({ length: IN_HAND }, async () => {
    for (const one of queue) {
      if (caller.signal.aborted) return
      await check(one)
    }
  })
  await Promise.all([...lanes, volumes])
  signal.throwIfAborted()
  if (fault && (stop.signal.aborted || refreshed === 0)) {
    if (refreshed === 0) await refreshes.unclaim(id)
    throw new Problem('refresh_failed', { refreshed, total: project.keywords_count, reason: fault.message })
  }
  return { refreshed }
}

async function fillVolumes(projectId: number, market: Market, caller: Caller) {
  if (!canSource('volumes')) return
  const due = await refreshes.withoutVolume(projectId)
  if (due.length === 0) return
  const volumes = await source('volumes')(
    due.map(({ keyword }) => keyword),
    market,
    caller,
  )
  await refreshes.keepVolumes(due.map(({ id, keyword }) => ({ id, volume: volumes.get(keyword) ?? null })))
}
