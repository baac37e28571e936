import { Problem } from '../../problem.ts'
import type { KeptAnswer } from '../../sql/ai-answers.ts'
import type { Payload } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import { begin, type Means, ownMeans } from './asking/analysis.ts'
import { askAll } from './asking/answers.ts'
import { tidy } from './asking/prompt-set.ts'
import { keywordTemplates } from './asking/templates.ts'
import { countryOf, detectLanguage } from './languages.ts'
import { compare } from './pages/comparison.ts'
import { type Look, lookAt } from './pages/look.ts'
import { stepsFor } from './pages/steps.ts'
import { type Brand, brandOf, liesOn } from './reading/brands.ts'
import { linksOf, pageKey, sourcesOf } from './reading/sources.ts'
import { standingsIn } from './reading/standing.ts'
import { mean, percent } from './reading/statistics.ts'

/** Name of the formula in results; another formula gets another name. */
const FORMULA = 'citation-1'
const PRESENCE = { page: 0.7, host: 0.42, retrieved: 0.14, absent: 0 }
const RANK = 0.3

/** How near an answer comes to a page: cites it, cites another of its host, has only looked at its host. */
type Presence = keyof typeof PRESENCE

/**
 * Whether engines cite a page, or its host, for a keyword; where, and in which words; what the pages that they cite have
 * and it lacks; and what to do, in the account's language.
 *
 * `citation-1`, 0 to 100: the mean over all answers of 70 for the page, 42 for another page of its host, or 14 for one
 * that was looked at and not cited, and of 30 / rank, its first place among all pages that the answer cites. A refusal is
 * an answer that cites nobody. Engines that hide addresses behind redirects of their own can only be seen to cite the host.
 *
 * Throws: Problem('invalid') for an address that is none; Problem('no_engine'), Problem('upstream_failed', {reason}),
 * Problem('spend_limit').
 */
export async function testEngines(
  { user, run, keyword, url, locale }: Payload<'ai.engine'>,
  tools: Tools,
  means: Means = ownMeans(),
  look: Look = lookAt,
) {
  const page = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(url) ? url : `https://${url}`)
  if (!page || !/^https?:$/.test(page.protocol)) throw new Problem('invalid', { field: 'url' })
  const analysis = await begin({ user, run }, tools, means)
  const language = detectLanguage(keyword) ?? locale
  const prompts = tidy(keywordTemplates(keyword, language), Infinity)
  const asked = prompts.map((prompt) => ({ prompt, language, country: countryOf(language) }))
  const { answers, engines } = await askAll(analysis, asked)

  const own = brandOf(page.hostname.replace(/^www\./, ''), page.hostname.replace(/^www\./, ''))
  const tests = answers.map((answer) => testOf(answer, page, own))
  const cited = tests.filter(({ rank }) => rank !== null)
  const sources = sourcesOf(answers, own.hosts)
  const comparison = await compare({ page, keyword, answers, sources }, look, analysis.until(0.98))
  tools.signal.throwIfAborted()
  const ranks = mean(cited.map(({ rank }) => rank).filter((rank) => rank !== null))
  const found = {
    cited: cited.some(({ presence }) => presence === 'page'),
    host_cited: cited.length > 0,
    retrieved: tests.some(({ presence }) => presence !== 'absent'),
    best_rank: cited.length > 0 ? Math.min(...cited.map(({ rank }) => rank ?? Infinity)) : null,
    avg_rank: ranks === null ? null : Math.round(ranks * 100) / 100,
  }
  return {
    score: Math.round(
      mean(
        tests.map(({ presence, rank }) => 100 * (PRESENCE[presence] + (rank === null ? 0 : RANK / rank))),
      ) ?? 0,
    ),
    result: {
      formula: FORMULA,
      language,
      host: own.hosts[0] ?? null,
      ...found,
      citation_rate: percent(cited.length, tests.length),
      engines: engines.map((report) => {
        const mine = tests.filter(({ engine }) => engine === report.engine)
        const ranked = mine.map(({ rank }) => rank).filter((rank) => rank !== null)
        return {
          ...report,
          cited: mine.filter(({ presence }) => presence === 'page').length,
          host_cited: ranked.length,
          best_rank: ranked.length > 0 ? Math.min(...ranked) : null,
        }
      }),
      prompts: prompts.map((prompt) => ({
        prompt,
        answers: tests.filter((test) => test.prompt === prompt),
      })),
      passages: tests.flatMap(({ engine, prompt, passages }) =>
        passages.map((passage) => ({ engine, prompt, ...passage })),
      ),
      sources,
      ...comparison,
      steps: stepsFor({ keyword, page, found, comparison, sources, locale, other: otherPage(tests, page) }),
    },
  }
}

type Test = ReturnType<typeof testOf>

function testOf(answer: KeptAnswer, page: URL, own: Brand) {
  const { engine, model, prompt, ended } = answer
  const links = ended === 'refused' ? [] : linksOf(answer)
  const isOwn = ({ host }: { host: string }) => liesOn(host, own.hosts)
  const at = links.findIndex(isOwn)
  const presence: Presence = links.some((link) => isOwn(link) && pageKey(link.url) === pageKey(page.href))
    ? 'page'
    : at >= 0
      ? 'host'
      : answer.retrieved.some(isOwn)
        ? 'retrieved'
        : 'absent'
  return {
    prompt,
    engine,
    model,
    ended,
    presence,
    /** Of the host's first page among the pages that the answer cites. */
    rank: at >= 0 ? at + 1 : null,
    cited_pages: links.length,
    mentioned: standingsIn(answer, [own])[0]?.named ?? false,
    links: links.filter(isOwn).map(({ url }) => url),
    passages: answer.citations
      .filter((citation) => ended !== 'refused' && isOwn(citation) && citation.passage)
      .map(({ url, passage }) => ({ url, passage })),
    queries: answer.queries,
  }
}

/** The page of the same host that answers cite instead. */
function otherPage(tests: readonly Test[], page: URL): string | null {
  const others = tests.flatMap(({ links }) => links).filter((url) => pageKey(url) !== pageKey(page.href))
  const counts = [...Map.groupBy(others, pageKey).values()].toSorted((a, b) => b.length - a.length)
  return counts[0]?.[0] ?? null
}
