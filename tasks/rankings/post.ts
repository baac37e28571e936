import { randomUUID } from 'node:crypto'

import * as tasks from '../../sql/rank-tasks.ts'
import type { Tools } from '../outcome.ts'
import { UpstreamFault, type UpstreamFaultKind } from '../upstream/fault.ts'
import { source } from '../upstream/source.ts'

/** Refusals of a whole call; after any other fault nobody knows what was taken. */
const refusals: UpstreamFaultKind[] = ['auth', 'funds', 'rate', 'input']

/**
 * Posts the questions that wait to the source's queue. A question is marked before it is posted and never posted again
 * unless it was surely refused, for each is billed.
 */
export async function postRanks(_payload: object, { signal, log }: Tools) {
  const queue = source('queue')
  while (!signal.aborted) {
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
    try {
      const posted = await queue.post(questions, { userId: first.user_id, signal })
      const ids = posted.flatMap(({ tag, id }) => {
        const task = taskOf(tag)
        return id !== null && task ? [{ id: task.id, upstreamId: id }] : []
      })
      await tasks.keepIds(ids)
      const refused = posted.filter(({ refusal }) => refusal !== null)
      await tasks.drop(refused.flatMap(({ tag }) => taskOf(tag)?.id ?? []))
      if (refused[0])
        log.warn({ refused: refused.length, reason: refused[0].refusal }, 'questions were refused')
    } catch (error) {
      if (error instanceof UpstreamFault && refusals.includes(error.kind)) await tasks.returnBatch(batch)
      throw error
    }
  }
}

/** Tells a question among all that use the account. */
const tagOf = (batch: string, id: number) => `seo-suite:${batch}:${id}`

export function taskOf(tag: string): { batch: string; id: number } | null {
  const [, batch, id] = /^seo-suite:([0-9a-f-]{36}):(\d+)$/.exec(tag) ?? []
  return batch && id ? { batch, id: Number(id) } : null
}
