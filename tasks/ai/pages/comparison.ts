import type { KeptAnswer } from '../../../sql/ai-answers.ts'
import { type GeoPage, textOf } from '../geo/page.ts'
import { fold } from '../reading/fold.ts'
import { linksOf, pageKey, type Source } from '../reading/sources.ts'
import { contentWords, type Feature, featureNames, features, wordsOf } from './features.ts'
import type { Look } from './look.ts'

/** Pages that engines cite, one of each host, which the page is held against. */
const COMPARED = 3
/** A page this much shorter than the others' median is short. */
const SHORT = 0.6
const TERMS = 12
const TERM = { letters: 5, answers: 2 }

export type Comparison = {
  /** The page itself; null when it cannot be had. */
  page: Described | null
  /** Cited pages of others that could be read. */
  compared: Described[]
  /** What at least half of them have, and the page has not. */
  missing: { feature: Feature | 'length'; yours: number; theirs: number[] }[]
  /** Words of the answers that the others' pages have too, and the page has not. */
  missing_terms: string[]
}
type Described = { url: string; title: string | null; words: number; features: Record<Feature, number> }

type Given = { page: URL; keyword: string; answers: readonly KeptAnswer[]; sources: readonly Source[] }

/** Holds a page against those that are cited. What cannot be read, or not in time, is left out. */
export async function compare(
  { page: url, keyword, answers, sources }: Given,
  look: Look,
  signal: AbortSignal,
): Promise<Comparison> {
  const cited = citedPages(answers, sources)
  const [page, ...found] = await Promise.all([
    look(url, { signal, isForeign: false }),
    ...cited.map((other) => look(other, { signal, isForeign: true })),
  ])
  const others = found.filter((other) => other !== null)
  const words = contentWords(keyword)
  const keywords = words.length > 0 ? words : wordsOf(keyword)
  const compared = others.map((other) => describe(other, keywords))
  if (!page) return { page: null, compared, missing: [], missing_terms: [] }
  const own = describe(page, keywords)
  return {
    page: own,
    compared,
    missing: missingOf(own, compared),
    missing_terms: termsOf(page, others, answers),
  }
}

/** The page of each other host that answers cite most; the hosts that they cite most first. */
function citedPages(answers: readonly KeptAnswer[], sources: readonly Source[]): URL[] {
  const links = answers.flatMap(linksOf)
  return sources
    .filter(({ own }) => !own)
    .flatMap(({ host }) => {
      // An engine's redirect has the host of what it leads to, and another address.
      const pages = links.filter(({ url }) => URL.parse(url)?.hostname.replace(/^www\./, '') === host)
      const [most] = [...Map.groupBy(pages, ({ url }) => pageKey(url)).values()].toSorted(
        (a, b) => b.length - a.length,
      )
      return most?.[0] ? [new URL(most[0].url)] : []
    })
    .slice(0, COMPARED)
}

function describe(page: GeoPage, keyword: readonly string[]): Described {
  const counts = Object.fromEntries(featureNames.map((name) => [name, features[name](page, keyword)]))
  const { facts, url } = page
  return {
    url: url.href,
    title: facts.title,
    words: facts.text.mainWords,
    features: counts as Record<Feature, number>,
  }
}

function missingOf(own: Described, compared: readonly Described[]): Comparison['missing'] {
  if (compared.length === 0) return []
  const missing: Comparison['missing'] = featureNames
    .map((feature) => ({
      feature,
      yours: own.features[feature],
      theirs: compared.map((other) => other.features[feature]),
    }))
    .filter(
      ({ yours, theirs }) => yours === 0 && 2 * theirs.filter((count) => count > 0).length >= theirs.length,
    )
  const theirs = compared.map(({ words }) => words)
  const median = theirs.toSorted((a, b) => a - b)[Math.floor(theirs.length / 2)] ?? 0
  if (own.words < SHORT * median) missing.push({ feature: 'length', yours: own.words, theirs })
  return missing
}

function termsOf(page: GeoPage, others: readonly GeoPage[], answers: readonly KeptAnswer[]): string[] {
  const own = new Set(wordsOf(`${textOf(page)} ${page.facts.title ?? ''}`))
  const theirs = new Set(others.flatMap((other) => wordsOf(textOf(other))))
  const counts = new Map<string, number>()
  for (const { text } of answers)
    for (const word of new Set(contentWords(fold(text))))
      if (word.length >= TERM.letters && /^\p{L}+$/u.test(word) && theirs.has(word) && !own.has(word))
        counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count >= Math.min(TERM.answers, answers.length))
    .toSorted(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
    .slice(0, TERMS)
    .map(([word]) => word)
}
