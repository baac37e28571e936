import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import { targetChecks } from '../../tasks/crawl/targets/checks/index.ts'
import { html } from '../fakes/site/html.ts'
import { type Answer, type FakeServer, startServer } from '../fakes/site/server.ts'
import { type Client, clientOf, type Scan } from '../support/client.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { freePort, type Service, startService, waitFor } from '../support/service.ts'

/** A crawl with a host that lets everything hang ends within this time. */
const DEAD_HOST_SECONDS = 40
/** A killed worker's work goes on elsewhere within this time. */
const TAKEOVER_SECONDS = 60

const database = useDatabase()
let service: Service
let mario: Client
const servers: FakeServer[] = []

beforeAll(async () => {
  service = await startService({ url: database.url, clock: true, env: { SPIDER_CONCURRENCY: '4' } })
  mario = clientOf(service.origin, (await makePerson('mario')).key)
})
afterAll(async () => {
  await Promise.all([service?.stop(), ...servers.map((server) => server.close())])
})

async function open(...given: Parameters<typeof startServer>): Promise<FakeServer> {
  const server = await startServer(...given)
  servers.push(server)
  return server
}

/** A site whose start page leads to all others; each has this in its body. */
const openSite = (
  bodies: Record<string, string>,
  rest: (path: string) => Answer | undefined = () => undefined,
) =>
  open((path, { headers }) => {
    const origin = `http://${headers.host}`
    const links = Object.keys(bodies).map((path) => `<a href="${path}">To ${path}</a>`)
    const body = path === '/' ? links.join(' ') : bodies[path]
    return body === undefined ? rest(path) : { body: html(path, origin, { body }) }
  })

const codes = new Set(targetChecks.map(({ code }) => code))

/** The issues of a scan that its targets raise, by path. */
async function found(id: number, site: FakeServer) {
  const pages = await mario.pages(id)
  return Object.fromEntries(
    pages.map(({ url, issues }) => [
      url.slice(site.origin.length),
      issues.filter((code) => codes.has(code)).toSorted(),
    ]),
  )
}

const file = (type: string, bytes: number): Answer => ({
  headers: { 'content-type': type, 'content-length': String(bytes), 'cache-control': 'max-age=86400' },
  body: Buffer.alloc(bytes),
})
const moved = (location: string): Answer => ({ status: 301, headers: { location } })

describe('what pages use', () => {
  let site: FakeServer
  let other: FakeServer
  let scan: number

  beforeAll(async () => {
    other = await open((path, { method }) => {
      const status = /^\/(\d{3})$/.exec(path)?.[1]
      if (status) return { status: Number(status) }
      if (path === '/no-head') return method === 'HEAD' ? { status: 405 } : { body: 'here' }
      if (path === '/moved') return moved('/fine')
      if (path === '/moved-away') return moved('/404')
      return path.endsWith('.png') ? undefined : { body: 'here' }
    })
    const away = await freePort()
    site = await openSite(
      {
        '/fine': `<a href="${other.origin}/fine">x</a> <a href="${other.origin}/no-head">x</a> <img src="/ok.webp" alt="">`,
        '/gone': `<a href="${other.origin}/404">x</a>`,
        '/gone-for-good': `<a href="${other.origin}/fine">x</a> <a href="${other.origin}/410">x</a>`,
        '/failing': `<a href="${other.origin}/500">x</a>`,
        '/nobody': `<a href="http://127.0.0.1:${away}/">x</a>`,
        '/no-name': '<a href="http://nothing.invalid/">x</a>',
        '/refused': `<a href="${other.origin}/403">x</a> <a href="${other.origin}/401">x</a>`,
        '/moved': `<a href="${other.origin}/moved">x</a>`,
        '/moved-away': `<a href="${other.origin}/moved-away">x</a>`,
        '/own-image': '<img src="/missing.png" alt="">',
        '/other-image': `<img src="${other.origin}/missing.png" alt="">`,
        '/large-image': '<img src="/large.jpg" alt="">',
        '/code': '<script src="/missing.js"></script>',
        '/style': '<link rel="stylesheet" href="/page.css">',
        '/large-code': '<script src="/large.js"></script>',
        '/heavy': '<script src="/huge.js"></script>',
        '/forgetful': '<img src="/fresh.webp" alt="">',
        '/preview': '<meta property="og:image" content="/preview.gif">',
        '/closed': '<script src="/closed/a.js"></script>',
      },
      (path) =>
        ({
          '/robots.txt': {
            headers: { 'content-type': 'text/plain' },
            body: 'User-agent: *\nDisallow: /closed/',
          },
          '/ok.webp': file('image/webp', 1000),
          '/large.jpg': file('image/jpeg', 300_000),
          '/page.css': { body: '<title>Not a style sheet</title>' },
          '/large.js': file('text/javascript', 300_000),
          '/huge.js': file('text/javascript', 2_600_000),
          '/fresh.webp': {
            headers: { 'content-type': 'image/webp', 'cache-control': 'no-cache' },
            body: 'x',
          },
          '/closed/a.js': file('text/javascript', 1000),
          '/preview.gif': {
            ...file('image/gif', 10),
            body: Buffer.concat([Buffer.from('GIF89a'), Buffer.of(10, 0, 10, 0)]),
          },
        })[path],
    )
    scan = (await mario.crawl({ start_url: site.origin })).id
  })

  test('is looked at, and what is wrong with it is an issue of the page', async () => {
    expect(await found(scan, site)).toEqual({
      '/': [],
      '/fine': [],
      '/gone': ['link_external_broken'],
      '/gone-for-good': ['link_external_broken'],
      '/failing': ['link_external_broken'],
      '/nobody': ['link_external_broken'],
      '/no-name': ['link_external_broken'],
      '/refused': ['link_external_blocked'],
      '/moved': ['link_external_redirect'],
      '/moved-away': ['link_external_broken'],
      '/own-image': ['image_broken_internal'],
      '/other-image': ['image_broken_external'],
      '/large-image': ['image_too_large', 'images_legacy_format'],
      '/code': ['asset_broken'],
      '/style': ['asset_broken', 'cache_missing'],
      '/large-code': ['assets_too_large'],
      '/heavy': ['assets_too_large', 'page_weight_large'],
      '/forgetful': ['cache_missing'],
      '/preview': ['og_image_small'],
      '/closed': ['resource_blocked'],
    })
  })

  test('is asked for by HEAD, by GET where that is refused, and once for all pages', () => {
    const asked = Map.groupBy(other.log, ({ path }) => path)
    const methods = Object.fromEntries(
      [...asked].map(([path, log]) => [path, log.map(({ method }) => method)]),
    )
    expect(methods).toEqual({
      '/fine': expect.arrayContaining(['HEAD']),
      '/no-head': ['HEAD', 'GET'],
      '/404': expect.arrayContaining(['HEAD', 'GET']),
      '/410': ['HEAD', 'GET'],
      '/500': ['HEAD', 'GET'],
      '/403': ['HEAD', 'GET'],
      '/401': ['HEAD', 'GET'],
      '/moved': ['HEAD'],
      '/moved-away': ['HEAD', 'GET'],
      '/missing.png': ['HEAD', 'GET'],
    })
    // Of its own, and at the end of a redirect.
    expect(methods['/fine']).toHaveLength(2)
  })

  test('is believed for other sites when another scan asks, and looked at again on its own', async () => {
    other.forget()
    site.forget()
    const again = await mario.crawl({ start_url: site.origin })
    expect(await found(again.id, site)).toEqual(await found(scan, site))
    // What failed with a server error may be better by now, within the hour it is not asked again.
    expect(other.log).toEqual([])
    expect(site.hits.get('/large.jpg')).toBe(1)
  })

  test('is left alone where the scan was told to', async () => {
    site.forget()
    const scan = await mario.crawl({ start_url: site.origin, exclude_paths: '/missing\n/large' })
    expect([...site.hits.keys()].filter((path) => /^\/(missing|large)/.test(path))).toEqual([])
    expect((await found(scan.id, site))['/own-image']).toEqual([])
  })
})

