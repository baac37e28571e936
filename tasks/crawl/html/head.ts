import type { Alternate, Facts, Reference } from '../facts.ts'
import { normalise } from '../url.ts'
import type { Attributes } from './attributes.ts'
import { Dates } from './dates.ts'
import { line } from './text.ts'

/** Code points kept of a text. */
const TEXT = 2000
/** References of one kind kept of one page. */
const REFERENCES = 500

type HeadFacts = Pick<
  Facts,
  | 'title'
  | 'titles'
  | 'metaDescription'
  | 'metaDescriptions'
  | 'robots'
  | 'viewport'
  | 'charset'
  | 'refresh'
  | 'canonicals'
  | 'alternates'
  | 'next'
  | 'prev'
  | 'strayTags'
  | 'strayAlternates'
  | 'openGraph'
  | 'twitterCard'
  | 'contentPolicy'
  | 'hasReferrerPolicy'
  | 'dates'
>

/** What a page says about itself in titles, metas, links and base, and whether it says so in the head. */
export class Head {
  #title: string | null = null
  #titles = 0
  #descriptions: (string | null)[] = []
  #robots: string[] = []
  #viewport: string | null = null
  #charset: string | null = null
  #refresh: string | null = null
  #canonicals: string[] = []
  #alternates: { lang: string; href: string }[] = []
  #next: string | null = null
  #prev: string | null = null
  #strayTags = 0
  #strayAlternates = 0
  #openGraph: Record<string, string> = {}
  #twitterCard: string | null = null
  #contentPolicy: string | null = null
  #hasReferrerPolicy = false
  readonly dates = new Dates()
  #base: string | null = null

  addTitle(text: string, inBody: boolean) {
    this.#titles++
    if (!inBody) this.#title ??= line(text, TEXT)
  }

  addBase(attributes: Attributes) {
    this.#base ??= attributes.get('href')
  }

  addMeta(attributes: Attributes, inBody: boolean) {
    this.#charset ??= attributes.get('charset')
    const content = attributes.get('content') ?? ''
    const equivalent = attributes.word('http-equiv')
    if (equivalent) this.#addEquivalent(equivalent, content)
    const name = attributes.word('name')
    const property = attributes.word('property') || name
    if (property.startsWith('og:')) {
      const value = line(content, TEXT)
      if (value) this.#openGraph[property.slice(3)] ??= value
    } else if (property === 'twitter:card') {
      this.#twitterCard ??= line(content, TEXT)
    } else if (name === 'robots' || name === 'googlebot') {
      // Search engines obey it wherever it stands.
      this.#robots.push(...directives(content))
      if (inBody) this.#strayTags++
    } else if (name === 'description') {
      if (inBody) this.#strayTags++
      else this.#descriptions.push(line(content, TEXT))
    } else if (name === 'viewport') {
      this.#viewport ??= line(content, TEXT)
    } else if (name === 'referrer') {
      this.#hasReferrerPolicy ||= content.trim() !== ''
    }
    if (property.startsWith('article:') || property === 'og:updated_time')
      this.dates.addMeta(property, content)
  }

  addLink(attributes: Attributes, inBody: boolean) {
    const rel = attributes.words('rel')
    const href = attributes.get('href')
    if (href === null) return
    if (rel.includes('canonical')) {
      if (inBody) this.#strayTags++
      else if (this.#canonicals.length < REFERENCES) this.#canonicals.push(href)
    }
    if (rel.includes('next')) this.#next ??= href
    if (rel.includes('prev')) this.#prev ??= href
    const lang = rel.includes('alternate') ? attributes.get('hreflang') : null
    if (lang === null) return
    if (inBody) this.#strayAlternates++
    else if (this.#alternates.length < REFERENCES) this.#alternates.push({ lang, href })
  }

  /** What relative addresses resolve against. */
  baseOf(url: URL): URL {
    return (this.#base !== null && normalise(this.#base, url)) || url
  }

  facts(base: URL): HeadFacts {
    return {
      title: this.#title,
      titles: this.#titles,
      metaDescription: this.#descriptions.find((text) => text !== null) ?? null,
      metaDescriptions: this.#descriptions.length,
      robots: this.#robots,
      viewport: this.#viewport,
      charset: this.#charset,
      refresh: this.#refresh === null ? null : refresh(this.#refresh, base),
      canonicals: this.#canonicals.map((href) => reference(href, base)),
      alternates: this.#alternates.map(({ lang, href }): Alternate => ({ lang, ...reference(href, base) })),
      next: this.#next === null ? null : reference(this.#next, base).url,
      prev: this.#prev === null ? null : reference(this.#prev, base).url,
      strayTags: this.#strayTags + this.#strayAlternates,
      strayAlternates: this.#strayAlternates,
      openGraph: this.#openGraph,
      twitterCard: this.#twitterCard,
      contentPolicy: this.#contentPolicy,
      hasReferrerPolicy: this.#hasReferrerPolicy,
      ...this.dates.facts(),
    }
  }

  #addEquivalent(name: string, content: string) {
    if (name === 'refresh') this.#refresh ??= content
    else if (name === 'content-security-policy') this.#contentPolicy ??= content
    else if (name === 'content-type')
      this.#charset ??= /charset\s*=\s*["']?([\w:.-]+)/i.exec(content)?.[1] ?? null
  }
}

export const directives = (content: string) =>
  content
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim())
    .filter((directive) => directive !== '')

/** An address as the page wrote it, short enough to keep, and what it means. */
export function reference(href: string, base: URL): Reference {
  const written = href.trim().slice(0, TEXT).toWellFormed()
  return { href: written, url: normalise(href, base)?.href ?? null }
}

/** `5; url=/next` as browsers read it. */
function refresh(content: string, base: URL) {
  const [, delay = '', rest = ''] = /^\s*(\d*)[\d.]*\s*[;,]?\s*(.*)$/s.exec(content) ?? []
  if (delay === '' && !content.trim().startsWith('.')) return null
  const target = /^url\s*=\s*(.*)$/is.exec(rest)?.[1] ?? rest
  const quoted = /^(["'])(.*?)(?:\1|$)/s.exec(target)?.[2] ?? target
  return { delay: Number(delay || 0), url: quoted.trim() ? (normalise(quoted, base)?.href ?? null) : null }
}
