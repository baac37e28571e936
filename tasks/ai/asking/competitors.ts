import { z } from 'zod'

import type { KeptAnswer } from '../../../sql/ai-answers.ts'
import { stopWords } from '../../crawl/html/stop-words.ts'
import type { EngineName } from '../../upstream/answer-engine.ts'
import { type Brand, brandOf } from '../reading/brands.ts'
import { fold } from '../reading/fold.ts'
import { mentionsIn } from '../reading/mentions.ts'
import type { Analysis } from './analysis.ts'
import { extract } from './extract.ts'

/** Names that are counted. */
const MOST = 30
const LENGTH = 80
/** Characters that are read of all answers together, as many of each. */
const TEXTS = 50_000
const Named = z.object({ brands: z.array(z.string()) })
const common = new Set(stopWords.map(fold))

/**
 * Brands besides `own` that answers name. A model reads the names, since it takes meaning to tell a company from a word;
 * what it says counts only where the answers have it, letter by letter, as a name of somebody else.
 */
export async function competitorsIn(
  analysis: Analysis,
  answers: readonly KeptAnswer[],
  own: Brand,
  share: number,
): Promise<{ brands: Brand[]; by: EngineName | null }> {
  const texts = answers.filter(({ ended }) => ended !== 'refused').map(({ text }) => text)
  if (texts.length === 0) return { brands: [], by: null }
  const read = await extract(
    analysis,
    'brands',
    {
      schema: Named,
      instructions:
        'The data are answers of AI assistants. List the companies, brands and products that they offer as a choice, ' +
        'each once, spelled as there. No general terms, no places, no websites that are only sources.',
      data: texts.map((text) => text.slice(0, TEXTS / texts.length).toWellFormed()).join('\n\n---\n\n'),
    },
    share,
  )
  const met = new Set([own.key])
  const brands = (read?.value.brands ?? [])
    .map((name) => name.trim())
    .filter((name) => isName(name) && texts.some((text) => text.includes(name)))
    .filter((name) => mentionsIn(fold(name), [own]).length === 0)
    .map((name) => brandOf(name))
    .filter(({ key }) => key !== '' && !met.has(key) && met.add(key))
    .slice(0, MOST)
  return { brands, by: read?.engine ?? null }
}

/** Written as names are, and more than a word of the language. */
const isName = (name: string) =>
  name.length > 1 &&
  name.length <= LENGTH &&
  /[\p{Lu}\p{Lt}\p{Lo}\p{N}]/u.test(name) &&
  !common.has(fold(name))
