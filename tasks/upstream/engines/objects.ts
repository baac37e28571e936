import type { z } from 'zod'

import type { Answer, EngineName } from '../answer-engine.ts'
import { soon } from '../dataforseo/faults.ts'
import { UpstreamFault } from '../fault.ts'

/** The object in a text that should be nothing else; a fault when it does not fit: it may the next time. */
export function readObject<T extends z.ZodType>(engine: EngineName, text: string, schema: T): z.output<T> {
  const read = schema.safeParse(readJson(text))
  if (read.success) return read.data
  throw new UpstreamFault('temporary', `${engine} answers what is not understood`, soon())
}

/** An object is nothing unless it is whole: one that is refused, or too long, will be so the next time. */
export function insistOnWhole(engine: EngineName, ended: Answer['ended']): void {
  if (ended === 'refused') throw new UpstreamFault('input', `${engine} refuses`)
  if (ended === 'truncated') throw new UpstreamFault('temporary', `${engine} does not come to an end`)
}

/** Some put it into a block of code. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\s*```(?:json)?\s*|\s*```\s*$/g, ''))
  } catch {
    return undefined
  }
}
