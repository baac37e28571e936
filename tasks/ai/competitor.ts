import { Problem } from '../../problem.ts'
import type { Payload } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import { advise, type Findings } from './advice.ts'
import { begin, type Means, ownMeans } from './asking/analysis.ts'
import { askAll } from './asking/answers.ts'
import { tidy } from './asking/prompt-set.ts'
import { propose } from './asking/proposals.ts'
import { comparisonTemplates } from './asking/templates.ts'
import { countryOf, languageOf } from './languages.ts'
import { type Brand, brandOf } from './reading/brands.ts'
import { headToHead, winRate } from './reading/duels.ts'
import { sourcesOf } from './reading/sources.ts'
import { FORMULA, isCited, type Read, readAll, sharesOfVoice, tally } from './reading/tally.ts'

const PROMPTS = 10
/** Prompts and hosts told of one subject. */
const TOLD = 20

/**
 * Brands against each other over one set of prompts that favours none of them: shares, mentions, citations, who comes
 * first, pair by pair; where the brand is missing; and what to do, in `language`.
 *
 * As a matrix each participant is the subject in turn. The prompts are the same for all, so each is asked once, and its
 * answers are read once for each subject: asking again would measure the engines' moods, not the brands.
 *
 * Throws: Problem('invalid') when no competitor is left besides the brand; Problem('no_engine'),
 * Problem('upstream_failed', {reason}), Problem('spend_limit').
 */
export async function compareBrands(
  { user, run, brand, competitors, language: given, matrix, locale }: Payload<'ai.competitor'>,
  tools: Tools,
  means: Means = ownMeans(),
) {
  const brands = distinctBrands([brand, ...competitors])
  if (brands.length < 2) throw new Problem('invalid', { field: 'competitors' })
  const analysis = await begin({ user, run }, tools, means)
  const language = languageOf(given) ?? locale
  const names = brands.map(({ name }) => name)
  const { prompts, by } = await propose(analysis, {
    wanted:
      'They are asked by people who look for what the companies in the data all offer, and have not chosen yet. ' +
      'None of them names any of these companies.',
    about: { companies: names },
    language,
    most: PROMPTS,
    templates: comparisonTemplates(names, language),
    unnamed: brands,
  })
  const { answers, engines } = await askAll(
    analysis,
    prompts.map((prompt) => ({ prompt, language, country: countryOf(language) })),
  )
  const reads = readAll(answers, brands)
  const tallies = brands.map((_, at) => tally(reads, at))
  const shares = sharesOfVoice(tallies.map(({ mentions }) => mentions))
  const summaries = brands.map(({ name, hosts }, at) => {
    const { cited_count: cited, first_count: first, ...counts } = tallies[at]!
    return {
      brand: name,
      host: hosts[0] ?? null,
      cited,
      first,
      share_of_voice: shares[at] ?? null,
      ...counts,
    }
  })
  const subjects = matrix ? brands : brands.slice(0, 1)
  const found = subjects.map((subject, at) => findingsOf(reads, brands, { subject, at, ...summaries[at]! }))
  const advice = await advise(analysis, found, language)
  const reports = found.map((findings, at) => ({ ...findings, recommendations: advice[at] ?? [] }))
  const common = {
    formula: FORMULA,
    language,
    prompts_by: by,
    prompts_total: prompts.length,
    brands: summaries,
    engines,
    prompts: prompts.map((prompt) => promptOf(prompt, reads, names)),
    sources: sourcesOf(answers, brands[0]?.hosts ?? []),
  }
  if (!matrix) {
    const competitors = names.slice(1)
    return { result: { mode: 'single' as const, brand, competitors, ...common, ...reports[0]! } }
  }
  return {
    result: {
      mode: 'matrix' as const,
      ...common,
      matrix: brands.map(({ name: subject }, at) => ({
        subject,
        vs: Object.fromEntries(
          names.flatMap((name, other) => (other === at ? [] : [[name, winRate(reads, at, other)]])),
        ),
      })),
      reports,
      /** Each prompt was asked once, for all subjects. */
      shared_answers: true,
    },
  }
}

/** Participants in order, each once, by name and by domain. */
function distinctBrands(names: readonly string[]): Brand[] {
  const kept: Brand[] = []
  for (const name of tidy(names, Infinity)) {
    const brand = brandOf(name)
    const isSame = (one: Brand) =>
      one.key === brand.key || one.hosts.some((host) => brand.hosts.includes(host))
    if (!kept.some(isSame)) kept.push(brand)
  }
  return kept
}

type Subject = {
  subject: Brand
  at: number
  mentions: number
  citations: number | null
  first: number
}

/** What is to be known of one brand among the others. */
function findingsOf(
  reads: readonly Read[],
  brands: readonly Brand[],
  { subject, at, mentions, citations, first }: Subject,
): Findings {
  const others = brands.map((_, index) => index).filter((index) => index !== at)
  const missing = reads.filter(
    ({ standings }) => !isCited(standings[at]!) && others.some((other) => isCited(standings[other]!)),
  )
  const prompts = [...Map.groupBy(reads, ({ answer }) => answer.prompt)]
  return {
    subject: subject.name,
    mentions,
    citations,
    first,
    head_to_head: others.map((other) => ({
      competitor: brands[other]!.name,
      ...headToHead(reads, at, other),
    })),
    gaps: prompts
      .filter(([, answers]) =>
        answers.every(
          (read) => missing.includes(read) || others.every((other) => !isCited(read.standings[other]!)),
        ),
      )
      .filter(([, answers]) => answers.some((read) => missing.includes(read)))
      .map(([prompt, answers]) => ({
        prompt,
        competitors: others
          .filter((other) => answers.some(({ standings }) => isCited(standings[other]!)))
          .map((other) => brands[other]!.name),
      }))
      .slice(0, TOLD),
    /** Hosts that answers rely on which name others and not the subject. */
    source_gaps: sourcesOf(
      missing.map(({ answer }) => answer),
      subject.hosts,
    )
      .filter(({ own }) => !own)
      .slice(0, TOLD),
  }
}

function promptOf(prompt: string, reads: readonly Read[], names: readonly string[]) {
  const answers = reads.filter(({ answer }) => answer.prompt === prompt)
  return {
    prompt,
    answered: answers.length > 0,
    answers: answers.map(({ answer: { engine, model, ended }, standings }) => ({
      engine,
      model,
      ended,
      brands: standings.flatMap(({ named, linked, position, place, passage }, at) =>
        named || linked ? [{ brand: names[at]!, mentioned: named, linked, position, place, passage }] : [],
      ),
    })),
  }
}
