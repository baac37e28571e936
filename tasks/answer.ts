import { randomUUID } from 'node:crypto'

import { Histogram } from 'prom-client'

import { Problem, type ProblemKey, problems } from '../problem.ts'
import { abandonAnswer, ANSWERS, type AnswerState, openAnswer, settledAnswers } from '../sql/answers.ts'
import { listen } from '../sql/listener.ts'
import { databaseUrl, db, type Executor } from '../sql/pool.ts'
import { log, registry } from '../telemetry.ts'

/** Covers a notification that was lost. */
const POLL_MS = 2000

const awaited = new Histogram({
  name: 'seo_task_await_seconds',
  help: 'How long requests waited for the fleet, by what came of it',
  labelNames: ['outcome'] as const,
  buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 30, 60, 120, 300],
  registers: [registry],
})

type Waiter = { resolve(result: unknown): void; reject(reason: Error): void }

const waiting = new Map<string, Waiter>()
let listening: { listener: ReturnType<typeof listen>; poll: NodeJS.Timeout } | undefined

/**
 * Waits for one answer, on the one connection that listens for all of this process. `ask` queues the work; it runs
 * after the waiter is known, so that no answer is too quick.
 */
export async function awaitAnswer(
  id: string,
  seconds: number,
  ask: () => Promise<unknown>,
): Promise<unknown> {
  startListening()
  const { promise, ...waiter } = Promise.withResolvers<unknown>()
  waiting.set(id, waiter)
  const done = awaited.startTimer()
  let outcome = 'failed'
  const timer = setTimeout(() => {
    outcome = 'timeout'
    waiter.reject(new Problem('upstream_failed', {}, { cause: new Error(`no answer within ${seconds} s`) }))
    abandonAnswer(id).catch((error: unknown) => log.warn({ err: error }, 'an answer could not be abandoned'))
  }, seconds * 1000)
  try {
    await Promise.race([ask(), promise])
    const result = await promise
    outcome = 'answered'
    return result
  } finally {
    done({ outcome })
    clearTimeout(timer)
    waiting.delete(id)
  }
}

/**
 * Starts something that settles an answer when it ends, and waits for that; false when it has not `within` so many
 * seconds. It goes on regardless.
 */
export async function settled(
  within: number,
  start: (on: Executor, answer: string) => Promise<unknown>,
): Promise<boolean> {
  const id = randomUUID()
  const begin = () =>
    db().transaction(async (on) => {
      await openAnswer(id, within, on)
      await start(on, id)
    })
  try {
    await awaitAnswer(id, within, begin)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

/** Tells all who wait that nothing came in time: this process is about to end. */
export function endWaiting(): void {
  const reason = new Problem('upstream_failed', {}, { cause: new Error('this process ends') })
  for (const waiter of waiting.values()) waiter.reject(reason)
}

/** Ends the connection that `ask` opened. */
export async function closeAnswers(): Promise<void> {
  clearInterval(listening?.poll)
  await listening?.listener.close()
  listening = undefined
}

function startListening() {
  listening ??= {
    listener: listen(databaseUrl(), ANSWERS, {
      onNotification: (id) => waiting.has(id) && void collect([id]),
      onReady: () => void collect([...waiting.keys()]),
    }),
    poll: setInterval(() => void collect([...waiting.keys()]), POLL_MS).unref(),
  }
}

async function collect(ids: string[]) {
  if (ids.length === 0) return
  try {
    for (const answer of await settledAnswers(ids)) settle(answer)
  } catch (error) {
    log.warn({ err: error }, 'answers could not be read; the next look will')
  }
}

function settle({ id, state, result, problem }: AnswerState) {
  const waiter = waiting.get(id)
  if (state === 'done') waiter?.resolve(result)
  else waiter?.reject(problemFrom(problem))
}

function problemFrom(stored: unknown): Problem {
  const { key, params } = (stored ?? {}) as { key?: ProblemKey; params?: Problem['params'] }
  return key && key in problems ? new Problem(key, params) : new Problem('upstream_failed')
}
