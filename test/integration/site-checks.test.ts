import { randomUUID } from 'node:crypto'

import { beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

import { publishChecks } from '../../sql/checks.ts'
import { db, sql } from '../../sql/pool.ts'
import { siteScore } from '../../sql/scores.ts'
import type { Site, SitePage } from '../../tasks/crawl/checks/check.ts'
import { registry, siteChecks } from '../../tasks/crawl/checks/index.ts'
import { attachSiteIssues } from '../../tasks/crawl/checks/site.ts'
import { finishCrawl } from '../../tasks/crawl/finish.ts'
import { pageScore } from '../../tasks/crawl/score.ts'
import { log } from '../../telemetry.ts'
import { readSite, storeSite } from '../support/crawl.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { randomOf } from '../support/random.ts'

useDatabase()
let user: number
beforeAll(async () => {
  user = (await makePerson('mario')).id
  await publishChecks(registry)
})

async function attached(site: Site) {
  const id = await storeSite(user, site)
  await attachSiteIssues(id)
  return { id, pages: await readSite(id) }
}

/** Paths of the pages that have the code. */
async function found(site: Site, code: string) {
  const { pages } = await attached(site)
  return [...pages].filter(([, { issues }]) => issues.includes(code)).map(([path]) => path)
}

describe.each(siteChecks)('$code', ({ code, examples }) => {
  test.each(examples.bad)('finds its pages %#', async (site) =>
    expect(await found(site, code)).toEqual(site.found),
  )
  test.each(examples.good)('finds nothing %#', async (site) => expect(await found(site, code)).toEqual([]))
})

test('issues are attached once, lower the score, keep what was there, and go when their cause is gone', async () => {
  const { id, pages } = await attached({
    pages: {
      '/': { links: ['/gone', '/b'], blocked: true },
      '/b': { links: ['/'] },
      '/c': { links: ['/b', '/'] },
      '/gone': { status: 404 },
    },
  })
  expect(pages.get('/')).toEqual({ issues: ['robots_blocked', 'link_internal_broken'], score: 80 })
  expect(pages.get('/b')).toEqual({ issues: [], score: 100 })
  expect(pages.get('/gone')).toEqual({ issues: [], score: 0 })
  await attachSiteIssues(id)
  expect(await readSite(id)).toEqual(pages)
  await db().query(
    sql.typeAlias('void')`update pages set status_code = 200 where crawl_id = ${id} and status_code = 404`,
  )
  await attachSiteIssues(id)
  expect((await readSite(id)).get('/')).toEqual({ issues: ['robots_blocked'], score: 95 })
})

test('crawls do not see each other', async () => {
  await attached({ pages: { '/': { title: 'Same' } } })
  expect(await found({ pages: { '/': { title: 'Same' } } }, 'title_duplicate')).toEqual([])
})

test('the site score is the mean of indexable and broken pages, less for faults of the whole', async () => {
  const score = async (site: Site) => siteScore((await attached(site)).id)
  const linked = { links: ['/', '/b', '/c'] }
  expect(await score({ pages: { '/': linked, '/b': linked, '/c': linked } })).toBe(100)
  // The redirect, the file and the page that is not to be found count for nothing; the broken one for 0.
  expect(
    await score({
      pages: {
        '/': {},
        '/b': { status: 404 },
        '/r': { redirect: '/' },
        '/pdf': { html: false },
        '/n': { noindex: true },
      },
    }),
  ).toBe(50)
  expect(await score({ pages: { '/n': { noindex: true } } })).toBe(null)
  // robots.txt unreadable: a major issue on one of two pages, and four fifths of the whole.
  expect(
    await score({ pages: { '/': linked, '/b': linked, '/z': { ...linked, noindex: true } }, robots: 500 }),
  ).toBe(Math.round(((85 + 100) / 2) * 0.8))
})

test('scores computed twice, in SQL and here, are the same', async () => {
  const random = randomOf(11)
  const chance = (share: number) => random() < share
  for (let n = 0; n < 20; n++) {
    const paths = Array.from({ length: 1 + Math.floor(random() * 25) }, (_, i) => `/${i}`)
    const any = () => paths[Math.floor(random() * paths.length)]!
    const site: Site = {
      pages: Object.fromEntries(
        paths.map((path): [string, SitePage] => [
          path,
          {
            status: chance(0.2) ? [0, 404, 500][n % 3]! : 200,
            title: `Title ${Math.floor(random() * 10)}`,
            noindex: chance(n % 4 === 0 ? 0.9 : 0.1),
            blocked: chance(0.1),
            inSitemap: chance(0.5),
            html: chance(0.9),
            links: [...new Set([any(), any(), any()])].filter((to) => to !== path),
            ...(chance(0.2) ? { redirect: any(), status: 301 } : {}),
            ...(chance(0.2) ? { canonical: any() } : {}),
          },
        ]),
      ),
      ...(chance(0.3) ? { robots: 503 } : {}),
    }
    const { id, pages } = await attached(site)
    const isHtml = (path: string) => site.pages[path]!.html ?? true
    for (const [path, { issues, score }] of pages) {
      const visit = { status: site.pages[path]!.status } as never
      expect(score).toBe(pageScore({ visit, isHtml: isHtml(path), isBlocked: false }, issues))
    }
    const judged = [...pages].filter(([path]) => {
      const { status = 0, noindex, blocked, canonical = path } = site.pages[path]!
      return (
        status === 0 ||
        status >= 400 ||
        (status === 200 && isHtml(path) && !noindex && !blocked && canonical === path)
      )
    })
    const issues = [...pages.values()].flatMap(({ issues }) => issues)
    const left =
      (issues.includes('noindex_sitewide') ? 0.5 : 1) * (issues.includes('robots_txt_unreachable') ? 0.8 : 1)
    const mean = judged.reduce((sum, [, { score }]) => sum + score!, 0) / judged.length
    expect(await siteScore(id)).toBe(judged.length === 0 ? null : Math.round(mean * left))
  }
})

test('the registry is published exactly: new, changed and gone checks', async () => {
  const check = { code: 'x_test', severity: 'minor', about: 'A test.', fix: 'Pass it.' } as const
  const all = () => db().any(sql.unsafe`select code, severity, about, fix, points from checks order by code`)
  await publishChecks([check, ...registry])
  await publishChecks([{ ...check, severity: 'major', fix: 'Fail it.' }])
  expect(await all()).toEqual([{ ...check, severity: 'major', fix: 'Fail it.', points: 15 }])
  await publishChecks([{ ...check, scored: false }])
  expect(await all()).toEqual([{ ...check, points: 0 }])
  await publishChecks(registry)
  expect(await all()).toEqual(
    registry
      .toSorted((a, b) => (a.code < b.code ? -1 : 1))
      .map(({ code, severity, about, fix }) => expect.objectContaining({ code, severity, about, fix })),
  )
})

test('a site of 10,000 pages with 100 links each is judged', { timeout: 60_000 }, async () => {
  const id = await storeSite(user, { pages: { '/': {} } })
  await db().query(sql.unsafe`
    insert into pages (crawl_id, url_key, url, depth, in_sitemap, status_code, is_html, is_indexable, is_noindex, title,
                       words_count, images_no_alt, internal_links, external_links, bytes, redirect_key, canonical_key)
    select ${id}::bigint, i, 'https://example.test/' || i, 1, true, case when i % 10 = 0 then 301 when i % 11 = 0 then 404 else 200 end,
           true, i % 10 > 0 and i % 11 > 0, false, 'Title ' || i % 5000, 0, 0, 0, 0, 0,
           case when i % 10 = 0 then (i + 10) % 10000 end, (i + 1) % 10000
      from generate_series(1, 9999) i`)
  await db().query(sql.unsafe`
    insert into links (crawl_id, page_id, targets, nofollow)
    select crawl_id, id, (select array_agg((url_key * 7 + j * 13) % 10000) from generate_series(1, 100) j),
           array_fill(false, array[100])
      from pages where crawl_id = ${id} and url_key between 1 and 9999`)
  await attachSiteIssues(id)
  const broken = await db().oneFirst(sql.type(z.object({ broken: z.int() }))`
    select count(*) as broken from pages where crawl_id = ${id} and 'link_internal_broken' = any(issues)`)
  expect(broken).toBeGreaterThan(5000)
})

test('a crawl that ends is one line in the log', async () => {
  const crawl = await storeSite(user, { pages: { '/': { status: 0 } } })
  const info = vi.spyOn(log, 'info')
  try {
    await finishCrawl({ crawl }, { log, signal: AbortSignal.timeout(5000), workerId: randomUUID() })
    expect(info).toHaveBeenCalledOnce()
    expect(info.mock.calls[0]).toEqual([
      {
        scan: expect.any(Number),
        crawl,
        pages: expect.any(Number),
        seconds: 0,
        score: null,
        failure: 'No page answered: https://example.test/ failed with connection.',
      },
      'crawl ended',
    ])
  } finally {
    info.mockRestore()
  }
})
