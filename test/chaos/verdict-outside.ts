import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import type { Load } from './load.ts'
import type { Span, Stage } from './stage.ts'
import type { Check } from './verdict.ts'

/** How long an answer may take into the database while nothing is broken, milliseconds. */
const STORED_MS = 1500
/** How long before an answer its call began. */
const CALL_MS = 500

const Alert = z.object({
  subject: z.string(),
  alerts: z.int(),
  states: z.array(z.string()),
  messages: z.array(z.string()),
})

export async function judgeAlerts({ hooks, losses }: Stage, { ledger }: Load): Promise<Check[]> {
  const all = await db().any(sql.type(Alert)`
    select subject, count(distinct a.id) as alerts, array_agg(d.state) as states,
           array_agg('msg_' || replace(d.message_id::text, '-', '')) as messages
      from alerts a left join deliveries d on d.alert_id = a.id where subject like 'chaos:%' group by subject`)
  const bySubject = new Map(all.map((alert) => [alert.subject, alert]))
  const taken = Map.groupBy(
    hooks.messages.filter(({ taken }) => taken),
    ({ id }) => id,
  )
  const expected = new Set(all.flatMap(({ messages }) => messages))
  const bodies = Map.groupBy(hooks.messages, ({ id }) => id)
  return [
    {
      name: 'alerts raised once, delivered',
      seen: ledger.alerts.length,
      wrong: ledger.alerts.filter((subject) => {
        const found = bySubject.get(subject)
        return found?.alerts !== 1 || found.states.some((state) => state !== 'delivered')
      }),
    },
    {
      name: 'messages: all that were sent, no other, each with one body',
      seen: bodies.size,
      wrong: [
        ...[...expected].filter((id) => !taken.has(id)).map((id) => `${id} never came`),
        ...[...bodies.keys()].filter((id) => !expected.has(id)).map((id) => `${id} came from nowhere`),
        ...[...bodies]
          .filter(([, sent]) => new Set(sent.map(({ body }) => body)).size > 1)
          .map(([id]) => `${id} changed`),
      ],
    },
    repeated('messages taken twice without a cause', taken, losses, 0),
  ]
}

/** The source's own log: what was asked for twice had to be, because an answer was lost on its way. */
export async function judgeCalls({ billed, losses, source }: Stage): Promise<Check[]> {
  const live = billed.flatMap(({ path, task, at }) =>
    Array.isArray(task['keywords'])
      ? task['keywords'].map((keyword) => ({ call: `${path} ${keyword}`, at }))
      : path.includes('/live')
        ? [{ call: `${path} ${JSON.stringify(task)}`, at }]
        : [],
  )
  const posts = Map.groupBy(
    source.calls.filter(({ path }) => path.endsWith('/task_post')),
    ({ task }) => String(task['keyword']),
  )
  const searches = Map.groupBy(
    billed.filter(({ path }) => path.startsWith('serp/') && path.includes('/live')),
    ({ task }) => String(task['keyword']),
  )
  const stored = await db().anyFirst(sql.type(z.object({ keyword: z.string() }))`
    select k.keyword from rankings r join keywords k on k.id = r.keyword_id`)
  const positions = Map.groupBy(stored, (keyword) => keyword)
  const many = (of: Map<string, unknown[]>, keyword: string) => of.get(keyword)?.length ?? 0
  return [
    repeated(
      'live calls billed twice without a cause',
      Map.groupBy(live, ({ call }) => call),
      losses,
      CALL_MS,
    ),
    {
      name: 'queued questions billed twice',
      seen: posts.size,
      wrong: [...posts.keys()].filter((keyword) => many(posts, keyword) > 1),
    },
    {
      name: 'queued questions without their one position',
      seen: posts.size,
      wrong: [...posts.keys()].filter((word) => many(searches, word) === 0 && many(positions, word) !== 1),
    },
    {
      name: 'positions stored more often than asked for',
      seen: stored.length,
      wrong: [...positions.keys()].filter(
        (keyword) => many(positions, keyword) > many(posts, keyword) + many(searches, keyword),
      ),
    },
  ]
}

/** Whatever happened twice although nothing was broken after the first time. */
function repeated(
  name: string,
  happened: Map<string, { at: number }[]>,
  losses: readonly Span[],
  beforeMs: number,
): Check {
  const hasCause = (at: number) => losses.some(({ from, to }) => from < at + STORED_MS && to > at - beforeMs)
  const wrong = [...happened].filter(([, times]) => times.slice(0, -1).some(({ at }) => !hasCause(at)))
  const again = [...happened.values()].reduce((sum, times) => sum + times.length - 1, 0)
  return {
    name: `${name} (${again} with one)`,
    seen: happened.size,
    wrong: wrong.map(([key, times]) => `${key} at ${times.map(({ at }) => at.toFixed()).join()}`),
  }
}
