import type { Payload } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import { begin, type Means, ownMeans } from './asking/analysis.ts'
import { askAll } from './asking/answers.ts'
import { competitorsIn } from './asking/competitors.ts'
import { classify, tidy } from './asking/prompt-set.ts'
import { propose } from './asking/proposals.ts'
import { visibilityTemplates } from './asking/templates.ts'
import { countryOf, detectLanguage } from './languages.ts'
import { brandOf } from './reading/brands.ts'
import { fold } from './reading/fold.ts'
import { mentionsIn } from './reading/mentions.ts'
import { sourcesOf } from './reading/sources.ts'
import { FORMULA, isCited, type Read, readAll, sharesOfVoice, tally } from './reading/tally.ts'

/** Prompts of one run: given ones at most, and those that are made. */
const GIVEN = 20
const MADE = 10
/** Of the time, by which other brands must have been read out of the answers. */
const READING = 0.97

/**
 * How visible a brand is in the answers of AI engines. All configured engines are asked all prompts, given or made.
 * Mentions and citations are counted by matching names and hosts; see `tally` for the counts and the score, which is 0
 * to 100; prompts that got no answer are in prompts_total alone. `result` keeps mention, citation and engine apart, and tells which prompts got no answer.
 *
 * Throws: Problem('no_engine'), Problem('upstream_failed', {reason}), Problem('spend_limit').
 */
export async function measureVisibility(
  { user, run, brand, domain, prompts: given, topic, locale }: Payload<'ai.visibility'>,
  tools: Tools,
  means: Means = ownMeans(),
) {
  const analysis = await begin({ user, run }, tools, means)
  const own = brandOf(brand, domain)
  const asked = tidy(given, GIVEN)
  const { prompts, by } =
    asked.length > 0
      ? { prompts: asked, by: 'user' as const }
      : await propose(analysis, {
          wanted:
            'They are asked by people who may become customers of the brand in the data. ' +
            'At least two thirds do not name it and ask for what it offers; the others name it.',
          about: { brand, domain, topic },
          language: locale,
          most: MADE,
          templates: visibilityTemplates(brand, topic, locale),
        })
  const questions = prompts.map((prompt) => {
    const language = detectLanguage(prompt) ?? locale
    return { prompt, language, country: countryOf(language) }
  })
  const { answers, engines } = await askAll(analysis, questions)
  const others = await competitorsIn(analysis, answers, own, READING)
  const reads = readAll(answers, [own, ...others.brands])
  const isBranded = (prompt: string) => mentionsIn(fold(prompt), [own]).length > 0
  const { score, cited_count, first_count, avg_position, ...rates } = tally(reads, 0)
  const [share, ...shares] = sharesOfVoice([own, ...others.brands].map((_, at) => tally(reads, at).mentions))

  return {
    host: own.hosts[0] ?? null,
    engine: engines
      .filter(({ answered }) => answered > 0)
      .map(({ engine }) => engine)
      .join(', '),
    score,
    prompts_total: prompts.length,
    cited_count,
    first_count,
    avg_position,
    result: {
      formula: FORMULA,
      language: locale,
      prompts_by: by,
      ...rates,
      share_of_voice: share ?? null,
      /** Prompts that name the brand are answered with its name: those that do not are the harder test. */
      unbranded: tally(
        reads.filter(({ answer }) => !isBranded(answer.prompt)),
        0,
      ),
      engines: engines.map((report) => ({ ...report, ...engineCounts(reads, report.engine) })),
      prompts: prompts.map((prompt) => ({
        prompt,
        branded: isBranded(prompt),
        ...classify(prompt),
        ...promptCounts(
          reads.filter(({ answer }) => answer.prompt === prompt),
          others.brands.map(({ name }) => name),
        ),
      })),
      sources: sourcesOf(answers, own.hosts),
      competitors: others.brands
        .map(({ name }, at) => {
          const {
            mentions,
            prompts_answered: answered,
            cited_count: cited,
            first_count: first,
            avg_position: position,
          } = tally(reads, at + 1)
          return {
            brand: name,
            mentions,
            prompts: cited,
            prompts_answered: answered,
            first,
            avg_position: position,
            share_of_voice: shares[at] ?? null,
          }
        })
        .filter(({ mentions }) => mentions > 0)
        .toSorted((a, b) => b.mentions - a.mentions || (a.brand < b.brand ? -1 : 1)),
      competitors_by: others.by,
    },
  }
}

function engineCounts(reads: readonly Read[], engine: string) {
  const { mentions, citations, mention_rate, citation_rate, first_count, avg_position } = tally(
    reads.filter(({ answer }) => answer.engine === engine),
    0,
  )
  return { mentions, citations, mention_rate, citation_rate, first: first_count, avg_position }
}

/** One prompt: what it got, and each engine's answer to it. */
function promptCounts(reads: readonly Read[], others: readonly string[]) {
  const { prompts_answered, cited_count, first_count, avg_position } = tally(reads, 0)
  return {
    answered: prompts_answered > 0,
    cited: cited_count > 0,
    first: first_count > 0,
    position: avg_position,
    answers: reads.map(({ answer: { engine, model, ended }, standings: [own, ...rest] }) => ({
      engine,
      model,
      ended,
      cited: own !== undefined && isCited(own),
      mentioned: own?.named ?? false,
      linked: own?.linked ?? null,
      position: own?.position ?? null,
      place: own?.place ?? null,
      passage: own?.passage ?? null,
      links: own?.links ?? [],
      others: others.filter((_, at) => rest[at]?.named),
    })),
  }
}
