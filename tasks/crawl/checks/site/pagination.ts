import { sql } from '../../../../sql/pool.ts'
import type { SiteCheck } from '../check.ts'

/** The number of a page in its address: `?page=2`, `/page/2/`. */
const NUMBER = '([?&](page|paged|pg|p|pagina|seite)=)([0-9]+)|(/(page|pagina|seite)/)([0-9]+)(?=/?$)'
/** What an address looks like without it. */
const PARAMETER = '[?&](page|paged|pg|p|pagina|seite)=[0-9]+'
const FOLDER = '/(page|pagina|seite)/[0-9]+/?$'
/** Pages that `rel=prev` is followed back through. */
const HOPS = 1000

/** Series of pages. */
export const paginationSiteChecks: SiteCheck[] = [
  {
    code: 'pagination_unlinked',
    severity: 'minor',
    about: 'The page names a next or previous page without a link to it that visitors could follow.',
    fix: 'Link to the next and previous page with ordinary links; search engines follow no others.',
    finds: (crawlId) => sql.fragment`
      select p.id from pages p left join links l on l.crawl_id = ${crawlId} and l.page_id = p.id
       where p.crawl_id = ${crawlId} and p.status_code between 200 and 299
         and ((p.next_key is not null and p.next_key <> all(coalesce(l.targets, '{}')))
              or (p.prev_key is not null and p.prev_key <> all(coalesce(l.targets, '{}'))))`,
    examples: {
      bad: [
        { pages: { '/1': { next: '/2', links: ['/3'] }, '/2': { prev: '/1' } }, found: ['/1', '/2'] },
        { pages: { '/2': { prev: '/1', next: '/3', links: ['/1'] } }, found: ['/2'] },
      ],
      good: [
        {
          pages: { '/1': { next: '/2', links: ['/2', '/3'] }, '/2': { links: ['/1'], prev: '/1' }, '/3': {} },
        },
      ],
    },
  },
  {
    code: 'pagination_canonical_first',
    severity: 'moderate',
    about: 'A later page of a series names the first one as canonical, which hides what only it links to.',
    fix: 'Let every page of the series name itself as canonical.',
    finds: (crawlId) => sql.fragment`
      with recursive paged as materialized (
        select id, url, url_key, prev_key, canonical, canonical_key from pages
         where crawl_id = ${crawlId} and status_code between 200 and 299
      ), later as materialized (
        select id, url, prev_key, canonical, canonical_key from paged where canonical_key <> url_key
      ), back (id, key, canonical_key, hops) as (
        select id, prev_key, canonical_key, 1 from later where prev_key is not null
        union all
        select back.id, paged.prev_key, back.canonical_key, hops + 1
          from back join paged on paged.url_key = back.key
         where back.key <> back.canonical_key and paged.prev_key is not null and hops < ${HOPS}
      )
      select id from back where key = canonical_key
         and not exists (select 1 from paged where url_key = back.key and prev_key is not null)
      union
      select id from (
        select id, canonical, url, regexp_match(url, ${NUMBER}, 'i') as number from later
      ) numbered
       where coalesce(number[3], number[6])::numeric > 1
         and rtrim(regexp_replace(canonical, '[?&](page|paged|pg|p|pagina|seite)=1(?![0-9])|/(page|pagina|seite)/1/?$', '', 'i'), '/?&')
           = rtrim(regexp_replace(regexp_replace(url, ${PARAMETER}, '', 'i'), ${FOLDER}, '', 'i'), '/?&')`,
    examples: {
      bad: [
        {
          pages: {
            '/list': {},
            '/list?page=2': { canonical: '/list' },
            '/list?page=3': { canonical: '/list?page=1' },
            '/blog/page/2/': { canonical: '/blog/' },
          },
          found: ['/list?page=2', '/list?page=3', '/blog/page/2/'],
        },
        {
          pages: {
            '/a': { next: '/b' },
            '/b': { prev: '/a', canonical: '/a' },
            '/c': { prev: '/b', canonical: '/a' },
          },
          found: ['/b', '/c'],
        },
      ],
      good: [
        {
          pages: {
            '/list': {},
            '/list?page=1': { canonical: '/list' },
            '/list?page=2': { canonical: '/list?page=2' },
            '/list?page=3': { canonical: '/other' },
            '/list?p=2&a=1': { canonical: '/list?p=2' },
            '/b': { prev: '/a' },
            '/c': { prev: '/b', canonical: '/b' },
          },
        },
      ],
    },
  },
]
