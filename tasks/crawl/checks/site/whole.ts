import { sql } from '../../../../sql/pool.ts'
import type { SiteCheck, SitePage } from '../check.ts'
import { startPage } from './relations.ts'

const SHARE = 0.8
const PAGES = 10

const robotsTxt = (condition: ReturnType<typeof sql.fragment>) => (crawlId: number) =>
  sql.fragment`
  select id from (${startPage(crawlId)}) start
   where exists (select 1 from crawls where id = ${crawlId} and ${condition})`

const site = (noindex: number, open: number): Record<string, SitePage> =>
  Object.fromEntries(Array.from({ length: noindex + open }, (_, i) => [`/${i}`, { noindex: i < noindex }]))

/** What concerns the site as a whole; found on its start page. */
export const wholeSiteChecks: SiteCheck[] = [
  {
    code: 'noindex_sitewide',
    severity: 'major',
    about: 'At least four in five pages ask search engines not to index them.',
    fix: 'Remove the noindex from templates and server configuration; it often remains from a test environment.',
    finds: (crawlId) => sql.fragment`
      select id from (${startPage(crawlId)}) start
       where (select count(*) >= ${PAGES} and count(*) filter (where is_noindex) >= ${SHARE}::numeric * count(*)
                from pages where crawl_id = ${crawlId} and is_html and status_code between 200 and 299)`,
    examples: {
      bad: [
        { pages: site(8, 2), found: ['/0'] },
        { pages: { '/': { status: 301, redirect: '/0' }, ...site(10, 0) }, found: ['/0'] },
      ],
      good: [
        { pages: site(7, 3) },
        { pages: site(9, 0) },
        { pages: { ...site(9, 0), '/x': { html: false }, '/y': { status: 404 } } },
      ],
    },
  },
  {
    code: 'robots_txt_missing',
    severity: 'minor',
    about: 'The site has no robots.txt.',
    fix: 'Put a robots.txt at the root of the host that names your sitemap.',
    finds: robotsTxt(sql.fragment`robots_status in (404, 410)`),
    examples: {
      bad: [{ pages: { '/': {}, '/b': {} }, robots: 404, found: ['/'] }],
      good: [
        { pages: { '/': {} }, robots: 200 },
        { pages: { '/': {} }, robots: 403 },
      ],
    },
  },
  {
    code: 'robots_txt_unreachable',
    severity: 'major',
    about: 'robots.txt cannot be read: search engines stay away from the whole site until it can.',
    fix: 'Let /robots.txt answer with 200 or 404, quickly and without errors.',
    finds: robotsTxt(sql.fragment`(robots_status = 0 or robots_status >= 500)`),
    examples: {
      bad: [
        { pages: { '/': {} }, robots: 503, found: ['/'] },
        { pages: { '/': {} }, robots: 0, found: ['/'] },
      ],
      good: [{ pages: { '/': {} }, robots: 404 }, { pages: { '/': {} } }],
    },
  },
  {
    code: 'url_trailing_slash_mixed',
    severity: 'minor',
    about: 'The page answers with and without a slash at the end of its address.',
    fix: 'Choose one form, redirect the other to it, and link to the one.',
    finds: (crawlId) => sql.fragment`
      select id from (
        select id, count(*) over (partition by rtrim(url, '/')) as pages
          from pages where crawl_id = ${crawlId} and status_code between 200 and 299 and url not like '%?%'
      ) shared where pages > 1`,
    examples: {
      bad: [{ pages: { '/': {}, '/x': {}, '/x/': {} }, found: ['/x', '/x/'] }],
      good: [
        { pages: { '/': {}, '/x': { status: 301, redirect: '/x/' }, '/x/': {}, '/y': {}, '/y/?a=1': {} } },
      ],
    },
  },
]
