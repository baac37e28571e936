import type { z } from 'zod'

import type { KeptAnswer } from '../../../sql/ai-answers.ts'
import type { AnswerEngine, EngineName, Extraction } from '../../upstream/answer-engine.ts'
import { type Analysis, callerFor, got, isSpent } from './analysis.ts'

/** Engines that are asked, one after the other, until one can do it. */
const TRIES = 2
/** Characters of data; what is cut is said. */
const DATA = 60_000
/** How extractions are kept among answers; no prompt has a line break. */
const MARK = 'extraction\n'

export const isExtraction = ({ prompt }: KeptAnswer, purpose: string): boolean => prompt === MARK + purpose

/**
 * Has an engine read structure out of data, and keeps what it read, so that a repeated run reads the same. Null when no
 * engine can in time: whoever asks must get along without.
 *
 * `purpose` tells the extractions of one run apart; `share` is the part of the time by which it must be there.
 */
export async function extract<T extends z.ZodType>(
  analysis: Analysis,
  purpose: string,
  { schema, instructions, data }: Extraction<T>,
  share: number,
): Promise<{ value: z.output<T>; engine: EngineName } | null> {
  for (const { engine, text } of analysis.kept.filter((answer) => isExtraction(answer, purpose))) {
    const read = schema.safeParse(JSON.parse(text))
    if (read.success) return { value: read.data, engine }
  }
  const over = analysis.until(share)
  const asked = {
    schema,
    instructions,
    data: data.length > DATA ? `${data.slice(0, DATA).toWellFormed()}\n[cut]` : data,
  }
  const keep = async (
    engine: AnswerEngine,
    { value, model, usage }: Awaited<ReturnType<typeof engine.extract>>,
  ) =>
    analysis.books.keep({ run: analysis.run, userId: analysis.user }, [
      {
        prompt: MARK + purpose,
        engine: engine.name,
        model,
        text: JSON.stringify(value),
        citations: [],
        retrieved: [],
        queries: [],
        ended: 'whole',
        usage,
      },
    ])
  for (const engine of inOrder(analysis).slice(0, TRIES)) {
    if (over.aborted || (await isSpent(analysis))) return null
    const outcome = await got(
      analysis,
      over,
      () => engine.extract(asked, callerFor(analysis, over)),
      (read) => keep(engine, read),
    )
    analysis.tools.signal.throwIfAborted()
    if ('value' in outcome) return { value: outcome.value.value, engine: engine.name }
    if ('fault' in outcome)
      analysis.tools.log.warn({ err: outcome.fault, engine: engine.name, purpose }, 'nothing extracted')
  }
  return null
}

/** Engines that have not failed come first. */
const inOrder = ({ engines, down }: Analysis) =>
  engines.toSorted((a, b) => Number(down.has(a.name)) - Number(down.has(b.name)))
