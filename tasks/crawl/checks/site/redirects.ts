import { sql } from '../../../../sql/pool.ts'
import type { SiteCheck, SitePage } from '../check.ts'
import { redirectWalk } from './relations.ts'

const to = (redirect: string): SitePage => ({ status: 301, redirect })
const ring = Object.fromEntries([1, 2, 3].map((i) => [`/${i}`, to(`/${(i % 3) + 1}`)]))
const long = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`/${i}`, to(`/${i + 1}`)]))

export const redirectSiteChecks: SiteCheck[] = [
  {
    code: 'redirect_chain',
    severity: 'moderate',
    about: 'The redirect leads to another redirect.',
    fix: 'Redirect straight to the last address.',
    finds: (crawlId) =>
      sql.fragment`${redirectWalk(crawlId)} select id from ways where hops > 1 and not endless`,
    examples: {
      bad: [{ pages: { '/': {}, '/1': to('/2'), '/2': to('/3'), '/3': {} }, found: ['/1'] }],
      good: [
        { pages: { '/': {}, '/1': to('/'), '/2': to('/'), '/out': to('https://other.test/') } },
        { pages: ring },
      ],
    },
  },
  {
    code: 'redirect_loop',
    severity: 'major',
    about: 'The redirect never ends: it leads back to itself, or through more than 20 others.',
    fix: 'Break the circle: let one address answer, and redirect the others to it.',
    finds: (crawlId) => sql.fragment`${redirectWalk(crawlId)} select id from ways where endless`,
    examples: {
      bad: [
        { pages: { '/': to('/') }, found: ['/'] },
        { pages: { ...ring, '/in': to('/2') }, found: ['/1', '/2', '/3', '/in'] },
        { pages: { ...long, '/25': {} }, found: ['/0', '/1', '/2', '/3', '/4'] },
      ],
      good: [{ pages: { '/': {}, '/x': to('/x/'), '/x/': { canonical: '/x' } } }],
    },
  },
  {
    code: 'redirect_broken',
    severity: 'major',
    about: 'The redirect ends at a page that does not answer or answers with an error.',
    fix: 'Redirect to a page that answers, or answer with 404 or 410.',
    finds: (crawlId) => sql.fragment`
      ${redirectWalk(crawlId)}
      select ways.id from ways join pages p on p.crawl_id = ${crawlId} and p.url_key = ways.key
       where not ways.endless and (p.status_code = 0 or p.status_code >= 400)`,
    examples: {
      bad: [
        {
          pages: {
            '/1': to('/2'),
            '/2': to('/3'),
            '/3': { status: 404 },
            '/4': to('/5'),
            '/5': { status: 0 },
          },
          found: ['/1', '/2', '/4'],
        },
      ],
      good: [{ pages: { '/1': to('/2'), '/2': {}, '/3': to('/unknown') } }],
    },
  },
]