describe('hosts that hang, and workers that die', () => {
  let dead: FakeServer
  let hung: FakeServer
  let other: FakeServer
  let killed: FakeServer
  let ends: Record<'hung' | 'killed', Promise<Scan & { seconds: number }>>

  beforeAll(async () => {
    other = await open((path) => (path === '/gone' ? undefined : { body: 'here' }))
    const links = Array.from({ length: 30 }, (_, n) => `<a href="${other.origin}/${n}">x</a>`).join('')
    const last = ['/gone', '/late'].map((path) => `<a href="${other.origin}${path}">x</a>`).join('')
    killed = await openSite({ '/a': links + last })
    const release = other.hold((path) => path === '/late')
    const id = await mario.begin({ start_url: killed.origin })
    const Left = z.object({ left: z.int() })
    const left = () =>
      db().oneFirst(sql.type(Left)`
        select count(*) as left from targets where status is null and starts_with(url, ${other.origin})`)
    await waitFor(async () => other.hits.has('/late') && (await left()) === 1, {
      what: 'all verdicts but one',
    })
    const [first] = service.members.filter(({ kind }) => kind === 'worker')
    await service.start('worker')
    await first!.kill('SIGKILL')
    other.forget()
    release()

    dead = await open(() => ({}))
    dead.hold(() => true)
    const hanging = Array.from({ length: 200 }, (_, n) => `<a href="${dead.origin}/${n}">x</a>`).join('')
    hung = await openSite({ '/a': hanging, '/b': '<img src="/missing.png" alt="">' })
    ends = { hung: end(await mario.begin({ start_url: hung.origin })), killed: end(id) }
  })
  afterAll(() => Promise.allSettled(Object.values(ends ?? {})))

  async function end(id: number) {
    const started = performance.now()
    const scan = await mario.ended(id)
    return { ...scan, seconds: (performance.now() - started) / 1000 }
  }

  test('such a host holds up no crawl for long, and nobody is blamed for it', async () => {
    const scan = await ends.hung
    expect(scan.status).toBe('completed')
    expect(scan.seconds).toBeLessThan(DEAD_HOST_SECONDS)
    expect(await found(scan.id, hung)).toEqual({ '/': [], '/a': [], '/b': ['image_broken_internal'] })
    expect(dead.hits.size).toBeLessThan(10)
  })

  test('such a worker is followed by another, and what was seen is not asked for again', async () => {
    const scan = await ends.killed
    expect(scan.status).toBe('completed')
    expect(scan.seconds).toBeLessThan(TAKEOVER_SECONDS)
    expect((await found(scan.id, killed))['/a']).toEqual(['link_external_broken'])
    expect([...other.hits.keys()]).toEqual(['/late'])
    expect(killed.hits.get('/llms.txt')).toBe(1)
  })
})
