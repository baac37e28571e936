import type { Answer, Citation } from '../answer-engine.ts'

/** No sentence of an answer is longer. */
const MAX_SENTENCE = 600

/** What engines add to the addresses they show. */
const tracking = /([?&])utm_source=(?:chatgpt\.com|openai|perplexity(?:\.ai)?)(&|(?=#)|$)/g
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })
/** Markers of sources: `([title](address))`, `[1]`. */
const markers = /\(?\[[^\]\n]*\]\([^)\s]*\)\)?|\[\d+(?:,\s*\d+)*\]/g

export type Page = { url: string; host: string; title: string | null }

/** A web page by its address; undefined for what is none. */
export function pageAt(address: string, title?: string | null): Page | undefined {
  const url = address.trim().replace(tracking, (_, before: string, after: string) => (after ? before : ''))
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return undefined
  return { url, host: parsed.hostname.replace(/^www\./, ''), title: title?.trim() || null }
}

/** The sentence of an answer that ends at a marker, without markers; null when there is none. */
export function sentenceBefore(text: string, at: number): string | null {
  const before = text
    .slice(Math.max(0, at - MAX_SENTENCE), at)
    .replace(markers, '')
    .replace(/[\s([]+$/, '')
  const last = [...sentences.segment(before)].at(-1)?.segment
  return last?.replace(/^\s*(?:[*#>-]+|\d+\.)\s+/, '').trim() || null
}

/** Each address once, with the first one's words; what is cited has been looked at too. */
export function distinct(cited: Citation[], retrieved: Page[]): Pick<Answer, 'citations' | 'retrieved'> {
  const pages = [...retrieved, ...cited.map(({ url, host, title }) => ({ url, host, title }))]
  const titles = new Map(pages.flatMap(({ url, title }) => (title ? [[url, title] as const] : [])))
  const once = <P extends Page>(all: P[]) =>
    all
      .filter(({ url }, at) => all.findIndex((page) => page.url === url) === at)
      .map((page) => ({ ...page, title: titles.get(page.url) ?? null }))
  return { citations: once(cited), retrieved: once(pages) }
}
