import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { publishChecks } from '../../sql/checks.ts'
import * as crawls from '../../sql/crawls.ts'
import { db, sql } from '../../sql/pool.ts'
import * as probes from '../../sql/probes.ts'
import * as scans from '../../sql/scans.ts'
import { overWholeCrawl } from '../../sql/site-checks.ts'
import { sweepKnownTargets } from '../../sql/sweep.ts'
import * as targets from '../../sql/targets.ts'
import type { Site } from '../../tasks/crawl/checks/check.ts'
import { registry } from '../../tasks/crawl/checks/index.ts'
import { attachSiteIssues } from '../../tasks/crawl/checks/site.ts'
import type { ProbeExample } from '../../tasks/crawl/probes/checks/check.ts'
import type { TargetExample } from '../../tasks/crawl/targets/checks/check.ts'
import { targetChecks } from '../../tasks/crawl/targets/checks/index.ts'
import { EAGER, IMAGE, LINK, SCRIPT } from '../../tasks/crawl/targets/uses.ts'
import { urlKey } from '../../tasks/crawl/url.ts'
import { address, readSite, storeSite } from '../support/crawl.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { siteFacts } from '../support/probes.ts'

useDatabase()
let user: number
beforeAll(async () => {
  user = (await makePerson('mario')).id
  await publishChecks(registry)
})

type Verdict = targets.Verdict
const verdict = (given: Partial<Verdict> = {}): Verdict => ({
  status: 200,
  fault: null,
  redirect: null,
  contentType: 'text/html',
  bytes: null,
  width: null,
  height: null,
  lifetime: null,
  ...given,
})

/** Stores what pages use, by path, as a crawl would have found it. */
async function storeTargets(crawlId: number, using: Record<string, readonly TargetExample[]>) {
  let last = 0
  const closed: number[] = []
  for (const [path, examples] of Object.entries(using)) {
    const found = examples.map(({ status, uses, internal = false, closed: isClosed, ...given }) => {
      const target = { id: ++last, url: `https://target.test/${last}`, uses, internal }
      if (isClosed) closed.push(target.id)
      return { target, verdict: status === null ? null : verdict({ ...given, status: status ?? 200 }) }
    })
    const fresh = found.map(({ target }) => target)
    await targets.collect(crawlId, [
      {
        urlKey: urlKey(address(path)),
        ids: fresh.map(({ id }) => id),
        uses: fresh.map(({ uses }) => uses),
        fresh,
      },
    ])
    await targets.keep(
      crawlId,
      found.flatMap(({ target, verdict }) => (verdict ? [{ target, verdict }] : [])),
    )
  }
  await targets.close(crawlId, closed)
}

/** The codes that pages have after a site was judged, by path. */
async function judged(crawlId: number) {
  await attachSiteIssues(crawlId)
  return new Map([...(await readSite(crawlId))].map(([path, { issues }]) => [path, issues]))
}

test('every check of targets finds its bad examples and passes its good ones', async () => {
  for (const { code, examples } of targetChecks) {
    const bad = examples.bad.map((example, n) => [`/bad/${n}`, example] as const)
    const good = examples.good.map((example, n) => [`/good/${n}`, example] as const)
    const all = Object.fromEntries([...bad, ...good])
    const id = await storeSite(user, {
      pages: Object.fromEntries(Object.keys(all).map((path) => [path, {}])),
    })
    await storeTargets(id, all)
    const found = [...(await judged(id))].filter(([, issues]) => issues.includes(code)).map(([path]) => path)
    expect([code, found]).toEqual([code, bad.map(([path]) => path)])
    expect(good.length).toBeGreaterThan(0)
  }
})

