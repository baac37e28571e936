import { decodeHtml } from '../../crawl/charset.ts'
import type { Facts } from '../../crawl/facts.ts'
import type { Visit } from '../../crawl/page.ts'
import { parse } from '../../crawl/parse.ts'
import { scope } from '../../crawl/scope.ts'
import { type Answer as View, viewAnswer } from '../../crawl/view.ts'
import type { Answer } from '../../http.ts'
import { type Entity, readEntities } from './entities.ts'
import { type Language, languageOf } from './language.ts'
import { type Passages, readPassages } from './passages.ts'

/** An HTML page that answered with success, as an agent gets it that runs no scripts. */
export type GeoPage = {
  url: URL
  facts: Facts
  passages: Passages
  entities: Entity[]
  language: Language | null
  /** With the visit that it answered. */
  view: View
}

const HTML = /^(text\/html|application\/xhtml\+xml)$/

/** Whether an answer is a page that can be judged. */
export const isPage = ({ status, contentType }: Pick<Answer, 'status' | 'contentType'>) =>
  status >= 200 && status < 300 && (contentType === null || HTML.test(contentType))

export function pageOf(answer: Answer): GeoPage {
  const { url, status, headers, contentType, body, truncated, ttfbMs, totalMs } = answer
  const { html } = decodeHtml(body, headers['content-type'])
  return readPage({
    url,
    status,
    headers,
    contentType,
    html,
    truncated,
    ttfbMs,
    totalMs,
    bytes: body.length,
    fault: null,
    depth: 0,
    inSitemap: false,
    isStart: true,
    rendered: false,
    robotsAllowed: true,
    isInternal: scope(url.host, false),
  })
}

/** Reads a page once for its facts and once for its passages. */
export function readPage(visit: Visit): GeoPage {
  const html = visit.html ?? ''
  const facts = parse(html, visit.url)
  const passages = readPassages(html)
  return {
    url: visit.url,
    facts,
    passages,
    entities: readEntities(passages.data),
    language: languageOf(facts.lang, passages),
    view: viewAnswer(visit, facts),
  }
}

/** Its main text, a block a line. */
export const textOf = ({ passages }: GeoPage): string => passages.blocks.map(({ text }) => text).join('\n')

/** The page that stands for its host tells of the whole, not of one subject. */
export const isHome = ({ url }: GeoPage) =>
  /^\/((index|home|default)\.\w+)?$/.test(url.pathname) && url.search === ''
