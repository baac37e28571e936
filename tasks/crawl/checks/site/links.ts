import { sql } from '../../../../sql/pool.ts'
import type { SiteCheck } from '../check.ts'
import { linkingTo } from './relations.ts'

export const linkSiteChecks: SiteCheck[] = [
  {
    code: 'link_fragment_broken',
    severity: 'minor',
    about: 'A link leads to a place on a page of the site that is not there.',
    fix: 'Correct the part of the link’s address behind the #, or give the place that id.',
    finds: (crawlId) => sql.fragment`
      with place as materialized (
        select page_id, unnest(fragment_keys) as key, unnest(fragments) as fragment
          from links where crawl_id = ${crawlId} and fragments is not null
      ), missing as materialized (
        select wanted.key, wanted.fragment
          from (select distinct key, fragment from place) wanted
          join pages p on p.crawl_id = ${crawlId} and p.url_key = wanted.key
         where p.status_code between 200 and 299 and wanted.fragment <> all(p.anchors)
      )
      select distinct place.page_id as id from place join missing using (key, fragment)`,
    examples: {
      bad: [
        {
          pages: {
            '/': { links: ['/b#here', '/b#gone', '#gone'] },
            '/b': { ids: ['here'], links: ['#gone'] },
            '/c': { links: ['/b#Here'] },
          },
          found: ['/', '/b', '/c'],
        },
      ],
      good: [
        {
          pages: {
            '/': {
              ids: ['x'],
              links: ['/b#here', '/b#w%20s', '/b#', '/b#top', '#x', '/404#x', '/pdf#page=2', '/b#/route'],
            },
            '/b': { ids: ['here', 'w s'], links: ['/b#here:~:text=some', '/unknown#x'] },
            '/404': { status: 404 },
            '/pdf': { html: false },
          },
        },
      ],
    },
  },
  {
    code: 'link_internal_broken',
    severity: 'major',
    about: 'The page links to a page of the site that does not answer or answers with an error.',
    fix: 'Correct or remove the link, or restore or redirect its target.',
    // A page behind a login is not broken.
    finds: (crawlId) =>
      linkingTo(
        crawlId,
        sql.fragment`(status_code = 0 or status_code >= 400 and status_code not in (401, 403, 407, 429))`,
      ),
    examples: {
      bad: [
        {
          pages: {
            '/': { links: ['/b', '/404', '/500'] },
            '/b': { links: ['/0'] },
            '/404': { status: 404 },
            '/500': { status: 500 },
            '/0': { status: 0 },
          },
          found: ['/', '/b'],
        },
      ],
      good: [
        { pages: { '/': { links: ['/b', '/login', '/unknown'] }, '/b': {}, '/login': { status: 401 } } },
        { pages: { '/': { status: 301, redirect: '/404', links: ['/404'] }, '/404': { status: 404 } } },
      ],
    },
  },
  {
    code: 'link_to_redirect',
    severity: 'minor',
    about: 'The page links to a page of the site that redirects.',
    fix: 'Link to the target of the redirect.',
    finds: (crawlId) => linkingTo(crawlId, sql.fragment`status_code between 300 and 399`),
    examples: {
      bad: [
        {
          pages: {
            '/': { links: ['/old'] },
            '/old': { status: 301, redirect: '/new', links: ['/new'] },
            '/new': {},
          },
          found: ['/'],
        },
      ],
      good: [
        {
          pages: {
            '/': { links: ['/new'] },
            '/new': {},
            '/a': { status: 301, redirect: '/b', links: ['/b'] },
            '/b': { status: 301, redirect: '/new' },
          },
        },
      ],
    },
  },
]
