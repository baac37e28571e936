import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { findBrowser } from '../../tasks/browser.ts'
import { cssReferences } from '../../tasks/scrape/css-references.ts'
import { htmlReferences } from '../../tasks/scrape/html-references.ts'
import { startGraph, star } from '../fakes/graph.ts'
import { type Expected, type MirrorSite, startMirrorSite } from '../fakes/mirror-site.ts'
import { type FakeServer, startServer } from '../fakes/site/server.ts'
import { startSpa } from '../fakes/spa.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { type Files, type Manifest, type Scraper, scraperOf, unpack } from '../support/scraper.ts'
import { type Service, startService } from '../support/service.ts'

const DEPTH = 5
/** Browsers load neither modules nor the symbols of other drawings from files, though they are there. */
const refused = /\.mjs$|\/sprite\.svg$/

const database = useDatabase()
let service: Service
let scraper: Scraper
let site: MirrorSite
const servers: Pick<FakeServer, 'close'>[] = []

beforeAll(async () => {
  service = await startService({ url: database.url })
  scraper = scraperOf(service.origin, (await makePerson('mario')).key)
  site = await startMirrorSite()
})
afterAll(async () => {
  await Promise.all([service?.stop(), site?.close(), ...servers.map((server) => server.close())])
})

async function open<T extends Pick<FakeServer, 'close'>>(starting: Promise<T>): Promise<T> {
  const server = await starting
  servers.push(server)
  return server
}

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')
const own = new Set(['manifest.json', 'index.html'])
const sorted = (values: Iterable<string>) => [...values].toSorted()

/** Where each address is, by the manifest. */
const places = ({ entries }: Manifest) => new Map(entries.map(({ url, path }) => [url, path]))

/** Relative references of all files that lead to none. */
function dangling(files: Files): string[] {
  const root = 'http://archive.test/'
  return [...files].flatMap(([name, content]) => {
    const url = new URL(name.split('/').map(encodeURIComponent).join('/'), root)
    const read = name.endsWith('.css') ? cssReferences : /\.(x?html?|svg)$/.test(name) ? htmlReferences : null
    const { references, fixed } = read?.(content, url, 'utf-8') ?? { references: [], fixed: [] }
    return [...references, ...fixed]
      .filter((reference) => reference.url.startsWith(root))
      .map((reference) => decodeURIComponent(new URL(reference.url).pathname.slice(1)))
      .filter((target) => !files.has(target))
      .map((target) => `${name} → ${target}`)
  })
}

