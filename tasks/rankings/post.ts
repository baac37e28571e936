import { randomUUID } from 'node:crypto'

import * as tasks from '../../sql/rank-tasks.ts'
import { enqueue } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import { UpstreamFault } from '../upstream/fault.ts'
import type { Posted } from '../upstream/keyword-data.ts'
import { source } from '../upstream/source.ts'

/** After this, other work has its turn. */
const SLICE_MS = 30_000

/**
 * Posts the questions that wait to the source's queue. A question is marked before it is posted and never posted again
 * unless it was surely refused, for each is billed.
 */
export async function postRanks(_payload: object, { signal, workerId, log }: Tools) {
  const queue = source('queue')
  const end = performance.now() + SLICE_MS
  while (!signal.aborted) {
    if (performance.now() > end) return await enqueue('rankings.post', {}, { key: 'rankings.post' })
    const batch = randomUUID()
    const taken = await tasks.takeUnposted(batch)
    const [first] = taken
    if (!first) return
    const questions = taken.map(({ id, keyword, domain, location_code, language_code }) => ({
      tag: tagOf(batch, id),
      keyword,
      domain,
      market: { locationCode: location_code, languageCode: language_code },
    }))
    const caller = { userId: first.user_id, signal, workerId, bulk: true }
    let answers: Posted[]
    try {
      answers = await queue.post(questions, caller)
    } catch (error) {
      if (!isUnknown(error)) await tasks.giveBack(taken.map(({ id }) => id))
      throw error
    }
    const posted = answers.flatMap(({ tag, ...what }) => {
      const task = taskOf(tag)
      return task ? [{ id: task.id, ...what }] : []
    })
    await tasks.keepIds(posted.flatMap(({ id, upstreamId }) => (upstreamId ? [{ id, upstreamId }] : [])))
    const refused = posted.flatMap(({ id, refusal }) => (refusal ? [{ id, refusal }] : []))
    const passing = refused.filter(({ refusal }) => !isLasting(refusal))
    await tasks.drop(refused.flatMap(({ id, refusal }) => (isLasting(refusal) ? id : [])))
    await tasks.giveBack(passing.map(({ id }) => id))
    if (refused[0]) log.warn({ err: refused[0].refusal, refused: refused.length }, 'questions were refused')
    if (passing[0]) throw passing[0].refusal
  }
}

/** After such a fault nobody knows what was taken; after any other, nothing was. */
const isUnknown = (error: unknown) => error instanceof UpstreamFault && error.kind === 'temporary'

/** The question itself is refused, and always will be. */
const isLasting = ({ kind }: UpstreamFault) => kind === 'input' || kind === 'empty'

/** Tells a question among all that use the account. */
const tagOf = (batch: string, id: number) => `seo-suite:${batch}:${id}`

export function taskOf(tag: string): { batch: string; id: number } | null {
  const [, batch, id] = /^seo-suite:([0-9a-f-]{36}):(\d+)$/.exec(tag) ?? []
  return batch && id ? { batch, id: Number(id) } : null
}
