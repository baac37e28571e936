import { stopWords } from '../../crawl/html/stop-words.ts'
import { isQuestion, sourcesIn, statisticsIn } from '../geo/evidence.ts'
import { type GeoPage, textOf } from '../geo/page.ts'
import { fold } from '../reading/fold.ts'

/** Blocks of text in which an answer must come to be at the beginning of a page, and words of one that can be quoted. */
const OPENING = 6
const QUOTABLE = { least: 20, most: 120 }
/** Of the words of a keyword that a text must have to be about it. */
const ABOUT = 2 / 3
const HEADINGS = 3
const STATISTICS = 2

const common = new Set(stopWords.map(fold))

export const wordsOf = (text: string): string[] => fold(text).match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []

/** The words of a text that say something. */
export const contentWords = (text: string): string[] =>
  wordsOf(text).filter((word) => word.length > 2 && !common.has(word))

/** What pages have that engines like to cite, and how much of it; each is a number, 0 for nothing. */
export const features = {
  title: ({ facts }, keyword) => Number(isAbout(facts.title ?? '', keyword)),
  headings_about: ({ facts }, keyword) => facts.headings.filter(({ text }) => isAbout(text, keyword)).length,
  opening_answer: ({ passages }, keyword) =>
    Number(
      passages.blocks
        .filter(({ kind }) => kind === 'paragraph')
        .slice(0, OPENING)
        .some(({ text }) => isQuotable(text) && isAbout(text, keyword)),
    ),
  question_headings: ({ facts }) => facts.headings.filter(({ text }) => isQuestion(text)).length,
  headings: ({ facts }) => atLeast(HEADINGS, facts.headings.filter(({ level }) => level > 1).length),
  lists: ({ passages }) => passages.lists,
  tables: ({ passages }) => passages.tables,
  structured_data: ({ facts }) => facts.schema.types.length,
  dates: ({ facts: { dates } }) => dates.published.length + dates.modified.length + dates.shown.length,
  author: ({ passages, entities }) =>
    passages.authors.length + entities.filter(({ as }) => as === 'author').length,
  statistics: (page) => atLeast(STATISTICS, statisticsIn(textOf(page)).length),
  source_links: ({ passages, url }) => sourcesIn(passages.links, url).length,
} as const satisfies Record<string, (page: GeoPage, keyword: readonly string[]) => number>

export type Feature = keyof typeof features
export const featureNames = Object.keys(features) as Feature[]

const atLeast = (least: number, count: number) => (count < least ? 0 : count)

/** Words agree when they begin alike: plurals and endings are no other words. */
function isAbout(text: string, keyword: readonly string[]): boolean {
  if (keyword.length === 0) return false
  const words = wordsOf(text)
  const stem = (word: string) => word.slice(0, Math.max(4, word.length - 2))
  return (
    keyword.filter((one) => words.some((word) => word.startsWith(stem(one)))).length >= ABOUT * keyword.length
  )
}

function isQuotable(text: string): boolean {
  const { length } = wordsOf(text)
  return length >= QUOTABLE.least && length <= QUOTABLE.most
}
