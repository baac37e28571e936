import type { Pool } from '../../config.ts'
import { Problem } from '../../problem.ts'
import { isAnyReady } from '../../sql/queue.ts'
import * as refreshes from '../../sql/refreshes.ts'
import { type JobName, jobs, type Payload } from '../jobs.ts'
import { Later, type Tools } from '../outcome.ts'
import { UpstreamFault } from '../upstream/fault.ts'
import { source } from '../upstream/source.ts'
import { storeRank } from './store.ts'
import { fillVolumes } from './volumes.ts'

/** Keywords in hand at once; the source's own limit holds for the whole fleet. */
const IN_HAND = 25
/** Keywords read at once. */
const WINDOW = 200
/** After this it gives way to whoever waits for a worker, and goes on when its turn comes again. */
const SLICE_MS = 10_000
const LOOK_MS = 1000
/** Kept of the time until another refresh may begin, for the calls in flight. */
const MARGIN_SECONDS = 15
/** So many keywords in a row without an answer are no accident. */
const SILENCES = 20

/** Refreshes a project for somebody who waits. */
export const refreshProject = (payload: Payload<'rankings.refresh'>, tools: Tools) =>
  refresh(payload, tools, 'interactive')

/** Refreshes a project by the clock, from a source without a cheap queue. */
export async function recheckProject(payload: Payload<'rankings.recheck'>, tools: Tools) {
  await refresh(payload, tools, 'maintenance')
}

/** Asks for the position of every keyword of a project, and stores each as it comes. */
async function refresh(
  { project: id, user, claim }: Payload<'rankings.refresh'>,
  { signal, workerId, log }: Tools,
  pool: Pool,
) {
  const rank = source('rank')
  const project = await refreshes.begin(id, claim)
  if (!project) return { refreshed: 0 }
  const market = { locationCode: project.location_code, languageCode: project.language_code }
  const over = new AbortController()
  const caller = { userId: user, signal, workerId, over: over.signal, bulk: true }
  const inHand = new Set<number>()
  let fault: UpstreamFault | undefined
  let silence: UpstreamFault | undefined
  let silences = 0

  async function* waiting() {
    const began = performance.now()
    const end = began + (project!.seconds_left - MARGIN_SECONDS) * 1000
    let look = began + SLICE_MS
    for (;;) {
      // Also what ends while this is read.
      const before = new Set(inHand)
      const due = (await refreshes.untried(id, WINDOW)).filter((one) => !before.has(one.id))
      if (due.length === 0) return
      for (const one of due) {
        if (performance.now() > end) stop(new UpstreamFault('temporary', 'it took too long'))
        if (performance.now() > look) {
          look = performance.now() + LOOK_MS
          if (await areOthersWaiting(pool)) over.abort()
        }
        if (over.signal.aborted || signal.aborted) return
        inHand.add(one.id)
        yield one
      }
    }
  }
  async function check({ id: keywordId, keyword }: { id: number; keyword: string }) {
    try {
      await storeRank(keywordId, await rank(keyword, market, project!.domain, caller))
      silences = 0
    } catch (error) {
      if (!(error instanceof UpstreamFault)) {
        if (over.signal.aborted || signal.aborted) return
        over.abort()
        throw error
      }
      log.warn({ err: error, keyword }, 'no position')
      // An answer that says nothing of this keyword says nothing against the next.
      const isSilence = error.kind === 'empty' || error.kind === 'input'
      if (isSilence) {
        silence = error
        await refreshes.keepSilence(keywordId)
      }
      if (!isSilence || ++silences >= SILENCES) stop(error)
    } finally {
      inHand.delete(keywordId)
    }
  }
  function stop(reason: UpstreamFault) {
    fault ??= reason
    over.abort()
  }

  const queue = waiting()
  const lanes = Array.from({ length: IN_HAND }, async () => {
    for await (const one of queue) await check(one)
  })
  const ended = await Promise.allSettled([...lanes, fillVolumes([id], caller, log)])
  await refreshes.dateProjects([id])
  for (const end of ended) if (end.status === 'rejected') throw end.reason
  signal.throwIfAborted()
  if (fault) throw await failure(id, claim, fault)
  if (over.signal.aborted) throw new Later(0)
  const { refreshed, total } = await refreshes.progress(id)
  if (refreshed === 0 && total > 0) throw await failure(id, claim, silence)
  return { refreshed }
}

async function failure(id: number, claim: string, fault?: UpstreamFault) {
  const far = await refreshes.breakOff(id, claim)
  return new Problem('refresh_failed', { ...far, ...(fault && { reason: fault.message }) }, { cause: fault })
}

/** Whether others wait for a place in the pool; rechecks take what is left. */
async function areOthersWaiting(pool: Pool) {
  const names = Object.keys(jobs) as JobName[]
  return await isAnyReady(names.filter((name) => jobs[name].pool === pool && name !== 'rankings.recheck'))
}
