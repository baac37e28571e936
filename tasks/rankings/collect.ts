import * as tasks from '../../sql/rank-tasks.ts'
import { dateProjects } from '../../sql/refreshes.ts'
import { enqueue } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import type { Caller } from '../upstream/account.ts'
import { canSource } from '../upstream/configured.ts'
import { UpstreamFault } from '../upstream/fault.ts'
import { source } from '../upstream/source.ts'
import { taskOf } from './post.ts'
import { storeAnswer } from './store.ts'

const IN_HAND = 10
/** Answers of one run. */
const LIMIT = 2000
/** After this, other work has its turn. */
const SLICE_MS = 30_000
/** So many faults in one run are no accident. */
const FAULTS = 10

/** Collects what the source has answered, and sees to it that questions which wait are posted. */
export async function collectRanks(_payload: object, { signal, workerId, log }: Tools) {
  if (!canSource('queue')) return
  const { unposted, posted } = await tasks.waiting()
  if (unposted > 0) await enqueue('rankings.post', {}, { key: 'rankings.post' })
  if (posted === 0) return
  const caller: Caller = { userId: null, signal, workerId, bulk: true }
  const listed = await source('queue').ready(caller)
  // The answer to the call that posted these was lost: their tags say which they are.
  const found = listed.flatMap(({ id, tag }) => {
    const task = taskOf(tag)
    return task ? [{ id: task.id, upstreamId: id }] : []
  })
  await tasks.keepIds(found)
  const ids = listed.map(({ id }) => id)
  const open = await tasks.collectable(ids, LIMIT)
  const stored = await collect(open, caller, log)
  await dateProjects([...new Set(stored.map(({ project_id: project }) => project))])
  const lost = await tasks.dropLost()
  log.info({ stored: stored.length, lost }, 'positions collected')
}

type Open = Awaited<ReturnType<typeof tasks.collectable>>[number]

/** Stores the answers to questions; returns those that had one. */
async function collect(open: readonly Open[], caller: Caller, log: Tools['log']) {
  const queue = source('queue')
  const stored: Open[] = []
  const faults: UpstreamFault[] = []
  const end = performance.now() + SLICE_MS
  const left = open.values()
  let isBroken = false

  async function store(task: Open) {
    try {
      const { upstream_id: id, domain, user_id: userId } = task
      await storeAnswer(task.id, await queue.collect(id, domain, { ...caller, userId }))
      stored.push(task)
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error
      if (error.kind === 'pending') return
      log.warn({ err: error, keyword: task.keyword_id }, 'no position')
      // What is wrong with this one stays so; what cannot be had now can be had for days.
      if (error.kind === 'empty' || error.kind === 'input') await tasks.drop([task.id])
      else faults.push(error)
      if (error.kind === 'auth' || error.kind === 'funds' || faults.length >= FAULTS) throw error
    }
  }
  const lanes = Array.from({ length: IN_HAND }, async () => {
    try {
      for (const task of left) {
        if (isBroken || caller.signal.aborted || performance.now() > end) return
        await store(task)
      }
    } catch (error) {
      isBroken = true
      throw error
    }
  })
  const ended = await Promise.allSettled(lanes)
  for (const lane of ended)
    if (lane.status === 'rejected') log.warn({ err: lane.reason }, 'not all were collected')
  return stored
}
