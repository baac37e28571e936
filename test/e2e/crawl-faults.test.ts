import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { startGraph, star } from '../fakes/graph.ts'
import { type Hostile, startHostile } from '../fakes/hostile.ts'
import type { FakeServer } from '../fakes/site/server.ts'
import { type Client, clientOf, type PageRow, type Scan } from '../support/client.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { fetched } from '../support/fetched.ts'
import { freePort, type Service, startService, waitFor } from '../support/service.ts'

/** A killed worker's work goes on elsewhere within this time. */
const TAKEOVER_MS = 60_000

const database = useDatabase()
let key: string
beforeAll(async () => {
  key = (await makePerson('mario')).key
})

describe('servers that misbehave', () => {
  let service: Service
  let mario: Client
  let hostile: Hostile
  const ended = new Map<string, Promise<{ scan: Scan; pages: PageRow[] }>>()

  beforeAll(async () => {
    service = await startService({ url: database.url, env: { SPIDER_CONCURRENCY: '4' } })
    mario = clientOf(service.origin, key)
    hostile = await startHostile()
    const nobody = await freePort()
    const starts: Record<string, object> = {
      hang: { start_url: `${hostile.url}/hang` },
      'hang-after-headers': { start_url: `${hostile.url}/hang-after-headers` },
      drip: { start_url: `${hostile.url}/drip` },
      reset: { start_url: `${hostile.url}/reset` },
      'reset-at-once': { start_url: `${hostile.url}/reset-at-once` },
      garbage: { start_url: `${hostile.url}/garbage` },
      refused: { start_url: `http://127.0.0.1:${nobody}/` },
      dns: { start_url: 'http://nothing.invalid/' },
      tls: { start_url: `${hostile.tlsUrl}/ok` },
      endless: { start_url: `${hostile.url}/endless` },
      bomb: { start_url: `${hostile.url}/bomb` },
      'bad-gzip': { start_url: `${hostile.url}/bad-gzip` },
      loop: { start_url: `${hostile.url}/loop-a` },
      'self-loop': { start_url: `${hostile.url}/self-loop` },
      'redirect-file': { start_url: `${hostile.url}/redirect-file` },
      'bad-location': { start_url: `${hostile.url}/bad-location` },
      deep: { start_url: `${hostile.url}/deep` },
      'many links': { start_url: `${hostile.url}/links/5000`, max_pages: 30 },
      calendar: { start_url: `${hostile.url}/calendar`, max_pages: 25, max_depth: 50 },
      'calendar by depth': { start_url: `${hostile.url}/calendar/1999/1`, max_pages: 100, max_depth: 6 },
    }
    for (const [name, body] of Object.entries(starts)) {
      const id = await mario.begin(body)
      const end = mario.ended(id).then(async (scan) => ({ scan, pages: await mario.pages(id) }))
      end.catch(() => {}) // its own test says so
      ended.set(name, end)
    }
  })
  afterAll(async () => {
    await Promise.allSettled(ended.values())
    await Promise.all([service?.stop(), hostile?.close()])
  })

  test.each([
    ['hang', 'page_timeout'],
    ['hang-after-headers', 'page_timeout'],
    ['drip', 'page_timeout'],
    ['reset', 'connection_error'],
    ['reset-at-once', 'connection_error'],
    ['refused', 'connection_error'],
    ['dns', 'dns_error'],
    ['tls', 'tls_error'],
  ])('%s is a failed fetch with %s, and the scan fails', async (name, code) => {
    const { scan, pages } = await ended.get(name)!
    expect(scan).toMatchObject({ status: 'failed', failure: expect.stringMatching(/\S/), pages_processed: 1 })
    expect(pages).toMatchObject([{ status_code: 0, score: 0, is_indexable: false, title: null }])
    const network = ['page_timeout', 'connection_error', 'dns_error', 'tls_error']
    expect(pages[0]?.issues.filter((issue) => network.includes(issue))).toEqual([code])
    const shown = await mario.api('GET', `/spider/${scan.id}/pages?status=0`)
    expect(shown.meta.total_results).toBe(1)
    expect(await mario.history(scan.id)).toEqual([])
  })

  test('what is not HTTP is a failed fetch', async () => {
    const { scan, pages } = await ended.get('garbage')!
    expect(scan.status).toBe('failed')
    expect(pages).toMatchObject([{ status_code: 0 }])
  })

  test.each(['endless', 'bomb', 'bad-gzip'])('%s costs a bounded amount, and is one page', async (name) => {
    const { scan, pages } = await ended.get(name)!
    expect(scan.status).not.toBe('crawling')
    expect(pages).toHaveLength(1)
  })

  test('redirects in a circle are two pages', async () => {
    const { scan, pages } = await ended.get('loop')!
    expect(scan.status).toBe('completed')
    expect(pages.map(({ url, status_code }) => [new URL(url).pathname, status_code])).toEqual([
      ['/loop-a', 302],
      ['/loop-b', 302],
    ])
    for (const { issues } of pages) expect(issues).toContain('redirect_loop')
    const alone = await ended.get('self-loop')!
    expect(alone.pages).toMatchObject([
      { status_code: 302, issues: expect.arrayContaining(['redirect_loop']) },
    ])
  })

  test.each(['redirect-file', 'bad-location'])('%s is a page that leads nowhere', async (name) => {
    const { scan, pages } = await ended.get(name)!
    expect(scan.status).toBe('completed')
    expect(pages).toMatchObject([{ status_code: 302 }])
  })

  test('10,000 nested elements are a page', async () => {
    const { pages } = await ended.get('deep')!
    expect(pages).toMatchObject([{ status_code: 200, title: 'Deep' }])
  })

  test('5,000 links are counted, and max_pages bounds what is fetched of them', async () => {
    const { scan, pages } = await ended.get('many links')!
    expect(scan).toMatchObject({ status: 'completed', pages_processed: 30 })
    expect(pages).toHaveLength(30)
    expect(pages[0]?.internal_links).toBe(5000)
  })

  test('a calendar without end is bounded by max_pages and by max_depth', async () => {
    const { scan, pages } = await ended.get('calendar')!
    expect(scan).toMatchObject({ status: 'completed', pages_processed: 25 })
    expect(new Set(pages.map(({ url }) => url)).size).toBe(25)
    expect((await ended.get('calendar by depth')!).pages).toHaveLength(7)
  })

  test('one of them does not spoil the others: memory is bounded and the worker lives', async () => {
    await Promise.allSettled(ended.values())
    expect(service.members.filter((member) => !member.alive())).toEqual([])
  })
})

