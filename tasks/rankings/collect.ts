import * as tasks from '../../sql/rank-tasks.ts'
import { keepRank } from '../../sql/refreshes.ts'
import { enqueue } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import { canSource } from '../upstream/configured.ts'
import { UpstreamFault } from '../upstream/fault.ts'
import { source } from '../upstream/source.ts'
import { taskOf } from './post.ts'

const IN_HAND = 10
/** Answers of one run. */
const LIMIT = 2000

/** Collects what the source has answered, and sees to it that questions which wait are posted. */
export async function collectRanks(_payload: object, { signal, log }: Tools) {
  if (!canSource('queue')) return
  const { unposted, posted } = await tasks.waiting()
  if (unposted > 0) await enqueue('rankings.post', {}, { key: 'rankings.post' })
  if (posted === 0) return
  const queue = source('queue')
  const listed = await queue.ready({ userId: null, signal })
  // The answer to the call that posted these was lost: their tags say which they are.
  const found = listed.flatMap(({ id, tag }) => {
    const task = taskOf(tag)
    return task ? [{ id: task.id, upstreamId: id }] : []
  })
  await tasks.keepIds(found)

  let stored = 0
  const open = await tasks.collectable(
    listed.map(({ id }) => id),
    LIMIT,
  )
  const left = open.values()
  const lanes = Array.from({ length: IN_HAND }, async () => {
    for (const task of left) {
      if (signal.aborted) return
      try {
        const rank = await queue.collect(task.upstream_id, task.domain, { userId: task.user_id, signal })
        if (await keepRank(task.keyword_id, rank)) stored++
      } catch (error) {
        if (!(error instanceof UpstreamFault)) throw error
        if (error.kind === 'pending') continue
        // What cannot be had now can be had for days; what is wrong with this one stays so.
        if (error.kind !== 'empty' && error.kind !== 'input') throw error
        log.warn({ err: error, keyword: task.keyword_id }, 'no position')
      }
      await tasks.drop([task.id])
    }
  })
  await Promise.all(lanes)
  const lost = await tasks.dropLost()
  log.info({ stored, lost }, 'positions collected')
}
