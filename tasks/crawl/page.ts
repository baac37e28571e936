import type { FaultKind } from '../fault.ts'
import { alternateKeys } from './alternates.ts'
import { issuesOf } from './checks/index.ts'
import type { Facts } from './facts.ts'
import { anchorKeys } from './fragments.ts'
import { parse } from './parse.ts'
import { pageScore } from './score.ts'
import type { Target } from './survey.ts'
import { type Use, usesOf } from './targets/collect.ts'
import { urlKey } from './url.ts'
import { type Answer, viewAnswer, viewPage } from './view.ts'

/** One answer to one request of a crawl. */
export type Visit = {
  url: URL
  depth: number
  inSitemap: boolean
  /** The start URL, or the page its redirects lead to: host-wide headers are judged there, once. */
  isStart: boolean
  /** 0 when the fetch failed. */
  status: number
  fault: FaultKind | null
  /** Names in lower case. */
  headers: Record<string, string>
  contentType: string | null
  bytes: number
  truncated: boolean
  ttfbMs: number | null
  totalMs: number | null
  /** Decoded; null when the answer is not HTML. */
  html: string | null
  charset?: {
    charset: string
    source: 'bom' | 'header' | 'meta' | 'default'
    headerCharset?: string
    metaCharset?: string
  }
  rendered: boolean
  /** Of a rendered page: what it says without its scripts, and how many requests it made, pictures apart. */
  plain?: Facts
  requests?: number
  /** `Set-Cookie` headers. */
  setCookies?: readonly string[]
  /** The robots.txt of the site. */
  robotsText?: string
  /** Whether robots.txt lets search engines in; true when unknown. */
  robotsAllowed: boolean
  isInternal: (url: URL) => boolean
}

/** A row of `pages` as far as it is known from the answer, with the page's links into the site. */
export type PageRecord = {
  urlKey: string
  url: string
  depth: number
  inSitemap: boolean
  statusCode: number
  fault: string | null
  contentType: string | null
  isHtml: boolean
  rendered: boolean
  score: number | null
  title: string | null
  metaDescription: string | null
  h1: string | null
  canonical: string | null
  canonicalKey: string | null
  redirectUrl: string | null
  redirectKey: string | null
  lang: string | null
  isIndexable: boolean
  isNoindex: boolean
  wordsCount: number
  imagesNoAlt: number
  internalLinks: number
  externalLinks: number
  schemaTypes: string | null
  contentKey: string | null
  bytes: number
  ttfbMs: number | null
  totalMs: number | null
  issues: string[]
  mainWords: number
  simhash: string | null
  sample: number[] | null
  signature: string | null
  anchors: number[] | null
  alternates: { key: string; lang: string }[]
  nextKey: string | null
  prevKey: string | null
  modifiedAt: Date | null
  /** Places on pages of the site that it links to; of its own those that are not there. */
  fragments: { key: string; fragment: number }[]
  /** Distinct pages of the site that it leads to, in document order; `nofollow` when no link to one may be followed. */
  links: Target[]
  /** Addresses outside the site that it links to, and the resources it names. */
  uses: Use[]
}

/** Judges one answer: what is stored of it and where it leads. `facts` spares a second parse. */
export function examine(visit: Visit, facts?: Facts): PageRecord {
  const { url, status } = visit
  const ok = status >= 200 && status < 300
  const read = facts ?? (ok && visit.html !== null ? parse(visit.html, url) : null)
  const answer = viewAnswer(visit, read)
  const page = viewPage(answer)
  const issues = issuesOf(answer, page)
  const { facts: found, links } = page ?? {}
  return {
    urlKey: urlKey(url.href),
    url: url.href,
    depth: visit.depth,
    inSitemap: visit.inSitemap,
    statusCode: status,
    fault: visit.fault,
    contentType: visit.contentType?.toWellFormed().replaceAll('\0', '') ?? null,
    isHtml: answer.isHtml,
    rendered: visit.rendered,
    score: pageScore(answer, issues),
    title: found?.title ?? null,
    metaDescription: found?.metaDescription ?? null,
    h1: page?.h1s[0] ?? null,
    canonical: answer.canonical,
    canonicalKey: keyOf(answer.canonical),
    redirectUrl: answer.redirect,
    redirectKey: keyOf(answer.redirect),
    lang: found?.lang ?? null,
    isIndexable: answer.isIndexable,
    isNoindex: answer.isNoindex,
    wordsCount: found?.text.words ?? 0,
    imagesNoAlt: found?.images.noAlt ?? 0,
    internalLinks: links?.internal ?? 0,
    externalLinks: links?.external ?? 0,
    schemaTypes: found?.schema.types.join(',') || null,
    contentKey: found?.text.key ?? null,
    bytes: visit.bytes,
    ttfbMs: wholeMs(visit.ttfbMs),
    totalMs: wholeMs(visit.totalMs),
    issues,
    mainWords: found?.text.mainWords ?? 0,
    // Only pages that may be indexed are compared.
    simhash: (answer.isIndexable && found?.text.likeness?.simhash) || null,
    sample: (answer.isIndexable && found?.text.likeness?.sample) || null,
    signature: (answer.isIndexable && found?.text.likeness?.signature) || null,
    anchors: found ? anchorKeys(found) : null,
    alternates: page ? alternateKeys(page.alternates) : [],
    nextKey: keyOf(found?.next ?? null),
    prevKey: keyOf(found?.prev ?? null),
    modifiedAt: newest(found?.dates.modified ?? []),
    fragments: links?.fragments ?? [],
    links: links?.targets ?? redirectTarget(answer),
    uses: page ? usesOf(page) : [],
  }
}

const wholeMs = (ms: number | null) => (ms === null ? null : Math.round(ms))
const newest = (dates: readonly number[]) => (dates.length === 0 ? null : new Date(Math.max(...dates)))
const keyOf = (url: string | null) => (url === null ? null : urlKey(url))

/** A redirect leads to one page. */
function redirectTarget({ redirect, visit }: Answer): Target[] {
  if (redirect === null || redirect === visit.url.href) return []
  return [
    {
      url: redirect,
      key: urlKey(redirect),
      nofollow: false,
      internal: visit.isInternal(new URL(redirect)),
      text: '',
    },
  ]
}