describe('a whole site', () => {
  let expected: Expected
  let mirrored: Awaited<ReturnType<Scraper['mirror']>>
  beforeAll(async () => {
    expected = site.expected({ depth: DEPTH })
    mirrored = await scraper.mirror({ url: site.origin, depth: DEPTH, max_pages: 1000 })
  })

  test('is there, each content once', () => {
    const at = places(mirrored.manifest)
    const twins = new Map(expected.duplicates.flatMap((group) => group.map((url) => [url, group] as const)))
    const missing = expected.saved.filter(({ url }) => !(twins.get(url) ?? [url]).some((one) => at.get(one)))
    expect(missing.map(({ url }) => url)).toEqual([])
    const wanted = [
      ...expected.saved.flatMap(({ url }) => twins.get(url) ?? [url]),
      ...expected.redirected,
      ...expected.failed,
    ]
    expect(sorted(at.keys())).toEqual(sorted(new Set(wanted)))
    for (const group of expected.duplicates) expect(new Set(group.map((url) => at.get(url))).size).toBe(1)
    expect(mirrored.files.size - own.size).toBe(expected.saved.length)
  })

  test('is counted', () => {
    const pages = expected.saved.filter(({ kind }) => kind === 'page').length
    expect(mirrored.job.stats).toMatchObject({
      pages_downloaded: pages,
      resources_downloaded: expected.saved.length - pages,
      duplicates_skipped: expected.duplicates.reduce((sum, group) => sum + group.length - 1, 0),
    })
    expect(mirrored.job).toMatchObject({ status: 'completed', truncated: false })
  })

  test('has a manifest that is right to the byte', () => {
    const { files, manifest, job, id } = mirrored
    expect(manifest).toMatchObject({ job_id: id, url: `${site.origin}/`, truncated: false })
    expect(manifest.completed_at).toBeGreaterThanOrEqual(manifest.started_at)
    for (const { path, size, sha256: hash } of manifest.entries) {
      const content = path === null ? undefined : files.get(path)
      const there = content ? { size: content.length, hash: sha256(content) } : { size: null, hash: null }
      expect({ path, size, hash }).toEqual({ path: content ? path : null, ...there })
    }
    const named = new Set(manifest.entries.map(({ path }) => path))
    expect([...files.keys()].filter((name) => !named.has(name) && !own.has(name))).toEqual([])
    const types = new Map(manifest.entries.map(({ url, type }) => [url, type]))
    for (const { url, type } of expected.saved) expect(types.get(url)).toBe(type)
    const nowhere = manifest.entries.filter(({ path }) => path === null)
    expect(sorted(nowhere.map(({ url }) => url))).toEqual(
      sorted([...expected.redirected, ...expected.failed]),
    )
    expect(job.result?.zip_file).toBe(`${id}.zip`)
  })

  test('keeps what needs no rewriting as it was', () => {
    const at = places(mirrored.manifest)
    const kept = expected.saved.filter(
      ({ sort, type }) => sort !== 'html' && sort !== 'style' && type !== 'image/svg+xml',
    )
    expect(kept.length).toBeGreaterThan(40)
    for (const { url, body } of kept) expect(mirrored.files.get(at.get(url) ?? '')).toEqual(body)
  })

  test('has names for every file system', () => {
    const names = [...mirrored.files.keys()]
    expect(new Set(names.map((name) => name.normalize('NFC').toLowerCase())).size).toBe(names.length)
    for (const name of names) {
      expect(name.length).toBeLessThan(230)
      for (const segment of name.split('/')) {
        expect(segment).not.toMatch(/^\.{0,2}$|[<>:"|?*\\]|[. ]$/)
        expect(segment).not.toMatch(/^(con|aux|nul|prn|com\d|lpt\d)(\.|$)/i)
      }
    }
  })

  test('does not ask robots.txt', () => {
    expect(site.server.hits.size).toBeGreaterThan(100)
    expect(site.server.hits.has('/robots.txt')).toBe(false)
  })

  test('has no link that leads nowhere', () => {
    expect(dangling(mirrored.files)).toEqual([])
  })

  test.runIf(findBrowser())('opens in a browser without a network', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'seo-suite-offline-'))
    const browser = await chromium.launch({ executablePath: findBrowser()!, args: ['--no-sandbox'] })
    try {
      await unpack(mirrored.files, directory)
      const context = await browser.newContext({ offline: true, serviceWorkers: 'block' })
      const page = await context.newPage()
      const failed: string[] = []
      page.on('requestfailed', (request) => request.url().startsWith('file:') && failed.push(request.url()))
      const at = places(mirrored.manifest)
      const pages = expected.saved.filter(
        ({ sort, path }) => sort === 'html' && !/^\/many\/(?!1$)/.test(path),
      )
      expect(pages.length).toBeGreaterThan(60)
      for (const { url, path, marker } of pages) {
        const file = pathToFileURL(join(directory, at.get(url)!)).href
        await page.goto(file, { waitUntil: 'load' })
        // One page leads on by itself.
        const shown = path === '/refresh' ? 'Moved on' : marker
        if (shown) await page.getByText(shown, { exact: false }).first().waitFor({ timeout: 5000 })
      }
      await page.goto(pathToFileURL(join(directory, 'index.html')).href)
      await page.getByText('The front page of the mirrored site').first().waitFor({ timeout: 5000 })
      expect(failed.filter((url) => !refused.test(url))).toEqual([])
    } finally {
      await browser.close()
      await rm(directory, { recursive: true, force: true })
    }
  })
})

describe('bounds', () => {
  test.each([0, 1, 2])('depth %i', async (depth) => {
    const expected = site.expected({ start: '/deep/1', depth })
    const { manifest } = await scraper.mirror({ url: `${site.origin}/deep/1`, depth })
    expect(sorted(places(manifest).keys())).toEqual(sorted(expected.saved.map(({ url }) => url)))
    expect(manifest.entries).toHaveLength(depth + 1)
  })

  test.each([1, 7, 100])('%i pages', async (pages) => {
    const { job, manifest } = await scraper.mirror({ url: `${site.origin}/many/`, max_pages: pages })
    expect(job.stats).toMatchObject({ pages_downloaded: pages, errors: 0 })
    expect(manifest.entries.filter(({ type }) => type === 'text/html')).toHaveLength(pages)
    expect(manifest.entries.filter(({ type }) => type === 'image/png')).toHaveLength(pages > 1 ? 1 : 0)
  })

  test('pages that fail and repeat do not count', async () => {
    const wide = await open(
      startGraph({
        '/': ['/a', '/gone', '/b', '/also-gone', '/c', '/d'],
        '/a': [],
        '/b': [],
        '/c': [],
        '/d': [],
      }),
    )
    const { job } = await scraper.mirror({ url: wide.origin, max_pages: 4 })
    expect(job.stats.pages_downloaded).toBe(4)
  })

  test('the nearer pages come first', async () => {
    const deep = await open(
      startGraph({
        '/': ['/a', '/b'],
        '/a': ['/a/1', '/a/2'],
        '/b': ['/b/1'],
        '/a/1': [],
        '/a/2': [],
        '/b/1': [],
      }),
    )
    const { manifest } = await scraper.mirror({ url: deep.origin, max_pages: 3 })
    expect(sorted(manifest.entries.map(({ url }) => new URL(url).pathname))).toEqual(['/', '/a', '/b'])
  })

  test('another host is another site, but for requisites', async () => {
    const other = await open(startGraph({ '/': [] }))
    const mine = await open(startGraph({ '/': [`${other.origin}/`, '/a'], '/a': [] }))
    const { files, manifest } = await scraper.mirror({ url: mine.origin })
    expect(manifest.entries.map(({ url }) => url)).toEqual([`${mine.origin}/`, `${mine.origin}/a`])
    expect(other.hits.size).toBe(0)
    const start = manifest.entries[0]!.path!
    expect(files.get(start)!.toString()).toContain(`"${other.origin}/"`)
  })
})

