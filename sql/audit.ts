import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'

import { Page } from './pages.ts'
import { db, type Executor, sql } from './pool.ts'
import { shownCrawl } from './scans.ts'

/** A page as the list of pages shows it, and what helps to repair it. */
export const AuditedPage = Page.extend({
  depth: z.int().describe('Clicks from the start page; pages of the sitemap have 0.'),
  in_sitemap: z.boolean(),
  fault: z.string().nullable().describe('Why the fetch failed; null when something answered.'),
  redirect_url: z.string().nullable(),
  content_type: z.string().nullable(),
  is_html: z.boolean(),
  lang: z.string().nullable(),
  rendered: z.boolean().describe('Scripts were run before it was judged.'),
  bytes: z.int().describe('Decoded body.'),
  ttfb_ms: z.int().nullable().describe('Milliseconds to the first byte.'),
  total_ms: z.int().nullable().describe('Milliseconds to the last byte.'),
  inlinks: z.int().describe('Other pages of the site that link to it.'),
  linked_from: z.string().nullable().describe('The first of them that was crawled.'),
})

const Total = z.object({ total: z.int() })

/** The pages of a scan that have an issue, as its last crawl that ended found them. */
export async function affected(
  scanId: number,
  code: string,
  window: { limit: number; offset: number },
  on: Executor = db(),
) {
  const having = sql.fragment`crawl_id = ${shownCrawl(scanId)} and issues @> ${sql.array([code], 'text')}`
  const rows = await on.any(
    sql.type(AuditedPage)`${audited(
      scanId,
      sql.fragment`${having} order by id limit ${window.limit} offset ${window.offset}`,
    )}`,
  )
  const { total } = await on.one(sql.type(Total)`select count(*) as total from pages where ${having}`)
  return { rows, total }
}

/** One page of a scan; null when its last crawl that ended has none of that id. */
export async function find(scanId: number, pageId: number, on: Executor = db()) {
  const one = sql.fragment`crawl_id = ${shownCrawl(scanId)} and id = ${pageId}`
  return await on.maybeOne(sql.type(AuditedPage)`${audited(scanId, one)}`)
}

/** Links are unnested once for all pages shown, not looked through page by page. */
const audited = (scanId: number, which: FragmentSqlToken) => sql.fragment`
  with shown as materialized (
    select * from pages where ${which}
  ), edge as (
    select page_id, unnest(targets) as key from links where crawl_id = ${shownCrawl(scanId)}
  ), inlink as (
    select shown.id, count(*) as pages, min(edge.page_id) as first
      from edge join shown on shown.url_key = edge.key and shown.id <> edge.page_id group by shown.id
  )
  select p.id, p.url, p.status_code, p.score, p.title, p.meta_description, p.h1, p.canonical, p.is_indexable,
         p.is_noindex, p.words_count, p.images_no_alt, p.internal_links, p.external_links, p.schema_types, p.issues,
         p.depth, p.in_sitemap, p.fault, p.redirect_url, p.content_type, p.is_html, p.lang, p.rendered, p.bytes,
         p.ttfb_ms, p.total_ms, coalesce(inlink.pages, 0) as inlinks, source.url as linked_from
    from shown p left join inlink using (id)
         left join pages source on source.crawl_id = p.crawl_id and source.id = inlink.first
   order by p.id`