describe('what probes found', () => {
  async function probed(site: Site, { robots = '', ...example }: ProbeExample) {
    const id = await storeSite(user, site)
    await db().query(
      sql.typeAlias('void')`update crawls set robots_txt = ${robots}, robots_status = 200 where id = ${id}`,
    )
    const { robots: _robots, ...facts } = siteFacts(example)
    await probes.keep(id, { ...facts, agents: [] })
    return id
  }
  const nowhere = { status: 200, landed: 'there' } as const

  test('is an issue of the page that stands for the site, once, and goes with its cause', async () => {
    const id = await probed(
      { pages: { '/': { redirect: '/home' }, '/home': {}, '/b': {} } },
      { nowhere, oldTls: true, robots: 'User-agent: GPTBot\nDisallow: /' },
    )
    for (let times = 0; times < 2; times++) {
      const issues = await judged(id)
      expect(issues.get('/home')).toEqual(
        expect.arrayContaining(['soft_404_site', 'tls_outdated', 'ai_training_bot_blocked']),
      )
      expect(new Set(issues.get('/home')).size).toBe(issues.get('/home')?.length)
      for (const path of ['/', '/b']) expect(issues.get(path)).not.toContain('soft_404_site')
    }
    await probes.keep(id, { ...siteFacts({}), agents: [] })
    expect((await judged(id)).get('/home')).not.toContain('soft_404_site')
  })

  test('is an issue of the pages it is about, if they are known', async () => {
    const sitemaps = { named: 1, files: [], offsite: 0, insecure: 2 }
    const pages: Site['pages'] = {
      '/': {},
      'http://example.test/a': { inSitemap: true },
      '/b': { inSitemap: true },
    }
    const issues = await judged(await probed({ pages }, { sitemaps }))
    expect(
      [...issues].filter(([, codes]) => codes.includes('sitemap_url_http')).map(([path]) => path),
    ).toEqual(['http://example.test/a'])
    const unknown = await judged(await probed({ pages: { '/': {}, '/b': {} } }, { sitemaps }))
    expect(unknown.get('/')).toContain('sitemap_url_http')
  })

  test('is nothing before they ran', async () => {
    const id = await storeSite(user, { pages: { '/': {} } })
    await probes.keepSitemaps(id, { named: 0, files: [], offsite: 9, insecure: 0 })
    expect(await probes.find(id)).toBe(null)
    expect((await judged(id)).get('/')).not.toContain('sitemap_url_offsite')
    expect(await probes.state(id)).toEqual({
      sitemaps: { named: 0, files: [], offsite: 9, insecure: 0 },
      probed: false,
      targets_seconds: 0,
    })
  })

  test('is kept as it was, and what another release wrote otherwise was not asked', async () => {
    const facts = siteFacts({ nowhere, robots: 'User-agent: *' })
    const id = await probed({ pages: { '/': {} } }, { nowhere, robots: 'User-agent: *' })
    expect(await probes.find(id)).toEqual(facts)
    await db().query(
      sql.typeAlias(
        'void',
      )`update probes set facts = facts || '{"nowhere": 7, "certificate": {}}' where crawl_id = ${id}`,
    )
    expect(await probes.find(id)).toEqual({ ...facts, nowhere: null })
  })

  test('leaves targets a minute at least, and five at most', async () => {
    const id = await probed({ pages: { '/': {} } }, {})
    const seconds = async (minutes: number) => {
      await db().query(
        sql.typeAlias(
          'void',
        )`update crawls set started_at = now() - make_interval(mins => ${minutes}) where id = ${id}`,
      )
      const { robots: _robots, ...facts } = siteFacts({})
      await probes.keep(id, { ...facts, agents: [] })
      return Math.round((await probes.state(id)).targets_seconds)
    }
    expect([await seconds(0), await seconds(4), await seconds(600)]).toEqual([60, 120, 300])
    await probes.spend(id, 299)
    expect(Math.round((await probes.state(id)).targets_seconds)).toBe(1)
    await probes.spend(id, 299)
    expect((await probes.state(id)).targets_seconds).toBe(0)
  })
})

