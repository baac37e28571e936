import { sql } from '../../../../sql/pool.ts'
import type { SiteCheck } from '../check.ts'
import { canonicalised } from './relations.ts'

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
    finds: (crawlId) => sql.fragment`
      with recursive step as materialized (${canonicalised(crawlId)}), walk (origin, home, hops, key) as (
        select id, url_key, 1, target_key from step
        union all
        select w.origin, w.home, w.hops + 1, s.target_key from walk w join step s on s.url_key = w.key
         where w.key <> w.home and w.hops < 20
      )
      select distinct origin as id from walk where key = home`,
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
]
