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
  /** The address has a fragment. */
  fragment: boolean
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
  /** Robots, description, canonical and hreflang tags that ended up in the body. */
  strayTags: number
  strayAlternates: number
  /** Open Graph properties that have a value, without `og:`. */
  openGraph: Record<string, string>
  twitterCard: string | null
  contentPolicy: boolean
  headings: Heading[]
  links: Link[]
  /** `a` without an address that a crawler could follow. */
  uncrawlable: number
  /** Addresses in `a` and `area` that do not parse, have a mistyped scheme or a backslash. */
  malformed: number
  images: ImageFacts
  forms: { count: number; insecure: number }
  /** Subresources asked for over http. */
  insecure: { active: number; passive: number }
  picturesWithoutImage: number
  plugins: number
  frames: number
  deprecated: number
  duplicateIds: number
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
}

export type ImageFacts = {
  count: number
  /** No `alt` attribute at all; `alt=""` marks decoration. */
  noAlt: number
  longAlt: number
  genericAlt: number
  noSize: number
}

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
}

export type SchemaFacts = {
  /** Distinct types of JSON-LD, microdata and RDFa. */
  types: string[]
  invalid: number
  untyped: number
}
