import { randomUUID } from 'node:crypto'

import type { z } from 'zod'

import type { Pool } from '../config.ts'
import { openAnswer } from '../sql/answers.ts'
import { db, type Executor } from '../sql/pool.ts'
import { addJob, addJobs, type JobSpec } from '../sql/queue.ts'
import { requestId, traceCarrier } from '../telemetry.ts'
import { awaitAnswer } from './answer.ts'

export type Job = {
  /** The set of workers that may run it. */
  pool: Pool
  payload: z.ZodObject
  /** Runs before the job is given up; a killed worker uses none. */
  attempts: number
  /** Lower runs first. */
  priority: number
  /** After this its abort signal fires. */
  deadlineSeconds?: number
  /** It queues its own successor, or is queued by the clock: its trace is its own, with a link to where it came from. */
  chained?: boolean
  /** What the run returns, for who asks for it. */
  answer?: z.ZodType
}
export type Jobs = Record<string, Job>
export type Answer<J extends Job> = J extends { answer: infer A extends z.ZodType } ? z.output<A> : void
type Asked<All extends Jobs> = {
  [Name in keyof All]: All[Name] extends { answer: z.ZodType } ? Name : never
}[keyof All] &
  string

/** Travels in every payload beside the job's own fields, and is taken off before its schema is applied. */
export type Luggage = {
  _otel?: Record<string, string> | undefined
  _request?: string | undefined
  _answer?: string | undefined
  /** The job's key, for when the queue has passed it on to a successor. */
  _key?: string | undefined
}

type Options = { on?: Executor | undefined; key?: string | undefined; runAt?: Date | undefined }

/** The ways into the queue, for a set of jobs. */
export function queueOf<All extends Jobs>(jobs: All) {
  type Name = keyof All & string
  type Payload<N extends Name> = z.output<All[N]['payload']>

  function spec(name: Name, payload: object, { key, runAt }: Options, luggage: Luggage = {}): JobSpec {
    const { attempts, priority } = jobs[name] as Job
    const carried: Luggage = { _otel: traceCarrier(), _request: requestId(), _key: key, ...luggage }
    return { task: name, payload: { ...payload, ...carried }, attempts, priority, key, runAt }
  }

  /** Queues a job in the caller's transaction. A `key` keeps at most one such job waiting. */
  async function enqueue<N extends Name>(name: N, payload: Payload<N>, options: Options = {}): Promise<void> {
    await addJob(spec(name, payload, options), options.on)
  }

  /** Queues many jobs of a kind by one statement; no key may occur twice. */
  async function enqueueAll<N extends Name>(
    name: N,
    list: readonly { payload: Payload<N>; key?: string; runAt?: Date }[],
    { on }: { on?: Executor } = {},
  ): Promise<void> {
    await addJobs(
      list.map(({ payload, ...options }) => spec(name, payload, options)),
      on,
    )
  }

  /**
   * Runs a job in the fleet and returns what it answers. A Problem that the run throws is thrown here; any other
   * failure, and no answer `within` so many seconds, is `upstream_failed`. The caller going away does not cancel it.
   */
  async function ask<N extends Name & Asked<All>>(
    name: N,
    payload: Payload<N>,
    { within }: { within: number },
  ): Promise<Answer<All[N]>> {
    const id = randomUUID()
    const result = await awaitAnswer(id, within, () =>
      db().transaction(async (on) => {
        await openAnswer(id, within, on)
        await addJob(spec(name, payload, {}, { _answer: id }), on)
      }),
    )
    return (jobs[name] as Job).answer?.parse(result) as Answer<All[N]>
  }

  return { enqueue, enqueueAll, ask }
}
