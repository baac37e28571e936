import { sql } from '../../../../sql/pool.ts'
import type { SiteCheck } from '../check.ts'

type Condition = ReturnType<typeof sql.fragment>

/**
 * The language versions that pages declare in their head, in `Link` headers and in sitemaps: the `id` and `url_key` of
 * the page, `target_key` and `lang`.
 */
const versions = (crawlId: number) => sql.fragment`
  select id, url_key, unnest(alternate_keys) as target_key, unnest(alternate_langs) as lang
    from pages where crawl_id = ${crawlId} and alternate_keys is not null and status_code between 200 and 299
  union
  select p.id, p.url_key, unnest(f.alternate_keys), unnest(f.alternate_langs)
    from frontier f join pages p on p.crawl_id = ${crawlId} and p.url_key = f.url_key
   where f.crawl_id = ${crawlId} and f.alternate_keys is not null and p.status_code between 200 and 299`

/** Pages one of whose language versions is a crawled page of which `condition` holds (as `target`). */
const leadingTo = (condition: Condition) => (crawlId: number) =>
  sql.fragment`
  with version as materialized (${versions(crawlId)})
  select distinct version.id from version join pages target on target.crawl_id = ${crawlId} and target.url_key = version.target_key
   where version.target_key <> version.url_key and ${condition}`

const pair = {
  '/en': { alternates: { en: '/en', it: '/it' } },
  '/it': { alternates: { en: '/en', it: '/it' } },
}

/** Language versions as the pages of the site declare them of each other. */
export const hreflangSiteChecks: SiteCheck[] = [
  {
    code: 'hreflang_return_missing',
    severity: 'moderate',
    about: 'A language version of the page does not name the page as its own version in return.',
    fix: 'Let all language versions of a page list the same set of addresses, each including itself.',
    finds: (crawlId) => sql.fragment`
      with version as materialized (${versions(crawlId)})
      select distinct there.id
        from version there join pages target on target.crawl_id = ${crawlId} and target.url_key = there.target_key
        left join version back on back.url_key = there.target_key and back.target_key = there.url_key
       where there.target_key <> there.url_key and back.id is null
         and target.is_html and target.status_code between 200 and 299`,
    examples: {
      bad: [
        {
          pages: { '/en': pair['/en'], '/it': {}, '/fr': { alternates: { en: '/en', fr: '/fr' } } },
          found: ['/en', '/fr'],
        },
        {
          pages: {
            '/en': { inSitemap: true, listed: { alternates: { it: '/it' } } },
            '/it': { inSitemap: true },
          },
          found: ['/en'],
        },
      ],
      good: [
        { pages: pair },
        { pages: { '/en': pair['/en'], '/it': { status: 404 } } },
        { pages: { '/en': { alternates: { en: '/en', it: 'https://other.test/it' } } } },
        {
          pages: {
            '/en': { alternates: { it: '/it' } },
            '/it': { inSitemap: true, listed: { alternates: { en: '/en' } } },
          },
        },
      ],
    },
  },
  {
    code: 'hreflang_to_error',
    severity: 'moderate',
    about: 'A language version of the page does not answer or answers with an error.',
    fix: 'Repair the language version, or take it from the hreflang links.',
    finds: leadingTo(sql.fragment`(target.status_code = 0 or target.status_code >= 400)`),
    examples: {
      bad: [
        { pages: { ...pair, '/it': { status: 404 } }, found: ['/en'] },
        {
          pages: {
            '/en': { inSitemap: true, listed: { alternates: { it: '/it' } } },
            '/it': { status: 0 },
          },
          found: ['/en'],
        },
      ],
      good: [
        { pages: pair },
        { pages: { '/en': { alternates: { it: '/unknown' } }, '/it': { status: 404 } } },
      ],
    },
  },
  {
    code: 'hreflang_to_redirect',
    severity: 'moderate',
    about: 'A language version of the page redirects.',
    fix: 'Name the address that the redirect leads to.',
    finds: leadingTo(sql.fragment`target.status_code between 300 and 399`),
    examples: {
      bad: [{ pages: { ...pair, '/it': { redirect: '/it/' }, '/it/': {} }, found: ['/en'] }],
      good: [{ pages: { ...pair, '/old': { redirect: '/en' } } }],
    },
  },
  {
    code: 'hreflang_to_noindex',
    severity: 'moderate',
    about: 'A language version of the page may not be indexed.',
    fix: 'Let the language version be indexed, or take it from the hreflang links.',
    finds: leadingTo(sql.fragment`(target.is_noindex or 'robots_blocked' = any(target.issues))`),
    examples: {
      bad: [
        { pages: { ...pair, '/it': { ...pair['/it'], noindex: true } }, found: ['/en'] },
        { pages: { ...pair, '/it': { ...pair['/it'], blocked: true } }, found: ['/en'] },
      ],
      good: [{ pages: { ...pair, '/other': { noindex: true } } }],
    },
  },
  {
    code: 'hreflang_to_noncanonical',
    severity: 'moderate',
    about: 'A language version of the page names another address as canonical.',
    fix: 'Name the canonical address of each language version, or make every version its own canonical page.',
    finds: leadingTo(sql.fragment`target.canonical_key <> target.url_key`),
    examples: {
      bad: [{ pages: { ...pair, '/it': { ...pair['/it'], canonical: '/en' } }, found: ['/en'] }],
      good: [{ pages: { ...pair, '/it': { ...pair['/it'], canonical: '/it' } } }],
    },
  },
  {
    code: 'hreflang_multiple_lang',
    severity: 'minor',
    about: 'Hreflang links present the page as the version for several languages.',
    fix: 'Give every language a page of its own; for all other visitors there is x-default.',
    finds: (crawlId) => sql.fragment`
      with version as materialized (${versions(crawlId)})
      select p.id from pages p join (
        select target_key from version where lang <> 'x-default'
         group by target_key having count(distinct split_part(lang, '-', 1)) > 1
      ) several on several.target_key = p.url_key
       where p.crawl_id = ${crawlId}`,
    examples: {
      bad: [
        { pages: { '/': { alternates: { en: '/a', fr: '/a' } }, '/a': {} }, found: ['/a'] },
        {
          pages: { '/': { alternates: { en: '/a' } }, '/a': {}, '/b': { alternates: { 'it-IT': '/a' } } },
          found: ['/a'],
        },
      ],
      good: [
        { pages: pair },
        { pages: { '/': { alternates: { en: '/a', 'en-GB': '/a', 'x-default': '/a' } }, '/a': {} } },
      ],
    },
  },
]