describe('filters', () => {
  const mirror = (order: object) => scraper.mirror({ url: site.origin, depth: 2, max_pages: 400, ...order })
  const compare = (manifest: Manifest, expected: Expected) => {
    const saved = manifest.entries.filter(({ path, status }) => path !== null && status === 200)
    const twins = new Map(expected.duplicates.flatMap((group) => group.map((url) => [url, group] as const)))
    expect(sorted(saved.map(({ url }) => url))).toEqual(
      sorted(expected.saved.flatMap(({ url }) => twins.get(url) ?? [url])),
    )
  }

  test('html_only', async () => {
    const { manifest, files } = await mirror({ html_only: true })
    compare(
      manifest,
      site.expected({ depth: 2, keeps: ({ sort, path }) => sort === 'html' && path !== '/names/nul.txt' }),
    )
    expect(dangling(files)).toEqual([])
  })

  test('images_only keeps no page but the first', async () => {
    const { manifest, job, files } = await mirror({ filters: { presets: ['images_only'] } })
    const saved = manifest.entries.filter(({ path }) => path !== null)
    const types = new Set(saved.map(({ type }) => type!.split('/')[0]))
    expect(types).toEqual(new Set(['image', 'text']))
    expect(saved.filter(({ type }) => type === 'text/html')).toHaveLength(1)
    expect(job.stats.resources_downloaded).toBeGreaterThan(20)
    expect(dangling(files)).toEqual([])
  })

  test('max_size leaves out larger files, without calling it an error', async () => {
    const order = { url: `${site.origin}/files`, depth: 1 }
    const all = await scraper.mirror(order)
    const small = await scraper.mirror({ ...order, filters: { max_size: '600KB' } })
    const paths = ({ manifest }: typeof all) => manifest.entries.map(({ url }) => new URL(url).pathname)
    expect(paths(all)).toContain('/files/large.png')
    expect(paths(small)).toEqual(paths(all).filter((path) => path !== '/files/large.png'))
    expect(small.job.stats.errors).toBe(0)
  })

  test('exclude_patterns and include_patterns', async () => {
    const order = { url: `${site.origin}/blog/`, depth: 3 }
    const { manifest } = await scraper.mirror({
      ...order,
      filters: { include_patterns: ['/blog/**'], exclude_patterns: ['/blog/2024/**'] },
    })
    expect(sorted(manifest.entries.map(({ url }) => new URL(url).pathname))).toEqual([
      '/blog/',
      '/blog/first',
    ])
  })
})

