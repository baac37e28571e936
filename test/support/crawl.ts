import { z } from 'zod'

import * as crawls from '../../sql/crawls.ts'
import * as frontier from '../../sql/frontier.ts'
import * as pages from '../../sql/pages.ts'
import { db, sql } from '../../sql/pool.ts'
import type { Site, SitePage } from '../../tasks/crawl/checks/check.ts'
import { anchorKey, fragmentOf } from '../../tasks/crawl/fragments.ts'
import { pageScore } from '../../tasks/crawl/score.ts'
import { Shingles } from '../../tasks/crawl/simhash.ts'
import { urlKey } from '../../tasks/crawl/url.ts'

const ORIGIN = 'https://example.test'

export const address = (path: string) => (path.startsWith('http') ? path : ORIGIN + path)
const keyOf = (path: string | undefined) => (path === undefined ? null : urlKey(address(path)))

/** Makes a scan of a site at https://example.test. */
export async function storeScan(userId: number, start = '/'): Promise<number> {
  return await db().oneFirst(sql.type(z.object({ id: z.int() }))`
    insert into scans (user_id, start_url, host, max_pages, max_depth, speed, include_subdomains, respect_robots,
                       use_sitemap, exclude_paths)
    values (${userId}, ${address(start)}, 'example.test', 100, 10, 'fast', false, false, false, '') returning id`)
}

/** Stores an example site as a crawl of this user, as a slice would have left it; of a scan that is there, or a new one. */
export async function storeSite(userId: number, site: Site, scanId?: number): Promise<number> {
  const [start = '/'] = Object.keys(site.pages)
  const { id } = (await crawls.begin(scanId ?? (await storeScan(userId, start))))!
  await db().query(
    sql.typeAlias('void')`
      update crawls set robots_status = ${site.robots ?? null}, sitemap_whole = ${!site.sitemapCut},
                        sitemap_urls = ${Object.values(site.pages).filter(({ inSitemap }) => inSitemap).length}
       where id = ${id}`,
  )
  await frontier.seed(id, Object.entries(site.pages).map(seedOf))
  await pages.insert(id, Object.entries(site.pages).map(record))
  return id
}

/** The issues and score of every page, by its path. */
export async function readSite(crawlId: number) {
  const rows = await db().any(
    sql.type(
      z.object({ url: z.string(), issues: z.array(z.string()), score: z.int().nullable() }),
    )`select url, issues, score from pages where crawl_id = ${crawlId} order by id`,
  )
  return new Map(rows.map(({ url, issues, score }) => [url.replace(ORIGIN, ''), { issues, score }]))
}

const alternatesOf = (alternates: Record<string, string> = {}) =>
  Object.entries(alternates).map(([lang, to]) => ({ lang: lang.toLowerCase(), key: urlKey(address(to)) }))

function seedOf([path, { inSitemap = false, listed }]: [string, SitePage]): frontier.Seed {
  const { lastmod, alternates } = listed ?? {}
  return {
    key: urlKey(address(path)),
    url: address(path),
    depth: 0,
    inSitemap,
    lastmod: lastmod === undefined ? null : new Date(lastmod),
    alternates: alternatesOf(alternates),
  }
}

function likenessOf(text: string) {
  const shingles = new Shingles()
  for (const word of text.split(/\s+/)) shingles.add(anchorKey(word))
  return shingles.likeness()
}

function record([path, page]: [string, SitePage]): pages.NewPage {
  const {
    redirect,
    canonical,
    links = [],
    nofollow = [],
    noindex = false,
    blocked = false,
    html = true,
  } = page
  const status = page.status ?? (redirect === undefined ? 200 : 301)
  const ok = status >= 200 && status < 300
  const issues = blocked ? ['robots_blocked'] : []
  const likeness = likenessOf(page.words ?? '')
  const ids = page.ids?.map(anchorKey).toSorted((a, b) => a - b) ?? []
  const fragments = links.flatMap((to) => {
    const fragment = fragmentOf(to)
    return fragment === null || (to.startsWith('#') && page.ids?.includes(fragment))
      ? []
      : [{ key: urlKey(address(to.split('#', 1)[0] || path)), fragment: anchorKey(fragment) }]
  })
  const elsewhere = canonical !== undefined && canonical !== path
  return {
    urlKey: urlKey(address(path)),
    url: address(path),
    depth: 0,
    inSitemap: page.inSitemap ?? false,
    statusCode: status,
    fault: status === 0 ? 'connection' : null,
    contentType: html ? 'text/html' : 'application/pdf',
    isHtml: html,
    rendered: false,
    score: pageScore({ visit: { status } as never, isHtml: html, isBlocked: false }, issues),
    title: page.title ?? null,
    metaDescription: page.description ?? null,
    h1: page.h1 ?? null,
    canonical: canonical === undefined ? null : address(canonical),
    canonicalKey: keyOf(canonical),
    redirectUrl: redirect === undefined ? null : address(redirect),
    redirectKey: keyOf(redirect),
    lang: page.lang ?? null,
    isIndexable: ok && html && !noindex && !blocked && !elsewhere,
    isNoindex: noindex,
    wordsCount: 0,
    imagesNoAlt: 0,
    internalLinks: links.length + nofollow.length,
    externalLinks: 0,
    schemaTypes: null,
    contentKey: page.text ?? (page.words === undefined ? null : urlKey(page.words)),
    mainWords: page.words?.split(/\s+/).length ?? 0,
    simhash: likeness?.simhash ?? null,
    sample: likeness?.sample ?? null,
    signature: likeness?.signature ?? null,
    anchors: ok && html ? ids : null,
    alternates: alternatesOf(page.alternates),
    nextKey: keyOf(page.next),
    prevKey: keyOf(page.prev),
    modifiedAt: page.modified === undefined ? null : new Date(page.modified),
    fragments,
    bytes: 0,
    ttfbMs: null,
    totalMs: null,
    issues,
    links: [
      ...links
        .filter((to) => !to.startsWith('#'))
        .map((to) => ({ key: urlKey(address(to.split('#', 1)[0]!)), nofollow: false, text: `To ${to}` })),
      ...nofollow.map((to) => ({ key: urlKey(address(to)), nofollow: true, text: '"Quoted" \\ text' })),
    ],
  }
}
