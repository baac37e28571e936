import { z } from 'zod'

import { nameOf } from '../languages.ts'
import type { Brand } from '../reading/brands.ts'
import { fold } from '../reading/fold.ts'
import { mentionsIn } from '../reading/mentions.ts'
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
  /** No prompt that an engine proposes may name them. */
  unnamed?: readonly Brand[]
}

/**
 * Prompts to ask, in a language, as an engine proposes them; the templates when none does. A repeated run asks those that
 * its first attempt asked.
 */
export async function propose(
  analysis: Analysis,
  { wanted, about, language, most, templates, unnamed = [] }: Proposing,
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
  const told = (read?.value.prompts ?? []).filter((text) => mentionsIn(fold(text), unnamed).length === 0)
  const proposed = distinct(tidy(told, most).map((text) => ({ text })))
  return proposed.length > 0
    ? { prompts: proposed.map(({ text }) => text), by: 'engine' }
    : { prompts: tidy(templates, most), by: 'template' }
}
