import { sql } from '../../../../sql/pool.ts'
import type { SiteCheck, SitePage } from '../check.ts'
import { startPage } from './relations.ts'

/** Days between what sitemap and page say of the last change. */
const DRIFT = 30
/** So many dates on so few days are no dates of changes. */
const DATES = 20
const DAYS = 2

const inSitemap = true
const changed = (modified: string, lastmod: string): SitePage => ({
  inSitemap,
  modified,
  listed: { lastmod },
})
const dated = (count: number, days: number): Record<string, SitePage> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `/${i}`,
      { inSitemap, listed: { lastmod: `2026-03-0${1 + (i % days)}T10:00:00Z` } },
    ]),
  )

/** What sitemaps list, held against the pages. */
export const sitemapSiteChecks: SiteCheck[] = [
  {
    code: 'sitemap_page_missing',
    severity: 'minor',
    about: 'The page may be indexed, but no sitemap lists it.',
    fix: 'Have the sitemap made from the same list of pages that the site itself shows.',
    finds: (crawlId) => sql.fragment`
      select p.id from pages p join frontier f on f.crawl_id = ${crawlId} and f.url_key = p.url_key
       where p.crawl_id = ${crawlId} and p.is_indexable and not f.in_sitemap
         and exists (select 1 from crawls where id = ${crawlId} and sitemap_whole and sitemap_urls > 0)`,
    examples: {
      bad: [{ pages: { '/': { inSitemap }, '/b': {}, '/c': { inSitemap } }, found: ['/b'] }],
      good: [
        { pages: { '/': {}, '/b': {} } },
        { pages: { '/': { inSitemap }, '/b': {} }, sitemapCut: true },
        {
          pages: {
            '/': { inSitemap },
            '/b': { noindex: true },
            '/c': { canonical: '/' },
            '/d': { status: 404 },
          },
        },
      ],
    },
  },
  {
    code: 'sitemap_lastmod_drift',
    severity: 'minor',
    about: 'The sitemap gives another date of the last change than the page, more than 30 days apart.',
    fix: 'Take both dates from the same record of when the content was changed.',
    finds: (crawlId) => sql.fragment`
      select p.id from pages p join frontier f on f.crawl_id = ${crawlId} and f.url_key = p.url_key
       where p.crawl_id = ${crawlId} and p.status_code between 200 and 299 and f.in_sitemap
         and abs(extract(epoch from f.lastmod - p.modified_at)) > ${DRIFT}::int * 86400`,
    examples: {
      bad: [
        {
          pages: {
            '/': changed('2026-01-01T00:00:00Z', '2026-03-01'),
            '/b': changed('2026-03-01T00:00:00Z', '2026-01-01'),
          },
          found: ['/', '/b'],
        },
      ],
      good: [
        {
          pages: {
            '/': changed('2026-01-01T00:00:00Z', '2026-01-30T12:00:00Z'),
            '/b': { inSitemap, modified: '2020-01-01' },
            '/c': { inSitemap, listed: { lastmod: '2020-01-01' } },
          },
        },
      ],
    },
  },
  {
    code: 'sitemap_lastmod_uniform',
    severity: 'minor',
    about: 'All pages of the sitemap were changed on the same day or two, if its dates are to be believed.',
    fix: 'Write into lastmod when the content of each page changed, not when the sitemap was made.',
    finds: (crawlId) => sql.fragment`
      select id from (${startPage(crawlId)}) start
       where (select count(lastmod) >= ${DATES} and count(distinct (lastmod at time zone 'UTC')::date) <= ${DAYS}
                from frontier where crawl_id = ${crawlId} and in_sitemap)`,
    examples: {
      bad: [{ pages: dated(20, 2), found: ['/0'] }],
      good: [{ pages: dated(19, 1) }, { pages: dated(30, 3) }, { pages: { '/': { inSitemap } } }],
    },
  },
]
