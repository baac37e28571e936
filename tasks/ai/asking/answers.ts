import { Problem } from '../../../problem.ts'
import type { KeptAnswer } from '../../../sql/ai-answers.ts'
import type { AnswerEngine, EngineName, Question } from '../../upstream/answer-engine.ts'
import { type Analysis, callerFor, got, isSpent } from './analysis.ts'

/** Questions in flight to one engine, of one analysis. */
const AT_ONCE = 6
/** An engine that fails so often in a row is left alone. */
const FAULTS = 3
/** Of the time; the rest is for making sense of the answers. */
const ASKING = 0.85

/** How it went with one engine. */
export type EngineReport = {
  engine: EngineName
  /** The one that served last; null when none did. */
  model: string | null
  /** Answers that count, refused and truncated ones among them. */
  answered: number
  refused: number
  truncated: number
  /** Questions without an answer, and why the last of them has none. */
  failed: number
  reason: string | null
}
export type Poll = {
  /** By question, then by engine. */
  answers: KeptAnswer[]
  engines: EngineReport[]
}

/**
 * Asks every engine every question and keeps each answer as it comes. An engine fails alone; what is not there when the
 * time is over, or the money, is missing.
 *
 * Throws: Problem('upstream_failed', {reason}) without any answer, Problem('spend_limit') when money was the only reason.
 */
export async function askAll(analysis: Analysis, questions: readonly Question[]): Promise<Poll> {
  const over = analysis.until(ASKING)
  const polls = await Promise.all(
    analysis.engines.map((engine) => askEngine(analysis, engine, questions, over)),
  )
  analysis.tools.signal.throwIfAborted()
  const engines = polls.map(({ report }) => report)
  const all = polls.flatMap(({ answers }) => answers)
  const answers = questions.flatMap(({ prompt }) => all.filter((answer) => answer.prompt === prompt))
  if (answers.length > 0) return { answers, engines }
  if (engines.every(({ reason }) => reason === SPENT)) throw new Problem('spend_limit')
  throw new Problem('upstream_failed', { reason: reasonOf(engines) })
}

const SPENT = 'spend limit reached'

/** Why nothing came. */
const reasonOf = (engines: readonly EngineReport[]) =>
  engines
    .map(({ engine, reason }) =>
      reason?.startsWith(engine) ? reason : `${engine}: ${reason ?? 'no answer'}`,
    )
    .join('; ')

async function askEngine(
  analysis: Analysis,
  engine: AnswerEngine,
  questions: readonly Question[],
  over: AbortSignal,
): Promise<{ answers: KeptAnswer[]; report: EngineReport }> {
  const own = analysis.kept.filter((answer) => answer.engine === engine.name)
  const answers = questions.flatMap(({ prompt }) => own.find((answer) => answer.prompt === prompt) ?? [])
  const open = questions.filter(({ prompt }) => answers.every((answer) => answer.prompt !== prompt))
  const caller = callerFor(analysis, over)
  let reason: string | null = null
  let faults = 0
  let isStopped = false

  const ask = async (question: Question) => {
    const kept = (answer: Awaited<ReturnType<AnswerEngine['ask']>>) => ({
      prompt: question.prompt,
      ...answer,
    })
    const outcome = await got(
      analysis,
      over,
      async () => kept(await engine.ask(question, caller)),
      (answer) => analysis.books.keep({ run: analysis.run, userId: analysis.user }, [answer]),
    )
    if ('value' in outcome) {
      answers.push(outcome.value)
      faults = 0
    } else if ('fault' in outcome) {
      reason = outcome.fault.message
      faults++
      if (faults >= FAULTS || ['auth', 'funds'].includes(outcome.fault.kind)) isStopped = true
    }
  }
  const work = async () => {
    while (!isStopped && !caller.signal.aborted && open.length > 0) {
      if (await isSpent(analysis)) {
        reason = SPENT
        isStopped = true
      } else {
        const question = open.shift()
        if (question) await ask(question)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))

  const failed = questions.length - answers.length
  if (over.aborted) reason ??= `no answer within ${Math.round(analysis.seconds * ASKING)} s`
  if (failed > 0 && answers.length === 0) analysis.down.set(engine.name, reason ?? '')
  const count = (ended: KeptAnswer['ended']) => answers.filter((answer) => answer.ended === ended).length
  return {
    answers,
    report: {
      engine: engine.name,
      model: answers.at(-1)?.model ?? null,
      answered: answers.length,
      refused: count('refused'),
      truncated: count('truncated'),
      failed,
      reason: failed > 0 ? reason : null,
    },
  }
}
