import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'
import { shownCrawl } from './scans.ts'

/** A crawled page as the API shows it. */
export const Page = z.object({
  id: z.int(),
  url: z.string(),
  status_code: z.int(),
  score: z.int().nullable(),
  title: z.string().nullable(),
  meta_description: z.string().nullable(),
  h1: z.string().nullable(),
  canonical: z.string().nullable(),
  is_indexable: z.boolean(),
  is_noindex: z.boolean(),
  words_count: z.int(),
  images_no_alt: z.int(),
  internal_links: z.int(),
  external_links: z.int(),
  schema_types: z.string().nullable(),
  issues: z.array(z.string()),
})
const Total = z.object({ total: z.int() })

export type PageFilter = { status: number | null; onlyIssues: boolean }

/** The pages of a scan, as its last crawl that ended found them. */
export async function list(
  scanId: number,
  filter: PageFilter,
  window: { limit: number; offset: number },
  on: Executor = db(),
) {
  const matching = sql.fragment`
    from pages where crawl_id = ${shownCrawl(scanId)}
     and (${filter.status}::int is null or status_code = ${filter.status}::int)
     and (not ${filter.onlyIssues} or issues <> '{}')`
  const rows = await on.any(sql.type(Page)`
    select id, url, status_code, score, title, meta_description, h1, canonical, is_indexable, is_noindex,
           words_count, images_no_alt, internal_links, external_links, schema_types, issues
      ${matching} order by id limit ${window.limit} offset ${window.offset}`)
  const { total } = await on.one(sql.type(Total)`select count(*) as total ${matching}`)
  return { rows, total }
}

/** What a fetch makes of one page: a row of `pages` and its row of `links`. Keys are int8 as decimal strings. */
export type NewPage = {
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
  issues: readonly string[]
  mainWords: number
  simhash: string | null
  sample: readonly number[] | null
  /** 1024 bits in hex. */
  signature: string | null
  anchors: readonly number[] | null
  alternates: readonly { key: string; lang: string }[]
  nextKey: string | null
  prevKey: string | null
  modifiedAt: Date | null
  /** Distinct targets inside the site, with the text of the first link to each. */
  links: readonly { key: string; nofollow: boolean; text: string }[]
  /** Links to a fragment of a page of the site: its key, and the hash of the fragment. */
  fragments: readonly { key: string; fragment: number }[]
}