describe('targets', () => {
  const target = (id: number, url: string, uses = LINK, internal = false) => ({ id, url, uses, internal })
  const Row = z.object({ id: z.int(), status: z.int().nullable() })
  const statuses = async (crawlId: number) =>
    Object.fromEntries(
      (
        await db().any(sql.type(Row)`select id, status from targets where crawl_id = ${crawlId} order by id`)
      ).map(({ id, status }) => [id, status]),
    )
  async function crawlWith(...fresh: ReturnType<typeof target>[]) {
    const id = await storeSite(user, { pages: { '/': {} } })
    const ids = fresh.map(({ id }) => id)
    await targets.collect(id, [
      { urlKey: urlKey(address('/')), ids, uses: fresh.map(({ uses }) => uses), fresh },
    ])
    return id
  }

  test('are kept once, with all they are used for', async () => {
    const id = await crawlWith(target(1, 'https://a.test/'), target(2, 'https://b.test/', IMAGE))
    const again = [target(1, 'https://a.test/', IMAGE), target(3, 'https://c.test/', SCRIPT | EAGER, true)]
    await targets.collect(id, [
      { urlKey: '1', ids: [1], uses: [IMAGE], fresh: again.slice(0, 1) },
      { urlKey: '2', ids: [3, 1], uses: [SCRIPT | EAGER, LINK], fresh: again.slice(1) },
      { urlKey: '3', ids: [], uses: [], fresh: [] },
    ])
    expect(await targets.known(id)).toEqual([
      { id: 1, url: 'https://a.test/', uses: LINK | IMAGE },
      { id: 2, url: 'https://b.test/', uses: IMAGE },
      { id: 3, url: 'https://c.test/', uses: SCRIPT | EAGER },
    ])
    expect(await targets.isUsed(id, SCRIPT)).toBe(true)
    expect(await targets.isUsed(id, 16)).toBe(false)
  })

  test('outside a site are known to other crawls for a day, and failures for an hour', async () => {
    await db().query(sql.typeAlias('void')`delete from known_targets`)
    const first = [
      target(1, 'https://fine.test/'),
      target(2, 'https://gone.test/'),
      target(3, 'https://down.test/'),
      target(4, 'https://own.test/', LINK, true),
    ]
    const one = await crawlWith(...first)
    await targets.keep(one, [
      { target: first[0]!, verdict: verdict({ status: 200 }) },
      { target: first[1]!, verdict: verdict({ status: 404 }) },
      { target: first[2]!, verdict: verdict({ status: 0, fault: 'timeout' }) },
      { target: first[3]!, verdict: verdict({ status: 200 }) },
    ])
    const believed = async () => {
      const id = await crawlWith(...first, target(5, 'https://new.test/'))
      await targets.believe(id)
      return statuses(id)
    }
    const age = (hours: number) =>
      db().query(
        sql.typeAlias(
          'void',
        )`update known_targets set checked_at = now() - make_interval(hours => ${hours}, mins => -1)`,
      )
    expect(await believed()).toEqual({ 1: 200, 2: 404, 3: 0, 4: null, 5: null })
    await age(2)
    expect(await believed()).toEqual({ 1: 200, 2: 404, 3: null, 4: null, 5: null })
    await age(24)
    expect(await believed()).toEqual({ 1: 200, 2: 404, 3: null, 4: null, 5: null })
    expect(await sweepKnownTargets()).toBe(0)
    await age(25)
    expect(await believed()).toEqual({ 1: null, 2: null, 3: null, 4: null, 5: null })
    expect(await sweepKnownTargets()).toBe(3)
  })

  test('are looked at again where more must be known of them', async () => {
    const link = target(1, 'https://both.test/')
    await targets.keep(await crawlWith(link), [{ target: link, verdict: verdict() }])
    const image = await crawlWith(target(1, link.url, LINK | IMAGE))
    await targets.believe(image)
    expect(await statuses(image)).toEqual({ 1: null })
    expect(await targets.waiting(image)).toEqual([target(1, link.url, LINK | IMAGE)])
  })

  test('go with their scan', async () => {
    const id = await crawlWith(target(1, 'https://a.test/'))
    const { scan_id } = (await crawls.take(id, '00000000-0000-4000-8000-000000000000', crypto.randomUUID()))!
    await scans.remove(user, scan_id)
    expect(await statuses(id)).toEqual({})
    const left = await db().exists(sql.type(z.unknown())`select 1 from page_targets where crawl_id = ${id}`)
    expect(left).toBe(false)
  })

  test('of 10,000 pages are judged in little time', { timeout: 60_000 }, async () => {
    const id = await storeSite(user, { pages: { '/': {} } })
    await db().query(sql.unsafe`
      insert into pages (crawl_id, url_key, url, depth, in_sitemap, status_code, is_html, is_indexable, is_noindex,
                         words_count, images_no_alt, internal_links, external_links, bytes)
      select ${id}::bigint, i, 'https://example.test/' || i, 1, false, 200, true, true, false, 0, 0, 0, 0, 0
        from generate_series(1, 9999) i`)
    await db().query(sql.unsafe`
      insert into targets (crawl_id, id, url, uses, internal, status, content_type, bytes, lifetime)
      select ${id}::bigint, i, 'https://target.test/' || i, case i % 4 when 0 then 1 when 1 then 2 when 2 then 132 else 136 end,
             i % 4 > 0, case when i % 50 = 0 then 404 else 200 end, 'image/png', i * 100, 60
        from generate_series(1, 5000) i`)
    await db().query(sql.unsafe`
      insert into page_targets (crawl_id, url_key, targets, uses)
      select ${id}::bigint, p, array_agg((p * 7 + i * 131) % 5000 + 1), array_agg(
               case ((p * 7 + i * 131) % 5000 + 1) % 4 when 0 then 1 when 1 then 2 when 2 then 132 else 136 end::smallint)
        from generate_series(1, 9999) p cross join generate_series(1, 30) i group by p`)
    const started = performance.now()
    await overWholeCrawl(async (tx) => {
      for (const check of targetChecks) await tx.any(sql.unsafe`select count(*) from (${check.finds(id)}) f`)
    })
    // Two seconds of a machine that does nothing else.
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
