import { type Document, fit, html } from './html.ts'
import type { Answer } from './server.ts'

/** Codes with a crisp rule: for these the fixture site knows exactly which page has which. */
export const crisp = [
  'http_4xx',
  'http_5xx',
  'page_blocked',
  'redirect_internal',
  'redirect_temporary',
  'redirect_chain',
  'redirect_loop',
  'redirect_broken',
  'redirect_meta_refresh',
  'title_missing',
  'title_too_short',
  'title_too_long',
  'title_multiple',
  'title_duplicate',
  'title_same_as_h1',
  'meta_desc_missing',
  'meta_desc_too_short',
  'meta_desc_too_long',
  'meta_desc_multiple',
  'meta_desc_duplicate',
  'h1_missing',
  'h1_multiple',
  'h1_too_long',
  'h1_duplicate',
  'heading_order_skipped',
  'heading_empty',
  'content_thin',
  'noindex',
  'noindex_header',
  'nofollow_page',
  'canonical_missing',
  'canonical_multiple',
  'canonical_relative',
  'canonicalized',
  'canonical_to_error',
  'canonical_to_redirect',
  'canonical_to_noindex',
  'lang_missing',
  'link_internal_broken',
  'link_to_redirect',
  'images_no_alt',
] as const

export type Code = (typeof crisp)[number]

export type Fields = {
  title: string | null
  meta_description: string | null
  h1: string | null
  canonical: string | null
  is_indexable: boolean
  is_noindex: boolean
  words_count: number
  images_no_alt: number
  internal_links: number
  external_links: number
  schema_types: string | null
}

export type Definition = {
  /** An HTML page; without it `answer` is all there is. */
  doc?: Document | ((origin: string, other: string) => Document)
  encode?: (text: string) => Buffer
  answer?: Answer | ((origin: string, other: string) => Answer)
  /** Of the crisp codes, those it must have; it must lack the others. */
  has?: Code[]
  /** Codes on which good crawlers differ for this page: not looked at. */
  unsure?: Code[]
  fields?: Partial<Fields>
  /** Fields on which the specification says nothing for this page. */
  silent?: (keyof Fields)[]
  /** Its hub does not link to it: something else leads there, or nothing at all. */
  unlinked?: true
  /** A crawl lists it: always by default, never, only with `use_sitemap`, or only without `respect_robots`. */
  listed?: 'never' | 'with sitemap' | 'without robots'
}

/** Pages of one topic; the hub at `hub` links to each, but for the unlinked. */
export type Group = {
  hub: string
  hubHas?: Code[]
  pages: Record<string, Definition>
}

/** What a crawl must find at one address. */
export type Truth = {
  url: string
  path: string
  status: number
  isHtml: boolean
  has: readonly Code[]
  unsure: readonly Code[]
  fields: Partial<Fields>
  listed: Definition['listed']
}

export type Route = { answer: Answer; truth: Truth }

/** What the server answers for a definition, and what a crawl must say about it. */
export function route(path: string, definition: Definition, origin: string, other: string): Route {
  const { doc, encode = (text) => Buffer.from(text), has = [], unsure = [], silent = [], listed } = definition
  const document = typeof doc === 'function' ? doc(origin, other) : doc
  const given = typeof definition.answer === 'function' ? definition.answer(origin, other) : definition.answer
  const answer: Answer = document ? { body: encode(html(path, origin, document)), ...given } : { ...given }
  const status = answer.status ?? 200
  const isHtml = document !== undefined && status === 200
  const fields: Partial<Fields> = {
    ...(isHtml ? fieldsOf(path, document, origin) : {}),
    ...definition.fields,
  }
  for (const field of silent) delete fields[field]
  return {
    answer,
    truth: {
      url: new URL(path, origin).href,
      path,
      status,
      isHtml,
      has,
      unsure,
      listed,
      fields,
    },
  }
}

function fieldsOf(path: string, document: Document, origin: string): Partial<Fields> {
  const name = path.replace(/[^a-z0-9]+/gi, ' ').trim() || 'home'
  const {
    title = fit(`Page ${name}`, 40),
    description = fit(`What the page ${name} says`, 110),
    h1 = `Heading of ${name}`,
    canonical = origin + path,
  } = document
  return { title, meta_description: description, h1, canonical, is_indexable: true, is_noindex: false }
}
