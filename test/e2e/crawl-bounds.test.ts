import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { count, startGenerated } from '../fakes/generated-site.ts'
import { startGraph } from '../fakes/graph.ts'
import { type Site, startSite } from '../fakes/site.ts'
import type { FakeServer } from '../fakes/site/server.ts'
import { type Client, clientOf } from '../support/client.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { fetched, fetches } from '../support/fetched.ts'
import { type Service, startService } from '../support/service.ts'

const database = useDatabase()
let service: Service
let site: Site
let mario: Client
const servers: FakeServer[] = []

beforeAll(async () => {
  service = await startService({ url: database.url })
  mario = clientOf(service.origin, (await makePerson('mario')).key)
  site = await startSite()
})
afterAll(async () => {
  await Promise.all([service?.stop(), site?.close(), ...servers.map((server) => server.close())])
})

async function graph(...given: Parameters<typeof startGraph>): Promise<FakeServer> {
  const server = await startGraph(...given)
  servers.push(server)
  return server
}

/** The paths a crawl lists, sorted. */
async function listed(body: { start_url: string } & Record<string, unknown>): Promise<string[]> {
  const scan = await mario.crawl(body)
  expect(scan.status).toBe('completed')
  const rows = await mario.pages(scan.id)
  const { origin } = new URL(body.start_url)
  expect(rows.filter(({ url }) => !url.startsWith(`${origin}/`))).toEqual([])
  return rows.map(({ url }) => url.slice(origin.length)).toSorted()
}

const paths = (options?: Parameters<Site['truth']>[0]) =>
  site
    .truth(options)
    .map(({ path }) => path)
    .toSorted()

describe('max_pages', () => {
  test.each([1, 2, 7, 40])('of %i is exact with 16 requests in flight', async (most) => {
    site.forget()
    const scan = await mario.crawl({ start_url: site.origin, max_pages: most })
    expect(scan).toMatchObject({ status: 'completed', pages_processed: most })
    const rows = await mario.pages(scan.id)
    expect(new Set(rows.map(({ url }) => url)).size).toBe(most)
    expect(rows).toHaveLength(most)
    const known = new Set(paths())
    expect(fetches(site.log).filter(({ path }) => known.has(path))).toHaveLength(most)
  })

  test('beyond what there is ends with what there is', async () => {
    expect(await listed({ start_url: site.origin, max_pages: 10_000 })).toEqual(paths())
  })

  test('beyond the plan is the plan’s', async () => {
    const many = await graph(
      Object.fromEntries(
        Array.from({ length: 260 }, (_, n) => [n === 0 ? '/' : `/${n}`, [`/${2 * n + 1}`, `/${2 * n + 2}`]]),
      ),
    )
    expect(await listed({ start_url: many.origin, max_pages: 9000 })).toHaveLength(200)
    expect(await listed({ start_url: many.origin })).toHaveLength(200)
  })
})

describe('max_depth', () => {
  // /late is at depth 2, though it is met first by a longer way.
  const links = {
    '/': ['/a', '/b', '/'],
    '/a': ['/a/1', '/', '/b'],
    '/b': ['/late', '/b/1'],
    '/a/1': ['/a/1/1'],
    '/b/1': ['/late', '/'],
    '/late': ['/late/1'],
    '/a/1/1': ['/a/1/1/1'],
    '/late/1': [],
    '/a/1/1/1': [],
  }
  const level = [['/'], ['/a', '/b'], ['/a/1', '/b/1', '/late'], ['/a/1/1', '/late/1'], ['/a/1/1/1']]

  test.each([0, 1, 2, 3, 50])('of %i is exact', async (depth) => {
    const tree = await graph(links)
    const expected = level
      .slice(0, depth + 1)
      .flat()
      .toSorted()
    expect(await listed({ start_url: tree.origin, max_depth: depth })).toEqual(expected)
    expect([...tree.hits.keys()].filter((path) => path in links).toSorted()).toEqual(expected)
  })
})

describe('exclude_paths', () => {
  test('keeps matching pages out, start and all else counting', async () => {
    site.forget()
    const rules = ['# not these', '', '/private/', '/*.pdf$', '/links/list?page=', '/titles/6*'].join('\r\n')
    const out = /^\/private\/|\.pdf$|^\/links\/list\?page=|^\/titles\/6/
    expect(await listed({ start_url: site.origin, exclude_paths: rules })).toEqual(
      paths().filter((path) => !out.test(path)),
    )
    expect([...site.hits.keys()].filter((path) => out.test(path))).toEqual([])
  })
})

