import type { Job as Row, Task } from 'graphile-worker'
import type { Logger } from 'pino'
import { z } from 'zod'

import { Problem } from '../problem.ts'
import { giveAnswer, isAwaited, refuseAnswer } from '../sql/answers.ts'
import { exhaustJob, isReplaced, postponeJob } from '../sql/queue.ts'
import type { Run } from '../tasks/index.ts'
import { GiveUp, Later, type Tools } from '../tasks/outcome.ts'
import type { Job } from '../tasks/queue.ts'
import { forRequest, inJobSpan, log } from '../telemetry.ts'
import { withDeadline } from './deadline.ts'
import { jobDuration, jobsDone, jobsRunning, jobWait } from './metrics.ts'

const DEADLINE_SECONDS = 900

const Luggage = z.object({
  _otel: z.record(z.string(), z.string()).optional().catch(undefined),
  _request: z.string().optional().catch(undefined),
  _answer: z.uuid().optional().catch(undefined),
})
type Luggage = z.output<typeof Luggage>

/** How a run ends; there is no other way. */
type Outcome =
  | 'success'
  | 'problem'
  | 'unwanted'
  | 'later'
  | 'handed_back'
  | 'replaced'
  | 'error'
  | 'failed_permanently'

type Running = { name: string; row: Row; luggage: Luggage; log: Logger; stopping: AbortSignal }

/** Makes a run function into what graphile-worker calls: checked, traced, timed, and ended in one of the known ways. */
export function task<J extends Job>(name: string, job: J, run: Run<J>, workerId: string): Task {
  return async (payload, { job: row, abortSignal }) => {
    const lines = log.child({ job: name, job_id: row.id, attempt: row.attempts })
    const luggage = Luggage.catch({}).parse(payload)
    const running: Running = { name, row, luggage, log: lines, stopping: abortSignal }
    const { _otel: carrier, _request: request } = luggage
    const work = (signal: AbortSignal) =>
      run(job.payload.parse(payload) as never, {
        log: lines,
        signal,
        workerId,
      } satisfies Tools) as Promise<unknown>

    jobWait.observe({ task: name }, Math.max(0, (Date.now() - row.run_at.getTime()) / 1000))
    jobsRunning.inc({ task: name })
    try {
      await forRequest(request, () =>
        inJobSpan({ name, id: row.id, carrier, chained: job.chained ?? false }, () =>
          attempt(running, () => {
            const checked = job.payload.safeParse(payload)
            if (!checked.success) throw new GiveUp(`malformed payload: ${z.prettifyError(checked.error)}`)
            return withDeadline(job.deadlineSeconds ?? DEADLINE_SECONDS, abortSignal, work)
          }),
        ),
      )
    } finally {
      jobsRunning.dec({ task: name })
    }
  }
}

async function attempt(running: Running, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  const { name } = running
  const ended = (outcome: Outcome, error?: unknown) => {
    const seconds = (performance.now() - began) / 1000
    jobsDone.inc({ task: name, outcome })
    jobDuration.observe({ task: name }, seconds)
    const level = error === undefined ? 'debug' : outcome === 'failed_permanently' ? 'error' : 'warn'
    running.log[level]({ outcome, seconds, err: error }, 'job ended')
  }
  try {
    ended(await perform(running, work))
  } catch (error) {
    const outcome = await failed(running, error)
    const isTold = outcome === 'error' || outcome === 'failed_permanently' || outcome === 'replaced'
    ended(outcome, isTold ? error : undefined)
    // graphile-worker tries it again with growing pauses, as long as there are attempts.
    if (outcome === 'error' || outcome === 'failed_permanently') throw error
  }
}

async function perform(
  { luggage: { _answer: answer } }: Running,
  work: () => Promise<unknown>,
): Promise<Outcome> {
  if (answer === undefined) {
    await work()
    return 'success'
  }
  if (!(await isAwaited(answer))) return 'unwanted'
  await giveAnswer(answer, await work())
  return 'success'
}

async function failed({ name, row, luggage, stopping }: Running, error: unknown): Promise<Outcome> {
  const { _answer: answer } = luggage
  if (answer !== undefined && error instanceof Problem) {
    await refuseAnswer(answer, { key: error.key, params: error.params })
    return 'problem'
  }
  if (error instanceof Later) {
    await postpone(name, row, error.seconds)
    return 'later'
  }
  if (stopping.aborted && !(error instanceof GiveUp)) {
    await postpone(name, row, 0)
    return 'handed_back'
  }
  if (error instanceof GiveUp) await exhaustJob(row.id)
  else if (await hasSuccessor(row.id)) return 'replaced'
  else if (row.attempts < row.max_attempts) return 'error'
  if (answer !== undefined) await refuseAnswer(answer, { key: 'upstream_failed', params: {} })
  return 'failed_permanently'
}

/** As after a last write that was done although its connection broke: then nothing of the job may stay. */
async function hasSuccessor(id: string): Promise<boolean> {
  try {
    return await isReplaced(id)
  } catch {
    return false
  }
}

async function postpone(name: string, row: Row, seconds: number) {
  const { id, priority, max_attempts: attempts, key, locked_by: lockedBy } = row
  const payload = row.payload as Record<string, unknown>
  const spec = { task: name, payload, priority, attempts, key: key ?? undefined }
  await postponeJob({ ...spec, id, lockedBy: lockedBy ?? '', used: row.attempts - 1 }, seconds)
}
