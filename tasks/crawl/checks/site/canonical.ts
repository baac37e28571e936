import { sql } from '../../../../sql/pool.ts'
import type { SiteCheck } from '../check.ts'
import { canonicalised, inlinks, startPage } from './relations.ts'

/** 2 to this power is more than the pages of any crawl. */
const DOUBLINGS = 14

type Condition = ReturnType<typeof sql.fragment>

/** Pages whose canonical address is a crawled page of which `condition` holds (as `target`). */
const leadingTo = (condition: Condition) => (crawlId: number) =>
  sql.fragment`
  select source.id from (${canonicalised(crawlId)}) source
    join pages target on target.crawl_id = ${crawlId} and target.url_key = source.target_key
   where ${condition}`

export const canonicalSiteChecks: SiteCheck[] = [
  {
    code: 'canonical_to_redirect',
    severity: 'moderate',
    about: 'The canonical address redirects.',
    fix: 'Name the target of the redirect as canonical.',
    finds: leadingTo(sql.fragment`target.status_code between 300 and 399`),
    examples: {
      bad: [{ pages: { '/': { canonical: '/b' }, '/b': { status: 301, redirect: '/' } }, found: ['/'] }],
      good: [{ pages: { '/': { canonical: '/b' }, '/b': {}, '/c': { status: 301, redirect: '/' } } }],
    },
  },
  {
    code: 'canonical_to_error',
    severity: 'major',
    about: 'The canonical address does not answer or answers with an error.',
    fix: 'Restore the canonical page, or name one that answers.',
    finds: leadingTo(sql.fragment`(target.status_code = 0 or target.status_code >= 400)`),
    examples: {
      bad: [
        {
          pages: {
            '/': { canonical: '/b' },
            '/b': { status: 404 },
            '/c': { canonical: '/d' },
            '/d': { status: 0 },
          },
          found: ['/', '/c'],
        },
      ],
      good: [{ pages: { '/': { canonical: '/b' }, '/b': {}, '/c': { canonical: '/unknown' } } }],
    },
  },
  {
    code: 'canonical_to_noindex',
    severity: 'major',
    about: 'The canonical address may not be indexed, so neither page will be found.',
    fix: 'Let the canonical page be indexed, or name another.',
    finds: leadingTo(sql.fragment`(target.is_noindex or 'robots_blocked' = any(target.issues))`),
    examples: {
      bad: [
        {
          pages: {
            '/': { canonical: '/b' },
            '/b': { noindex: true },
            '/c': { canonical: '/d' },
            '/d': { blocked: true },
          },
          found: ['/', '/c'],
        },
      ],
      good: [{ pages: { '/': { canonical: '/b', noindex: true }, '/b': {} } }],
    },
  },
  {
    code: 'canonical_chain',
    severity: 'moderate',
    about: 'The canonical address names a third page as canonical.',
    fix: 'Name the last page of the chain as canonical everywhere.',
    finds: (crawlId) => sql.fragment`
      select source.id from (${canonicalised(crawlId)}) source
        join (${canonicalised(crawlId)}) target on target.url_key = source.target_key`,
    examples: {
      bad: [{ pages: { '/a': { canonical: '/b' }, '/b': { canonical: '/c' }, '/c': {} }, found: ['/a'] }],
      good: [{ pages: { '/a': { canonical: '/c' }, '/b': { canonical: '/c' }, '/c': { canonical: '/c' } } }],
    },
  },
  {
    code: 'canonical_loop',
    severity: 'moderate',
    about: 'Pages name each other as canonical in a circle.',
    fix: 'Choose one page of the circle and name it as canonical in all of them.',
    // Whoever can be reached in more steps than there are pages lies on a circle; each join doubles the steps.
    finds: (crawlId) => sql.fragment`
      with step0 as materialized (select id, url_key, target_key from (${canonicalised(crawlId)}) step),
      ${sql.join(
        Array.from(
          { length: DOUBLINGS },
          (_, n) => sql.fragment`${sql.identifier([`step${n + 1}`])} as materialized (
            select here.id, here.url_key, there.target_key
              from ${sql.identifier([`step${n}`])} here
              join ${sql.identifier([`step${n}`])} there on there.url_key = here.target_key)`,
        ),
        sql.fragment`, `,
      )}
      select id from step0 where url_key in (select target_key from ${sql.identifier([`step${DOUBLINGS}`])})`,
    examples: {
      bad: [
        {
          pages: {
            '/a': { canonical: '/b' },
            '/b': { canonical: '/c' },
            '/c': { canonical: '/a' },
            '/d': { canonical: '/a' },
          },
          found: ['/a', '/b', '/c'],
        },
      ],
      good: [{ pages: { '/a': { canonical: '/a' }, '/b': { canonical: '/a' }, '/c': { canonical: '/b' } } }],
    },
  },
  {
    code: 'canonical_unlinked',
    severity: 'minor',
    about: 'No page of the site links to the canonical address of this page.',
    fix: 'Link to canonical addresses, not to their variants.',
    finds: (crawlId) => sql.fragment`
      select p.id from pages p join crawls c on c.id = p.crawl_id
        left join (${inlinks(crawlId)}) i on i.key = p.canonical_key
       where p.crawl_id = ${crawlId} and p.status_code between 200 and 299 and p.canonical_key <> p.url_key
         and split_part(p.canonical, '/', 3) = c.scope_host and i.key is null
         and p.canonical_key not in (select url_key from pages where crawl_id = ${crawlId} and id = (${startPage(crawlId)}))`,
    examples: {
      bad: [
        {
          pages: {
            '/': { links: ['/a?x', '/b'] },
            '/a?x': { canonical: '/a' },
            '/b': { canonical: '/c' },
            '/c': {},
          },
          found: ['/a?x', '/b'],
        },
      ],
      good: [
        {
          pages: {
            '/': { links: ['/a', '/a?x', '/b'] },
            '/a': { canonical: '/a' },
            '/a?x': { canonical: '/a' },
            '/b': { canonical: 'https://other.test/' },
            '/c': { canonical: '/' },
          },
        },
      ],
    },
  },
]
