import { config } from '../../../config.ts'
import { Problem } from '../../../problem.ts'
import { keepAnswers, type KeptAnswer, keptAnswers } from '../../../sql/ai-answers.ts'
import { spendLeft } from '../../../sql/ai-spend.ts'
import type { Tools } from '../../outcome.ts'
import type { Caller } from '../../upstream/account.ts'
import type { AnswerEngine, EngineName } from '../../upstream/answer-engine.ts'
import { engines } from '../../upstream/engines.ts'
import { UpstreamFault } from '../../upstream/fault.ts'

/** Where answers that were paid for are kept, and what may still be spent. */
export type Books = {
  kept(run: string): Promise<readonly KeptAnswer[]>
  keep(run: { run: string; userId: number }, answers: readonly KeptAnswer[]): Promise<void>
  left(userId: number): Promise<number>
}
/** What an analysis works with. */
export type Means = { engines: readonly AnswerEngine[]; books: Books; seconds: number }
type Run = { user: number; run: string }

/** One run of a module: whom it asks and in whose name, what it knows already, and when it must be over. */
export type Analysis = Run & {
  tools: Tools
  engines: readonly AnswerEngine[]
  books: Books
  /** What an earlier attempt of this run was answered; it is not asked again. */
  kept: readonly KeptAnswer[]
  /** Engines that failed, and why; they are asked for nothing more where another can be. */
  down: Map<EngineName, string>
  seconds: number
  /** Fires when this share of the time is over. */
  until(share: number): AbortSignal
}

export const ownMeans = (): Means => ({
  engines: engines(),
  books: { kept: keptAnswers, keep: keepAnswers, left: spendLeft },
  seconds: config.AI_TIMEOUT_SECONDS,
})

/** Begins a run, or takes up one that its worker lost. */
export async function begin(
  { user, run }: Run,
  tools: Tools,
  { engines, books, seconds }: Means,
): Promise<Analysis> {
  if (engines.length === 0) throw new Problem('no_engine')
  const startedAt = performance.now()
  const until = (share: number) =>
    AbortSignal.timeout(Math.max(0, Math.round(startedAt + share * seconds * 1000 - performance.now())))
  return { user, run, tools, engines, books, seconds, until, kept: await books.kept(run), down: new Map() }
}

/** How it went with one call: what came, why nothing came, or that the time is over. */
export type Got<T> = { value: T } | { fault: UpstreamFault } | { isLate: true }

/**
 * Waits for a call no longer than until `over`; what comes later is kept by `keep` all the same, as it was paid for.
 * Faults of a kind that no adapter knows are logged, and are faults of that engine alone.
 */
export async function got<T>(
  { tools }: Analysis,
  over: AbortSignal,
  call: () => Promise<T>,
  keep: (value: T) => Promise<void>,
): Promise<Got<T>> {
  const late = Promise.withResolvers<{ isLate: true }>()
  const end = () => late.resolve({ isLate: true })
  over.addEventListener('abort', end, { once: true })
  if (over.aborted) end()
  const called = call().then(
    async (value): Promise<Got<T>> => {
      await keep(value)
      return { value }
    },
    (error: unknown): Got<T> => {
      if (error instanceof UpstreamFault) return { fault: error }
      if (over.aborted || tools.signal.aborted) return { isLate: true }
      tools.log.error({ err: error }, 'an answer engine failed in an unknown way')
      return { fault: new UpstreamFault('temporary', 'unexpected failure', undefined, { cause: error }) }
    },
  )
  called.catch((error: unknown) => over.aborted && tools.log.warn({ err: error }, 'a late answer is lost'))
  try {
    return await Promise.race([called, late.promise])
  } finally {
    over.removeEventListener('abort', end)
  }
}

/** Its own for each engine, so that none waits for another's places. */
export const callerFor = ({ user, tools }: Analysis, over: AbortSignal): Caller => ({
  userId: user,
  workerId: tools.workerId,
  signal: AbortSignal.any([tools.signal, over]),
  over,
})

export const isSpent = async ({ books, user }: Analysis): Promise<boolean> => (await books.left(user)) <= 0
