import type { Reading } from './html/reading.ts'
import type { Resource } from './html/resources.ts'
import type { Likeness } from './simhash.ts'

/** Where a link was written. Only `a` and `area` count as links of the page; all of them are crawled. */
export type LinkSource = 'a' | 'area' | 'frame' | 'refresh'

export type Link = {
  /** Absolute, WHATWG-normalised, without fragment, http(s) only, at most 2048 characters. */
  url: string
  to: URL
  nofollow: boolean
  /** Its accessible name: text, alternative texts, aria-label or title; whitespace collapsed, cut. */
  text: string
  source: LinkSource
  /** Opens a new window without `noopener` or `noreferrer`. */
  opener: boolean
  /** Hidden from assistive technology: needs no name. */
  hidden: boolean
  /** The place on the page it leads to; null when that is any. */
  fragment: string | null
}

export type Heading = { level: number; text: string }

/** An address as written, and what it resolves to. */
export type Reference = { href: string; url: string | null }

export type Alternate = Reference & { lang: string }

/** What one pass over the HTML of a page found. Texts are decoded, NUL-free, well formed, whitespace collapsed. */
export type Facts = {
  htmlLength: number
  doctype: string | null
  lang: string | null
  /** What relative addresses resolve against: the page's address, or its first `<base href>`. */
  base: string
  /** The first non-empty title in the head. */
  title: string | null
  /** Titles outside SVG, wherever they are. */
  titles: number
  metaDescription: string | null
  metaDescriptions: number
  /** Lower-case directives for all robots and for Googlebot. */
  robots: string[]
  viewport: string | null
  charset: string | null
  refresh: { delay: number; url: string | null } | null
  /** `rel=canonical` in the head. */
  canonicals: Reference[]
  /** `rel=alternate hreflang` in the head. */
  alternates: Alternate[]
  /** `rel=next` and `rel=prev` in the head. */
  next: string | null
  prev: string | null
  /** Robots, description, canonical and hreflang tags that ended up in the body. */
  strayTags: number
  strayAlternates: number
  /** Open Graph properties that have a value, without `og:`. */
  openGraph: Record<string, string>
  twitterCard: string | null
  /** Content of `<meta http-equiv=Content-Security-Policy>`. */
  contentPolicy: string | null
  hasReferrerPolicy: boolean
  headings: Heading[]
  links: Link[]
  /** `a` without an address that a crawler could follow. */
  uncrawlable: number
  /** Addresses in `a` and `area` that do not parse, have a mistyped scheme or a backslash. */
  malformed: number
  images: ImageFacts
  /** Images, scripts, style sheets and icons the page names; the first few hundred. */
  resources: Resource[]
  forms: { count: number; insecure: number }
  /** Form controls without a label, and buttons without a name. */
  controls: { unlabelled: number; unnamedButtons: number }
  hasMain: boolean
  dates: DateFacts
  /** Subresources asked for over http. */
  insecure: { active: number; passive: number }
  picturesWithoutImage: number
  plugins: number
  frames: number
  deprecated: number
  duplicateIds: number
  /** Ids, and names of `a`. */
  anchors: ReadonlySet<string>
  elements: number
  bodyElements: number
  depth: number
  text: TextFacts
  schema: SchemaFacts
  scripts: number
  /** Addresses of scripts, as written; the first few. */
  scriptSources: string[]
  /** Characters of text in the node that client-side frameworks mount into; null when there is none. */
  mountText: number | null
  /** A `<noscript>` asks for JavaScript. */
  asksForScript: boolean
  /** Scripts and style sheets in the head that keep the page from being shown. */
  blocking: number
  /** Scripts and styles in the page, over 2 kB, that are not minified. */
  unminified: number
  /** The page carries the mark of a framework's error page. */
  isErrorShell: boolean
}

export type ImageFacts = {
  count: number
  /** No `alt` attribute at all; `alt=""` marks decoration. */
  noAlt: number
  longAlt: number
  genericAlt: number
  noSize: number
  /** A picture that readers see first is loaded last. */
  lazyFirst: boolean
}

/** Days as epoch milliseconds: what metadata and structured data say, dates shown as the page's own, all `<time datetime>`. */
export type DateFacts = { published: number[]; modified: number[]; shown: number[]; times: number[] }

export type TextFacts = {
  /** Words of the body. */
  words: number
  /** Words outside navigation and footer. */
  mainWords: number
  /** Characters of the body's text, whitespace collapsed. */
  length: number
  /** Hash of the main text in lower case, null when there is none; as signed int64. */
  key: string | null
  damaged: boolean
  placeholder: boolean
  /** Words in elements that their own style attribute hides. */
  hiddenWords: number
  /** How often the main text has its most frequent word, stop words apart; 0 below 5. */
  mostRepeated: number
  /** Of the main text, in English and Italian. */
  reading: Reading | null
  /** What tells texts like the main text; null when it is too short. */
  likeness: Likeness | null
  /** Shares of the words of title and description that the text has too; null with fewer than two words. */
  titleShare: number | null
  descriptionShare: number | null
}

export type SchemaFacts = {
  /** Distinct types of JSON-LD, microdata and RDFa. */
  types: string[]
  invalid: number
  untyped: number
  /** Types of entities that lack what search engines require of them. */
  incomplete: string[]
  /** Entities at the top, when none refers to another; graphs are linked. */
  unlinked: number
}