describe('workers that die', () => {
  const PAGES = 180
  let service: Service
  let mario: Client
  let site: FakeServer
  let release: () => void
  const started = () => service.members.filter((member) => member.kind === 'worker')

  beforeAll(async () => {
    service = await startService({ url: database.url, clock: true })
    mario = clientOf(service.origin, key)
  })
  afterAll(() => service?.stop())

  /** A scan of which the later pages do not answer yet, with all its requests in hand. */
  async function stuckScan(): Promise<number> {
    site = await startGraph(star(PAGES))
    release = site.hold((path) => /^\/leaf\/1\d\d$/.test(path))
    const id = await mario.begin({ start_url: site.origin })
    await waitFor(() => site.inFlight() === 16, { what: '16 requests in flight' })
    return id
  }

  async function isWhole(id: number) {
    const scan = await mario.ended(id)
    expect(scan).toMatchObject({ status: 'completed', pages_processed: PAGES, pages_found: PAGES })
    const urls = (await mario.pages(id)).map(({ url }) => url.slice(site.origin.length))
    expect(urls.toSorted()).toEqual(Object.keys(star(PAGES)).toSorted())
    expect(await mario.history(id)).toHaveLength(1)
    await site.close()
  }

  test('one that is killed midway is followed by another within 60 s, and no page is lost or doubled', async () => {
    const id = await stuckScan()
    const [first] = started()
    await service.start('worker')
    await first!.kill('SIGKILL')
    const killed = performance.now()
    site.forget()
    release()
    await waitFor(() => [...site.hits.keys()].some((path) => path.startsWith('/leaf/')), {
      within: TAKEOVER_MS,
      what: 'another worker going on',
    })
    expect(performance.now() - killed).toBeLessThan(TAKEOVER_MS)
    await isWhole(id)
  })

  test('one that is stopped midway hands its work over at once, and the cookies with it', async () => {
    const id = await stuckScan()
    await service.start('worker')
    const [first] = started().filter((member) => member.alive())
    const stopping = first!.kill('SIGTERM')
    release()
    await stopping
    expect(first!.output()).not.toMatch(/SIGKILL|unhandled/i)
    await isWhole(id)
    const leaves = site.log.filter(({ path }) => path.startsWith('/leaf/'))
    expect(new Set(leaves.map(({ headers }) => headers.cookie))).toEqual(new Set(['session=1']))
  })

  test('two of them work on many scans, and no page is fetched twice', async () => {
    await service.start('worker')
    const sites = await Promise.all(Array.from({ length: 6 }, () => startGraph(star(60))))
    const ids = await Promise.all(sites.map(({ origin }) => mario.begin({ start_url: origin })))
    for (const [index, id] of ids.entries()) {
      expect(await mario.ended(id)).toMatchObject({ status: 'completed', pages_processed: 60 })
      const pages = [...fetched(sites[index]!.log)].filter(
        ([path]) => path === '/' || path.startsWith('/leaf/'),
      )
      expect(pages.map(([, hits]) => hits)).toEqual(Array(60).fill(1))
    }
    await Promise.all(sites.map((server) => server.close()))
  })

  test('the whole service killed midway goes on after a restart', async () => {
    const id = await stuckScan()
    await Promise.all(
      service.members.filter((member) => member.alive()).map((member) => member.kill('SIGKILL')),
    )
    release()
    await Promise.all([service.start('web'), service.start('worker'), service.start('clock')])
    expect((await mario.scan(id)).status).toBe('crawling')
    await isWhole(id)
    const all = await mario.read<Scan[]>('/spider?per_page=100')
    expect(all.filter(({ status }) => status === 'crawling')).toEqual([])
  })
})

describe('private addresses', () => {
  let service: Service
  afterAll(() => service?.stop())

  test('are refused unless allowed: nothing is sent there', async () => {
    service = await startService({ url: database.url, env: { ALLOW_PRIVATE_NETWORKS: 'false' } })
    const mario = clientOf(service.origin, key)
    const site = await startGraph(star(3))
    const { port } = new URL(site.origin)
    const forms = [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `2130706433:${port}`,
      `0x7f.1:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
    ]
    for (const form of [...forms, '169.254.169.254', '10.0.0.1']) {
      const scan = await mario.crawl({
        start_url: `http://${form}/`,
        use_sitemap: true,
        respect_robots: false,
      })
      expect([form, scan.status]).toEqual([form, 'failed'])
      expect(scan.failure).toMatch(/\S/)
      for (const page of await mario.pages(scan.id)) expect(page.status_code).toBe(0)
    }
    expect([...site.hits]).toEqual([])
    await site.close()
  })
})
