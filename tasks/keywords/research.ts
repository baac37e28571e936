import { countryOf } from '../../sql/catalogue.ts'
import { keepIdeas } from '../../sql/keyword-ideas.ts'
import type { Payload } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import { orProblem, source } from '../upstream/source.ts'
import { opportunityOf } from './opportunity.ts'
import { isQuestion } from './questions.ts'

/** Ideas of one answer, related and questions together, and how many questions it has at most when there are others. */
const IDEAS = 100
const QUESTIONS = 50

/** Finds ideas around a seed and keeps them for all users. */
export async function researchKeyword(
  { user, keyword, location, language }: Payload<'keywords.research'>,
  { signal }: Tools,
) {
  const market = { locationCode: await countryOf(location), languageCode: language }
  const found = await orProblem(source('ideas')(keyword, market, { userId: user, signal }))
  const rated = found.ideas.map(withOpportunity)
  const asked = rated.filter((idea) => isQuestion(idea.keyword, language)).toSorted(byVolume)
  const others = rated.filter((idea) => !isQuestion(idea.keyword, language)).toSorted(byVolume)
  const questions = asked.slice(0, Math.max(QUESTIONS, IDEAS - others.length))
  const related = others.slice(0, IDEAS - questions.length).toSorted(byOpportunity)
  return await keepIdeas(
    { keyword, location, language },
    {
      seed: withOpportunity(found.seed),
      related,
      questions,
    },
  )
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
