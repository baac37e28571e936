import { sql } from '../../../../sql/pool.ts'
import type { SiteCheck } from '../check.ts'
import { edges, inlinks, redirectWalk, startPage } from './relations.ts'

/** Clicks from the start page. */
const DEEP = 4

type Condition = ReturnType<typeof sql.fragment>

/** Indexable pages, the start page apart, whose inlinks fulfil `condition`. */
const linkedSo = (condition: Condition) => (crawlId: number) =>
  sql.fragment`
  select p.id from pages p left join (${inlinks(crawlId)}) i on i.key = p.url_key
   where p.crawl_id = ${crawlId} and p.is_indexable and ${condition}
     and p.id is distinct from (${startPage(crawlId)})`

const followed = sql.fragment`coalesce(i.followed, 0)`
const unfollowed = sql.fragment`coalesce(i.unfollowed, 0)`

const level = (n: number) => sql.identifier([`level${n}`])
const levels = Array.from({ length: DEEP }, (_, n) => n)

const chain = (length: number) =>
  Object.fromEntries(
    Array.from({ length: length + 1 }, (_, n) => [`/${n}`, n < length ? { links: [`/${n + 1}`] } : {}]),
  )

/** How pages are linked to. */
export const inlinkChecks: SiteCheck[] = [
  {
    code: 'page_deep',
    severity: 'minor',
    about: 'The page is more than four clicks away from the start page.',
    fix: 'Link to the page from one that is nearer to the start page.',
    // A redirect is no click. Pages that no link leads to are orphans.
    finds: (crawlId) => sql.fragment`
      ${redirectWalk(crawlId)}, source as materialized (
        select p.url_key, l.targets from links l join pages p on p.crawl_id = ${crawlId} and p.id = l.page_id
         where l.crawl_id = ${crawlId} and p.status_code between 200 and 299
      ), level0 as materialized (
        select url_key as key from pages where crawl_id = ${crawlId} and id = (${startPage(crawlId)})
      ), ${sql.join(
        levels.map(
          (n) => sql.fragment`${level(n + 1)} as materialized (
            select coalesce(ways.key, clicked.key) as key
              from (select unnest(targets) as key from source join ${level(n)} page on page.key = source.url_key) clicked
              left join ways on ways.url_key = clicked.key
            except ${sql.join(
              levels.slice(0, n + 1).map((m) => sql.fragment`select key from ${level(m)}`),
              sql.fragment` except `,
            )})`,
        ),
        sql.fragment`, `,
      )}
      select id from pages
       where crawl_id = ${crawlId} and is_html and status_code between 200 and 299
         and url_key in (select key from (${edges(crawlId)}) edge)
         and url_key not in (${sql.join(
           [...levels, DEEP].map((n) => sql.fragment`select key from ${level(n)}`),
           sql.fragment` union all `,
         )})`,
    examples: {
      bad: [
        { pages: chain(6), found: ['/5', '/6'] },
        { pages: { ...chain(5), '/island': { links: ['/isle'] }, '/isle': {} }, found: ['/5', '/isle'] },
      ],
      good: [
        { pages: chain(4) },
        { pages: { ...chain(5), '/1': { links: ['/r'] }, '/r': { redirect: '/3', links: ['/3'] } } },
        { pages: { ...chain(5), '/0': { redirect: '/1', links: ['/1'] }, '/6': {} } },
        { pages: { ...chain(5), '/5': { status: 404 } } },
      ],
    },
  },
  {
    code: 'page_orphan',
    severity: 'moderate',
    about: 'The sitemap lists the page, but no page of the site links to it.',
    fix: 'Link to the page from related pages, or remove it from the sitemap.',
    finds: linkedSo(sql.fragment`p.in_sitemap and ${followed} + ${unfollowed} = 0`),
    examples: {
      bad: [{ pages: { '/': { inSitemap: true }, '/b': { inSitemap: true } }, found: ['/b'] }],
      good: [
        { pages: { '/': { inSitemap: true, links: ['/b'] }, '/b': { inSitemap: true } } },
        {
          pages: {
            '/': { status: 301, redirect: '/home', links: ['/home'] },
            '/home': { inSitemap: true },
            '/c': { inSitemap: true, noindex: true },
          },
        },
      ],
    },
  },
  {
    code: 'page_weakly_linked',
    severity: 'minor',
    about: 'Only one link of the site leads to the page.',
    fix: 'Add links to the page from related pages.',
    finds: linkedSo(sql.fragment`${followed} = 1`),
    examples: {
      bad: [
        {
          pages: { '/': { links: ['/b', '/c'] }, '/b': { links: ['/'] }, '/c': { nofollow: ['/b'] } },
          found: ['/b', '/c'],
        },
      ],
      good: [{ pages: { '/': { links: ['/b'] }, '/b': {}, '/c': { links: ['/b'] } } }],
    },
  },
  {
    code: 'link_nofollow_only',
    severity: 'minor',
    about: 'All links of the site to the page are marked nofollow.',
    fix: 'Remove nofollow from at least one link to the page.',
    finds: linkedSo(sql.fragment`${followed} = 0 and ${unfollowed} > 0`),
    examples: {
      bad: [{ pages: { '/': { nofollow: ['/b'] }, '/b': {} }, found: ['/b'] }],
      good: [{ pages: { '/': { nofollow: ['/b'] }, '/b': {}, '/c': { links: ['/b'] } } }],
    },
  },
  {
    code: 'link_follow_nofollow_mix',
    severity: 'minor',
    about: 'Some links of the site to the page are marked nofollow and some are not.',
    fix: 'Remove nofollow from the links to the page.',
    finds: linkedSo(sql.fragment`${followed} > 0 and ${unfollowed} > 0`),
    examples: {
      bad: [{ pages: { '/': { nofollow: ['/b'] }, '/b': {}, '/c': { links: ['/b'] } }, found: ['/b'] }],
      good: [{ pages: { '/': { links: ['/b'], nofollow: ['/c'] }, '/b': {}, '/c': {} } }],
    },
  },
]
