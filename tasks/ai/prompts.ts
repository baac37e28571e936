import { z } from 'zod'

import type { KeptAnswer } from '../../sql/ai-answers.ts'
import type { Payload } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import type { EngineName } from '../upstream/answer-engine.ts'
import { begin, type Means, ownMeans } from './asking/analysis.ts'
import { askAll } from './asking/answers.ts'
import { extract } from './asking/extract.ts'
import { promptsIn } from './asking/prompt-lines.ts'
import { classify, distinct, intents, kinds, stages, tidy } from './asking/prompt-set.ts'
import { ideaTemplate, seedTemplates } from './asking/templates.ts'
import { countryOf, detectLanguage, languageOf, nameOf } from './languages.ts'
import { brandOf } from './reading/brands.ts'
import { fold, keyOf } from './reading/fold.ts'
import { mentionsIn } from './reading/mentions.ts'
import { sourcesOf } from './reading/sources.ts'

/** Prompts of one result, entities, gaps, and characters of one of these. */
const PROMPTS = 60
const ENTITIES = 30
const GAPS = 15
const LENGTH = 200
/** Code points of the seed that engines are asked about. */
const TOPIC = 200
/** Of the time, by which the engines' ideas must have been read. */
const READING = 0.98

const Ideas = z.object({
  prompts: z.array(
    z.object({
      text: z.string(),
      intent: z.enum(intents),
      funnel_stage: z.enum(stages),
      type: z.enum(kinds),
    }),
  ),
  entities: z.array(z.string()),
  gaps: z.array(z.string()),
})
type Idea = z.output<typeof Ideas>['prompts'][number] & {
  engines: EngineName[]
  source: 'engine' | 'template'
}

/**
 * What people ask AI assistants around a seed, in its language: by intent, stage of the funnel and form, each once. All
 * engines are asked, grounded; one of them sorts what they said. Without it their lists are read line by line and sorted
 * by their words. `entities` are counted in the answers, `gaps` is what they leave open, `coverage` says which pairs of
 * intent and stage have a prompt.
 *
 * `language`, by code or name, wins over that of the seed; where neither tells, it is the account's.
 *
 * Throws: Problem('no_engine'), Problem('upstream_failed', {reason}), Problem('spend_limit').
 */
export async function researchPrompts(
  { user, run, prompt: seed, language: given, locale }: Payload<'ai.prompts'>,
  tools: Tools,
  means: Means = ownMeans(),
) {
  const language = (given && languageOf(given)) || detectLanguage(seed) || locale
  const analysis = await begin({ user, run }, tools, means)
  const topic = [...(tidy([seed], 1)[0] ?? seed)].slice(0, TOPIC).join('')
  const question = { prompt: ideaTemplate(topic, language), language, country: countryOf(language) }
  const { answers, engines } = await askAll(analysis, [question])
  const told = answers.filter(({ ended }) => ended !== 'refused')
  const read =
    told.length === 0
      ? null
      : await extract(
          analysis,
          'ideas',
          {
            schema: Ideas,
            instructions:
              `The data are answers about what people ask AI assistants about a topic. ` +
              `List the prompts in them, in ${nameOf(language)}, each with its intent, stage of the funnel and form; ` +
              `the entities (brands, products, people, places, concepts) that they turn on, spelled as there; ` +
              `and gaps: what people would want to know, and the answers leave open.`,
            data: JSON.stringify({ topic, answers: told.map(({ text }) => text) }),
          },
          READING,
        )
  const ideas = merged(told, read?.value.prompts ?? [], seedTemplates(topic, language))
  const texts = told.map(({ text }) => text)
  const cells = new Set(ideas.map(({ intent, funnel_stage }) => `${intent} ${funnel_stage}`))
  const all = intents.flatMap((intent) => stages.map((funnel_stage) => ({ intent, funnel_stage })))
  return {
    language,
    result: {
      topic,
      language,
      prompts: ideas,
      entities: entitiesIn(texts, read?.value.entities ?? []),
      gaps: tidy(
        (read?.value.gaps ?? []).map((gap) => gap.slice(0, LENGTH)),
        GAPS,
      ),
      coverage: {
        cells_total: all.length,
        cells_filled: cells.size,
        missing: all.filter(({ intent, funnel_stage }) => !cells.has(`${intent} ${funnel_stage}`)),
      },
      sources: sourcesOf(answers, []),
      queries: tidy(
        told.flatMap(({ queries }) => queries),
        PROMPTS,
      ),
      engines,
      sorted_by: read?.engine ?? null,
    },
  }
}

/**
 * The prompts that were sorted and those that only stand in an answer, without repetitions; templates when there are
 * none. Those that most engines say come first.
 */
function merged(
  answers: readonly KeptAnswer[],
  sorted: readonly Omit<Idea, 'engines' | 'source'>[],
  templates: readonly string[],
): Idea[] {
  const lines = answers.map(({ engine, text }) => ({ engine, prompts: promptsIn(text) }))
  const sayers = (text: string) =>
    lines
      .filter(({ prompts }) => prompts.some((line) => keyOf(line) === keyOf(text)))
      .map(({ engine }) => engine)
  const clean = new Map(sorted.map((idea) => [tidy([idea.text], 1)[0] ?? '', idea]))
  const known = [...clean].filter(([text]) => text !== '').map(([text, idea]) => ({ ...idea, text }))
  const unsorted = lines.flatMap(({ prompts }) => prompts).map((text) => ({ text, ...classify(text) }))
  const found = distinct([...known, ...unsorted])
  const source = found.length > 0 ? ('engine' as const) : ('template' as const)
  const ideas = found.length > 0 ? found : templates.map((text) => ({ text, ...classify(text) }))
  return ideas
    .map(({ text, intent, funnel_stage, type }) => ({
      text,
      intent,
      funnel_stage,
      type,
      engines: [...new Set(sayers(text))],
      source,
    }))
    .toSorted((a, b) => b.engines.length - a.engines.length)
    .slice(0, PROMPTS)
}

/** Entities by the number of answers that name them; what none names is left out. */
function entitiesIn(texts: readonly string[], named: readonly string[]) {
  const folded = texts.map(fold)
  return tidy(
    named.filter((name) => name.length <= LENGTH),
    Infinity,
  )
    .map((name) => {
      const brand = brandOf(name)
      return { name, answers: folded.filter((text) => mentionsIn(text, [brand]).length > 0).length }
    })
    .filter(({ answers }) => answers > 0)
    .toSorted((a, b) => b.answers - a.answers)
    .slice(0, ENTITIES)
}