describe('robots.txt', () => {
  test('is obeyed with respect_robots: the group of our name, the longest match', async () => {
    site.forget()
    expect(await listed({ start_url: site.origin, respect_robots: true })).toEqual(paths({ robots: true }))
    expect(site.hits.has('/private/secret')).toBe(false)
    expect(site.hits.has('/tools/run.cgi')).toBe(false)
  })

  test('that forbids the start fails the scan', async () => {
    site.forget()
    const scan = await mario.crawl({ start_url: `${site.origin}/private/secret`, respect_robots: true })
    expect(scan).toMatchObject({ status: 'failed', failure: expect.stringMatching(/robots/i), score: null })
    expect(await mario.pages(scan.id)).toEqual([])
    expect(await mario.history(scan.id)).toEqual([])
    expect(site.hits.has('/private/secret')).toBe(false)
  })

  test('does not matter without respect_robots', async () => {
    const scan = await mario.crawl({ start_url: `${site.origin}/private/secret`, max_pages: 1 })
    expect(scan.status).toBe('completed')
  })

  test.each([
    [404, 'completed'],
    [403, 'completed'],
    [500, 'failed'],
    [503, 'failed'],
  ])('that answers %i makes a respectful scan %s', async (status, outcome) => {
    const server = await graph({ '/': [] }, () => ({ '/robots.txt': { status } }))
    const scan = await mario.crawl({ start_url: server.origin, respect_robots: true })
    expect(scan.status).toBe(outcome)
  })
})

describe('use_sitemap', () => {
  test('adds the URLs of an index, gzip and all, but none of another site', async () => {
    expect(await listed({ start_url: site.origin, use_sitemap: true })).toEqual(paths({ sitemap: true }))
    expect(site.other.hits.has('/offsite')).toBe(false)
    expect(fetches(site.other.log)).toEqual([])
  })

  test('obeys robots.txt as everything does', async () => {
    expect(await listed({ start_url: site.origin, use_sitemap: true, respect_robots: true })).toEqual(
      paths({ sitemap: true, robots: true }),
    )
  })

  test('looks at /sitemap.xml where robots.txt names none, and leaves max_pages exact', async () => {
    const urls = Array.from({ length: 3000 }, (_, index) => `/listed/${index}`)
    const server = await graph(
      Object.fromEntries([['/', []], ...urls.map((url) => [url, []])]),
      (origin) => ({
        '/sitemap.xml': {
          headers: { 'content-type': 'application/xml' },
          body: `<urlset>${urls.map((url) => `<url><loc>${origin}${url}</loc></url>`).join('')}</urlset>`,
        },
      }),
    )
    const found = await listed({ start_url: server.origin, use_sitemap: true, max_pages: 50 })
    expect(found).toHaveLength(50)
    expect(found).toContain('/')
    expect(server.log.filter(({ path }) => path.startsWith('/listed/'))).toHaveLength(49)
  })

  test('that is broken does not matter', async () => {
    const server = await graph({ '/': ['/a'], '/a': [] }, () => ({
      '/sitemap.xml': { headers: { 'content-type': 'application/xml' }, body: '<urlset><url><loc>http://[' },
    }))
    expect(await listed({ start_url: server.origin, use_sitemap: true })).toEqual(['/', '/a'])
  })
})

test('a start URL that answers an error is a page, and the scan completes', async () => {
  const server = await graph({ '/': [] })
  const scan = await mario.crawl({ start_url: `${server.origin}/nothing` })
  expect(scan.status).toBe('completed')
  expect(await mario.pages(scan.id)).toMatchObject([{ status_code: 404, score: 0 }])
})

test('a start URL without a scheme, with a fragment, in capitals, is the same place', async () => {
  const server = await graph({ '/': ['/a'], '/a': [] })
  const { host } = new URL(server.origin)
  expect(await listed({ start_url: `${server.origin}/#top` })).toEqual(['/', '/a'])
  const scan = await mario.crawl({ url: `HTTP://${host}` })
  expect((await mario.pages(scan.id)).map(({ url }) => url)).toEqual([
    `${server.origin}/`,
    `${server.origin}/a`,
  ])
})

test('planted faults are found in exact number', async () => {
  const generated = await startGenerated({ pages: 160, links: 12, kilobytes: 5, seed: 7 })
  servers.push(generated)
  const scan = await mario.crawl({ start_url: generated.origin })
  expect(scan).toMatchObject({ status: 'completed', pages_processed: generated.expected.size })
  const { issues } = await mario.issues(scan.id)
  const found = Object.fromEntries(issues.map(({ code, pages }) => [code, pages]))
  expect(found).toMatchObject(count(generated.expected))
  const pages = fetched(generated.log)
  expect([...generated.expected.keys()].filter((path) => pages.get(path) !== 1)).toEqual([])
})