describe('the start URL', () => {
  test.each([
    ['/gone', /404/],
    ['/failing', /500/],
    ['/loop-a', /redirects/],
    ['/moved-away', /elsewhere\.test/],
  ])('%s fails the job with a reason', async (path, reason) => {
    const done = await scraper.ended(await scraper.begin({ url: site.origin + path }))
    expect(done).toMatchObject({ status: 'failed', result: null, error: expect.stringMatching(reason) })
    expect((await scraper.call('GET', `/jobs/${done.id}/download`).catch(() => undefined))?.status).not.toBe(
      200,
    )
  })

  test('that cannot be reached fails the job', async () => {
    const closed = await startGraph({})
    await closed.close()
    const done = await scraper.ended(await scraper.begin({ url: closed.origin }))
    expect(done).toMatchObject({ status: 'failed', error: expect.stringMatching(/ECONNREFUSED/) })
  })

  test('that redirects is followed, and the site is where it leads', async () => {
    const target = await open(startGraph({ '/home': ['/a'], '/a': [], '/': [] }))
    const from = await open(
      startGraph({}, () => ({ '/': { status: 302, headers: { location: `${target.origin}/home` } } })),
    )
    const { manifest, files } = await scraper.mirror({ url: from.origin })
    expect(manifest.entries.map(({ url, status }) => [url, status])).toEqual([
      [`${from.origin}/`, 302],
      [`${target.origin}/home`, 200],
      [`${target.origin}/a`, 200],
      [`${target.origin}/`, 200],
    ])
    const home = places(manifest).get(`${target.origin}/home`)!
    expect(files.get('index.html')!.toString()).toContain(`url=${home}`)
  })

  test('may be any file', async () => {
    const { manifest, job } = await scraper.mirror({ url: `${site.origin}/img/logo.png` })
    expect(job.stats).toMatchObject({ pages_downloaded: 0, resources_downloaded: 1 })
    expect(manifest.entries).toMatchObject([{ url: `${site.origin}/img/logo.png`, type: 'image/png' }])
  })

  test('is saved whatever the filters say', async () => {
    const filters = { exclude_patterns: ['/**'], max_size: '1KB', blocked_extensions: ['html', 'png'] }
    const { manifest } = await scraper.mirror({ url: `${site.origin}/files/large.png`, filters })
    expect(manifest.entries).toHaveLength(1)
  })
})

test('cookies are kept within a job, and not from one to the next', async () => {
  const shop = await open(
    startServer((path, { headers }) =>
      path === '/'
        ? {
            headers: { 'set-cookie': 'basket=1; Path=/' },
            body: '<title>Shop</title><a href="/basket">Basket</a>',
          }
        : { body: `<title>Basket</title>${headers.cookie}` },
    ),
  )
  await scraper.mirror({ url: shop.origin })
  await scraper.mirror({ url: shop.origin })
  const sent = shop.log.map(({ path, headers }) => [path, headers.cookie])
  expect(sent).toEqual([
    ['/', undefined],
    ['/basket', 'basket=1'],
    ['/', undefined],
    ['/basket', 'basket=1'],
  ])
})

test('a connection that breaks is tried again', async () => {
  let asked = 0
  const flaky = await open(
    startServer((path) => {
      if (path === '/') return { body: '<title>Flaky</title><img src="/flaky.png">' }
      const headers = { 'content-type': 'image/png' }
      if (++asked === 3) return { headers, body: 'at last' }
      return {
        respond(_request, response) {
          response.writeHead(200, { ...headers, 'content-length': '7' })
          response.write('at l', () => response.socket?.resetAndDestroy())
        },
      }
    }),
  )
  const { job, files, manifest } = await scraper.mirror({ url: flaky.origin })
  expect(job.stats).toMatchObject({ errors: 0, resources_downloaded: 1 })
  expect(files.get(places(manifest).get(`${flaky.origin}/flaky.png`)!)!.toString()).toBe('at last')
})

describe.runIf(findBrowser())('pages that scripts fill', () => {
  test('are saved as rendered', async () => {
    const expected = site.expected({ start: '/shell', depth: 1 })
    const { files, manifest } = await scraper.mirror({ url: `${site.origin}/shell`, depth: 1 })
    const at = places(manifest)
    expect(files.get(at.get(`${site.origin}/shell`)!)!.toString()).toContain('Drawn by a script')
    expect(expected.saved.map(({ url }) => url)).toContain(`${site.origin}/rendered`)
    expect(at.get(`${site.origin}/rendered`)).not.toBeNull()
    expect(at.get(`${site.origin}/img/rendered.png`)).toMatch(/png$/)
    expect(dangling(files)).toEqual([])
  })

  test('are told apart although the server sends the same for all', async () => {
    const spa = await open(startSpa())
    const { job, manifest, files } = await scraper.mirror({ url: spa.origin, max_pages: 6 })
    expect(job.stats.pages_downloaded).toBe(6)
    const items = manifest.entries.filter(({ url, path }) => path && /\/item\/\d+$/.test(url))
    expect(items.length).toBeGreaterThanOrEqual(4)
    for (const { url, path } of items)
      expect(files.get(path!)!.toString()).toContain(`<h1>Item ${url.split('/').at(-1)}</h1>`)
  })
})

test('a job under way tells how far it is', async () => {
  const slow = await open(startGraph(star(30)))
  const release = slow.hold((path) => path === '/leaf/29')
  const id = await scraper.begin({ url: slow.origin })
  await expect
    .poll(async () => (await scraper.job(id)).stats.pages_downloaded, { timeout: 10_000, interval: 100 })
    .toBe(29)
  expect(await scraper.job(id)).toMatchObject({ status: 'running', result: null })
  release()
  expect((await scraper.ended(id)).stats.pages_downloaded).toBe(30)
})
