import { countryOf, stateOf } from '../../sql/catalogue.ts'
import { beginIdeas, breakOffIdeas, findIdeas, keepIdeas } from '../../sql/keyword-ideas.ts'
import { loadCatalogue } from '../catalogue/load.ts'
import type { Payload } from '../jobs.ts'
import { Later, type Tools } from '../outcome.ts'
import { orProblem, source } from '../upstream/source.ts'
import { opportunityOf } from './opportunity.ts'
import { isQuestion } from './questions.ts'

/** Ideas of one answer, related and questions together, and how many questions it has at most when there are others. */
const IDEAS = 100
const QUESTIONS = 50
/** Who has not come back after this long is not waited for. */
const SEEK_SECONDS = 60
const BUSY_SECONDS = 1
/** A country's code is 2000 and its ISO 3166-1 number. */
const COUNTRY_THOUSAND = 2

/** Finds ideas around a seed and keeps them for all users. Who asks for the same meanwhile waits for what is found. */
export async function researchKeyword({ user, ...seed }: Payload<'keywords.research'>, tools: Tools) {
  const known = await findIdeas(seed)
  if (known) return { ...known, is_paid: false }
  const country = await countryAround(seed.location, tools)
  if (!(await beginIdeas(seed, SEEK_SECONDS))) throw new Later(BUSY_SECONDS)
  try {
    const market = { locationCode: country, languageCode: seed.language }
    const caller = { userId: user, signal: tools.signal, workerId: tools.workerId }
    const { seed: own, ideas } = await orProblem(source('ideas')(seed.keyword, market, caller))
    const found = { seed: withOpportunity(own), ...divided(ideas.map(withOpportunity), seed.language) }
    return { ...(await keepIdeas(seed, found)), is_paid: true }
  } catch (error) {
    await breakOffIdeas(seed)
    throw error
  }
}

/** Sources of ideas know countries alone; which one a city lies in is in the catalogue. */
async function countryAround(location: number, tools: Tools): Promise<number> {
  const isCountry = Math.floor(location / 1000) === COUNTRY_THOUSAND
  if (!isCountry && (await stateOf('locations')) === 'absent')
    await loadCatalogue({ name: 'locations' }, tools)
  return await countryOf(location)
}

function divided<R extends Rated>(rated: R[], language: string) {
  const asked = rated.filter((idea) => isQuestion(idea.keyword, language)).toSorted(byVolume)
  const others = rated.filter((idea) => !isQuestion(idea.keyword, language)).toSorted(byVolume)
  const questions = asked.slice(0, Math.max(QUESTIONS, IDEAS - others.length))
  const related = others.slice(0, IDEAS - questions.length).toSorted(byOpportunity)
  return { related, questions }
}

type Rated = { keyword: string; search_volume: number | null; opportunity: number | null }

const withOpportunity = <M extends { search_volume: number | null; difficulty: number | null }>(
  metric: M,
) => ({
  ...metric,
  opportunity: opportunityOf(metric),
})

/** Unknown comes last; equals stand by their words. */
const byVolume = (a: Rated, b: Rated) =>
  (b.search_volume ?? -1) - (a.search_volume ?? -1) || a.keyword.localeCompare(b.keyword)
const byOpportunity = (a: Rated, b: Rated) => (b.opportunity ?? -1) - (a.opportunity ?? -1) || byVolume(a, b)
