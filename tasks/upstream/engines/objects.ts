import type { z } from 'zod'

import type { EngineName } from '../answer-engine.ts'
import { UpstreamFault } from '../fault.ts'
import type { Reading } from './engine.ts'

/** An engine that has not understood is asked again at once: nothing has to pass. */
const AGAIN_MS = 50

/**
 * The object that an answer should be and nothing else. A fault when it does not fit: it may the next time; one that is
 * refused, or too long, will be so the next time.
 */
export function readObject<T extends z.ZodType>(
  engine: EngineName,
  { text, ended }: Pick<Reading, 'text' | 'ended'>,
  schema: T,
): z.output<T> {
  if (ended === 'refused') throw new UpstreamFault('input', `${engine} refuses`)
  if (ended === 'truncated') throw new UpstreamFault('temporary', `${engine} does not come to an end`)
  const read = schema.safeParse(readJson(text))
  if (read.success) return read.data
  throw new UpstreamFault('temporary', `${engine} answers what is not understood`, AGAIN_MS)
}

/** Some put it into a block of code. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\s*```(?:json)?\s*|\s*```\s*$/g, ''))
  } catch {
    return undefined
  }
}
