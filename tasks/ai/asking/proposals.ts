import { z } from 'zod'

import { nameOf } from '../languages.ts'
import type { Analysis } from './analysis.ts'
import { extract, isExtraction } from './extract.ts'
import { distinct, tidy } from './prompt-set.ts'

/** Of the time, by which prompts must have been proposed. */
const PROPOSING = 0.25

const PURPOSE = 'prompts'
const Proposed = z.object({ prompts: z.array(z.string()) })

type Proposing = {
  wanted: string
  /** What they are about; data. */
  about: Record<string, unknown>
  language: string
  most: number
  templates: readonly string[]
}

/**
 * Prompts to ask, in a language, as an engine proposes them; the templates when none does. A repeated run asks those that
 * its first attempt asked.
 */
export async function propose(
  analysis: Analysis,
  { wanted, about, language, most, templates }: Proposing,
): Promise<{ prompts: string[]; by: 'engine' | 'template' }> {
  const { kept } = analysis
  const hadTemplates = kept.length > 0 && !kept.some((answer) => isExtraction(answer, PURPOSE))
  const read = hadTemplates
    ? null
    : await extract(
        analysis,
        PURPOSE,
        {
          schema: Proposed,
          instructions:
            `Propose ${most} different prompts that people type into AI assistants. ${wanted} ` +
            `Write them in ${nameOf(language)}, as users would, each complete without the others, ` +
            `over different intents and stages of the funnel.`,
          data: JSON.stringify(about),
        },
        PROPOSING,
      )
  const proposed = distinct(tidy(read?.value.prompts ?? [], most).map((text) => ({ text })))
  return proposed.length > 0
    ? { prompts: proposed.map(({ text }) => text), by: 'engine' }
    : { prompts: tidy(templates, most), by: 'template' }
}