/** An array literal, because unnest takes no arrays of arrays. Codes, keys, numbers and booleans need no quoting. */
const literal = (values: readonly (string | number | boolean)[]) => `{${values.join(',')}}`
const orNull = (values: readonly (string | number)[]) => (values.length === 0 ? null : literal(values))
const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`

// oxfmt-ignore
const columnTypes = [
  'int8', 'text', 'int2', 'bool', 'int2', 'text', 'text', 'bool', 'bool', 'int2', 'text',
  'text', 'text', 'text', 'int8', 'text', 'int8', 'text', 'bool', 'bool',
  'int4', 'int4', 'int4', 'int4', 'text', 'int8', 'int4', 'int4',
  'int4', 'text', 'int4', 'int8', 'text', 'text', 'text', 'text', 'text', 'int8', 'int8', 'timestamptz',
  'text', 'text', 'text', 'text', 'text',
]

/** Writes a batch of pages and their links in one statement. A page that is there already is left alone. */
export async function insert(crawlId: number, pages: readonly NewPage[], on: Executor = db()) {
  const rows = pages.map((page) => [
    page.urlKey,
    page.url,
    page.depth,
    page.inSitemap,
    page.statusCode,
    page.fault,
    page.contentType,
    page.isHtml,
    page.rendered,
    page.score,
    page.title,
    page.metaDescription,
    page.h1,
    page.canonical,
    page.canonicalKey,
    page.redirectUrl,
    page.redirectKey,
    page.lang,
    page.isIndexable,
    page.isNoindex,
    page.wordsCount,
    page.imagesNoAlt,
    page.internalLinks,
    page.externalLinks,
    page.schemaTypes,
    page.contentKey,
    page.bytes,
    page.ttfbMs,
    page.totalMs,
    literal(page.issues),
    page.mainWords,
    page.simhash,
    page.sample && literal(page.sample),
    page.signature && `x${page.signature}`,
    page.anchors && literal(page.anchors),
    orNull(page.alternates.map(({ key }) => key)),
    orNull(page.alternates.map(({ lang }) => quoted(lang))),
    page.nextKey,
    page.prevKey,
    page.modifiedAt?.toISOString() ?? null,
    literal(page.links.map(({ key }) => key)),
    literal(page.links.map(({ nofollow }) => nofollow)),
    literal(page.links.map(({ text }) => quoted(text))),
    orNull(page.fragments.map(({ key }) => key)),
    orNull(page.fragments.map(({ fragment }) => fragment)),
  ])
  await on.query(sql.typeAlias('void')`
    with given as (
      select * from ${sql.unnest(rows, columnTypes)} as g (
        url_key, url, depth, in_sitemap, status_code, fault, content_type, is_html, rendered, score, title,
        meta_description, h1, canonical, canonical_key, redirect_url, redirect_key, lang, is_indexable, is_noindex,
        words_count, images_no_alt, internal_links, external_links, schema_types, content_key, bytes, ttfb_ms,
        total_ms, issues, main_words, simhash, sample, signature, anchors, alternate_keys, alternate_langs, next_key, prev_key,
        modified_at, targets, nofollow, texts, fragment_keys, fragments)
    ), stored as (
      insert into pages (
        crawl_id, url_key, url, depth, in_sitemap, status_code, fault, content_type, is_html, rendered, score, title,
        meta_description, h1, canonical, canonical_key, redirect_url, redirect_key, lang, is_indexable, is_noindex,
        words_count, images_no_alt, internal_links, external_links, schema_types, content_key, bytes, ttfb_ms,
        total_ms, issues, main_words, simhash, sample, signature, anchors, alternate_keys, alternate_langs, next_key, prev_key,
        modified_at)
      select ${crawlId}::bigint, url_key, url, depth, in_sitemap, status_code, fault, content_type, is_html, rendered,
             score, title, meta_description, h1, canonical, canonical_key, redirect_url, redirect_key, lang,
             is_indexable, is_noindex, words_count, images_no_alt, internal_links, external_links, schema_types,
             content_key, bytes, ttfb_ms, total_ms, issues::text[], main_words, simhash, sample::int[], signature::bit(1024), anchors::int[],
             alternate_keys::bigint[], alternate_langs::text[], next_key, prev_key, modified_at
        from given
      on conflict (crawl_id, url_key) do nothing
      returning id, url_key
    )
    insert into links (crawl_id, page_id, targets, nofollow, texts, fragment_keys, fragments)
    select ${crawlId}::bigint, stored.id, given.targets::bigint[], given.nofollow::boolean[], given.texts::text[],
           given.fragment_keys::bigint[], given.fragments::int[]
      from stored join given using (url_key) where given.targets <> '{}' or given.fragments is not null`)
}

/** Why nothing answered: the fault of the first page. Null when some page answered. */
export async function silence(crawlId: number, on: Executor = db()) {
  return await on.maybeOne(sql.type(z.object({ url: z.string(), fault: z.string().nullable() }))`
    select url, fault from pages
     where crawl_id = ${crawlId}
       and not exists (select 1 from pages where crawl_id = ${crawlId} and status_code > 0)
     order by id limit 1`)
}

/** Forgets the pages and links of a crawl that is no longer read. */
export async function clear(crawlId: number, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`delete from links where crawl_id = ${crawlId}`)
  await on.query(sql.typeAlias('void')`delete from pages where crawl_id = ${crawlId}`)
}
