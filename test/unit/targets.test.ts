import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import type { Verdict, Waiting } from '../../sql/targets.ts'
import { guard } from '../../tasks/address.ts'
import { guardedAgent } from '../../tasks/agent.ts'
import { examine } from '../../tasks/crawl/page.ts'
import { Collector } from '../../tasks/crawl/targets/collect.ts'
import { imageSize } from '../../tasks/crawl/targets/image-size.ts'
import { look } from '../../tasks/crawl/targets/look.ts'
import { goRound } from '../../tasks/crawl/targets/rounds.ts'
import { EAGER, ICON, IMAGE, LINK, SCRIPT, SOCIAL, SOLE, STYLE } from '../../tasks/crawl/targets/uses.ts'
import { type Answer, type FakeServer, startServer } from '../fakes/site/server.ts'
import { visit } from '../support/visit.ts'

const names = { LINK, IMAGE, SCRIPT, STYLE, ICON, SOCIAL, SOLE, EAGER }
const spell = (uses: number) =>
  Object.entries(names)
    .filter(([, bit]) => uses & bit)
    .map(([name]) => name)
    .join(' ')

describe('what a page uses', () => {
  const uses = (html: string, url?: string) =>
    Object.fromEntries(
      examine(visit({ html, ...(url ? { url } : {}) })).uses.map(({ url, uses }) => [
        url.replace('https://example.test', ''),
        spell(uses),
      ]),
    )

  test.each<[string, string, Record<string, string>]>([
    ['an image', '<img src=/a.png>', { '/a.png': 'IMAGE SOLE EAGER' }],
    ['an image further down', '<img src=/a.png loading=lazy>', { '/a.png': 'IMAGE SOLE' }],
    ['an image in sizes', '<img src=/a.png srcset="/b.png 2x">', { '/a.png': 'IMAGE SOLE' }],
    ['an image without src', '<img srcset="/b.png 1x, /c.png 2x">', { '/b.png': 'IMAGE SOLE' }],
    ['an image with a modern size', '<img src=/a.png srcset="/b.webp 2x">', { '/a.png': 'IMAGE' }],
    [
      'a picture',
      '<picture><source type=image/avif srcset=/a.avif><img src=/a.png></picture><img src=/b.png>',
      { '/a.png': 'IMAGE', '/b.png': 'IMAGE SOLE EAGER' },
    ],
    [
      'a picture of old sources',
      '<picture><source srcset=/b.jpg><img src=/a.png></picture>',
      { '/a.png': 'IMAGE SOLE' },
    ],
    [
      'the same image twice',
      '<img src=/a.png loading=lazy><img src=/a.png>',
      { '/a.png': 'IMAGE SOLE EAGER' },
    ],
    [
      'code',
      '<script src=/a.js></script><link rel=stylesheet href=/a.css>',
      { '/a.js': 'SCRIPT EAGER', '/a.css': 'STYLE EAGER' },
    ],
    [
      'icons',
      '<link rel="shortcut icon" href=/i.ico><link rel=icon href=/i.svg>',
      { '/i.ico': 'ICON', '/i.svg': 'ICON' },
    ],
    ['a preview', '<meta property=og:image content=/og.png>', { '/og.png': 'SOCIAL' }],
    [
      'links that leave',
      '<a href=//o.test/x>x</a><a href=//o.test/x#y>x</a><a href=/in>y</a>',
      { 'https://o.test/x': 'LINK' },
    ],
    [
      'other links',
      '<link rel=alternate href=/f><link rel="alternate stylesheet" href=/s><link rel=preload href=/p>',
      {},
    ],
    [
      'what is no address',
      '<img src="data:image/png;base64,x"><img src=""><img><script src="blob:x"></script><img src="http://[">',
      {},
    ],
    ['what stands in for scripts', '<noscript><img src=/a.png></noscript>', {}],
    ['frames', '<iframe src=//o.test/embed></iframe>', {}],
    [
      'what is relative',
      '<base href=/dir/><img src=a.png><img src=/b.png>',
      { '/dir/a.png': 'IMAGE SOLE EAGER', '/b.png': 'IMAGE SOLE EAGER' },
    ],
  ])('%s', (_name, html, expected) => expect(uses(html)).toEqual(expected))

  test('means another address on another page', () => {
    const html = '<img src=a.png><img src=/b.png><img src=//c.test/c.png>'
    expect(Object.keys(uses(html, 'https://example.test/x/y'))).toEqual([
      '/x/a.png',
      '/b.png',
      'https://c.test/c.png',
    ])
    expect(Object.keys(uses(html, 'http://other.test/'))).toEqual([
      'http://other.test/a.png',
      'http://other.test/b.png',
      'http://c.test/c.png',
    ])
  })

  test('is nothing where there is no page', () => {
    expect(examine(visit({ status: 404, html: null })).uses).toEqual([])
  })
})

describe('the targets of a crawl', () => {
  const use = (url: string, uses = LINK) => ({ url, uses, internal: false })

  test('are written once, and again when they are used in a new way', () => {
    const collector = new Collector()
    expect(collector.collect([use('a'), use('b')])).toMatchObject({ ids: [1, 2], uses: [LINK, LINK] })
    expect(collector.collect([use('b'), use('a', IMAGE)])).toEqual({
      ids: [2, 1],
      uses: [LINK, IMAGE],
      fresh: [{ id: 1, ...use('a', IMAGE) }],
    })
    expect(collector.collect([use('a', IMAGE), use('a', LINK)]).fresh).toEqual([])
  })

  test('are 5,000 at most', () => {
    const collector = new Collector()
    const many = Array.from({ length: 5100 }, (_, n) => use(`https://a.test/${n}`))
    expect(collector.collect(many).ids).toHaveLength(5000)
    expect(collector.collect([use('https://b.test/'), use('https://a.test/7')]).ids).toEqual([8])
  })
})

describe('the size of an image', () => {
  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
    )
  const png = bytes([0x89], 'PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 0, 4, 0xb0, 0, 0, 2, 0x76])

  test.each<[string, Buffer]>([
    ['PNG', png],
    ['GIF', bytes('GIF89a', [0xb0, 0x04, 0x76, 0x02])],
    ['JPEG', bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc2, 0, 17, 8, 0x02, 0x76, 0x04, 0xb0])],
    ['lossy WebP', bytes('RIFF\0\0\0\0WEBPVP8 \0\0\0\0', [0, 0, 0, 0x9d, 1, 0x2a, 0xb0, 0x04, 0x76, 0x02])],
    ['lossless WebP', bytes('RIFF\0\0\0\0WEBPVP8L\0\0\0\0', [0x2f, 0xaf, 0x44, 0x9d, 0x00])],
    ['extended WebP', bytes('RIFF\0\0\0\0WEBPVP8X\0\0\0\0', [0, 0, 0, 0, 0xaf, 4, 0, 0x75, 2, 0])],
    [
      'AVIF',
      bytes(
        '\0\0\0\x1cftypavif\0\0\0\0',
        'ispe\0\0\0\0\0\0\0\x10\0\0\0\x10',
        'ispe\0\0\0\0',
        [0, 0, 4, 0xb0, 0, 0, 2, 0x76],
      ),
    ],
  ])('is read of %s', (_name, image) => expect(imageSize(image)).toEqual({ width: 1200, height: 630 }))

  test('is unknown of anything else', () => {
    expect(imageSize(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBe(null)
    expect(imageSize(png.subarray(0, 18))).toBe(null)
    expect(imageSize(Buffer.alloc(0))).toBe(null)
    expect(imageSize(Buffer.from([0xff, 0xd8, 0xff, 0xff, 0xff]))).toBe(null)
  })
})

describe('a look', () => {
  const through = guardedAgent(guard({ privateNetworks: true }))
  const signal = new AbortController().signal
  let answer: (path: string, method: string) => Answer | undefined
  let site: FakeServer

  beforeAll(async () => {
    site = await startServer((path, { method }) => answer(path, method ?? ''))
  })
  afterEach(() => site.forget())
  afterAll(async () => {
    await through.destroy()
    await site.close()
  })

  const at = (uses = LINK, path = '/x') => look(new URL(path, site.origin), uses, { signal, through })
  const asked = () => site.log.map(({ method, path }) => `${method} ${path}`)
  const png = { 'content-type': 'image/png' }

  test('is a HEAD where that tells enough', async () => {
    answer = () => ({})
    expect(await at()).toMatchObject({ status: 200, fault: null, redirect: null })
    expect(asked()).toEqual(['HEAD /x'])
  })

  test('is a GET where HEAD is refused', async () => {
    answer = (_path, method) => (method === 'HEAD' ? { status: 405 } : { body: 'here' })
    expect(await at()).toMatchObject({ status: 200 })
    answer = () => ({ status: 404 })
    expect(await at()).toMatchObject({ status: 404 })
    expect(asked()).toEqual(['HEAD /x', 'GET /x', 'HEAD /x', 'GET /x'])
  })

  test('is not repeated where it is one too many', async () => {
    answer = () => ({ status: 429 })
    expect(await at()).toMatchObject({ status: 429 })
    expect(asked()).toEqual(['HEAD /x'])
  })

  test('follows redirects, and remembers the first', async () => {
    answer = (path) =>
      path === '/x'
        ? { status: 308, headers: { location: '/y' } }
        : path === '/y'
          ? { status: 302, headers: { location: '/z' } }
          : {}
    expect(await at()).toMatchObject({ status: 200, redirect: 308 })
    answer = () => ({ status: 301, headers: { location: '/x' } })
    expect(await at()).toMatchObject({ status: 301, redirect: 301, fault: 'redirects' })
  })

  test('keeps cookies on the way', async () => {
    const server = await startServer((_path, { headers }) =>
      headers.cookie ? {} : { status: 302, headers: { location: '/x', 'set-cookie': 'seen=1' } },
    )
    expect(await look(new URL('/x', server.origin), LINK, { signal, through })).toMatchObject({ status: 200 })
    await server.close()
  })

  test('learns what a file weighs, how long it may be kept, and what it is', async () => {
    const kept = { 'cache-control': 'public, max-age=3600' }
    answer = () => ({ headers: { ...png, ...kept, 'content-length': '1234' }, body: Buffer.alloc(1234) })
    expect(await at(IMAGE)).toMatchObject({
      status: 200,
      contentType: 'image/png',
      bytes: 1234,
      lifetime: 3600,
    })
    expect(asked()).toEqual(['HEAD /x'])
    answer = () => ({ headers: png, body: Buffer.alloc(777) })
    expect(await at(IMAGE)).toMatchObject({ bytes: 777, lifetime: 0 })
    expect(asked()).toEqual(['HEAD /x', 'HEAD /x', 'GET /x'])
  })

  test('asks for images as browsers do', async () => {
    answer = () => ({ headers: png, body: 'x' })
    await at(IMAGE)
    expect(site.log[0]?.headers.accept).toMatch(/^image\/avif,image\/webp/)
  })

  test('measures a preview', async () => {
    const image = Buffer.concat([Buffer.from('GIF89a'), Buffer.of(10, 0, 20, 0), Buffer.alloc(400_000)])
    answer = () => ({ headers: { 'content-type': 'image/gif', 'content-length': '400010' }, body: image })
    expect(await at(SOCIAL)).toMatchObject({ width: 10, height: 20, bytes: 400_010 })
    expect(asked()).toEqual(['GET /x'])
  })

  test.each([
    ['no-store, max-age=60', 0],
    ['max-age=99999999999', 2 ** 31 - 1],
    ['s-maxage=5', 0],
    ['immutable, MAX-AGE="31536000"', 31_536_000],
  ])('reads %j as %i seconds', async (control, seconds) => {
    answer = () => ({ headers: { ...png, 'cache-control': control, 'content-length': '1' }, body: 'x' })
    expect(await at(IMAGE)).toMatchObject({ lifetime: seconds })
  })

  test('knows a firewall by its answer', async () => {
    answer = () => ({ status: 503, headers: { 'cf-mitigated': 'challenge' } })
    expect(await at()).toMatchObject({ status: 503, fault: 'challenge' })
  })

  test('tells why there was no answer, after a second try', async () => {
    const closed = await startServer(() => ({}))
    await closed.close()
    expect(await look(new URL(closed.origin), LINK, { signal, through })).toMatchObject({
      status: 0,
      fault: 'connection',
    })
    const strict = guardedAgent(guard({ privateNetworks: false }))
    expect(await look(new URL(site.origin), LINK, { signal, through: strict })).toMatchObject({
      status: 0,
      fault: 'forbidden',
    })
    await strict.destroy()
    expect(asked()).toEqual([])
  })

  test('ends when it is told to', async () => {
    const stop = new AbortController()
    const release = site.hold(() => true)
    const looking = look(new URL('/x', site.origin), LINK, { signal: stop.signal, through })
    while (site.inFlight() === 0) await new Promise(setImmediate)
    stop.abort(new Error('stopped'))
    await expect(looking).rejects.toThrow('stopped')
    release()
  })
})

describe('a round', () => {
  const pace = { atOnce: 2, spacing: { site: 0, elsewhere: 0 } }
  const never = new AbortController().signal
  const target = (id: number, host: string, internal = false): Waiting => ({
    id,
    url: `https://${host}/${id}`,
    uses: LINK,
    internal,
  })
  const verdict = (given: Partial<Verdict> = {}): Verdict => ({
    status: 200,
    fault: null,
    redirect: null,
    contentType: null,
    bytes: null,
    width: null,
    height: null,
    lifetime: null,
    ...given,
  })
  const of = (host: string, count: number, internal = false) =>
    Array.from({ length: count }, (_, n) => target(n, host, internal))

  /** How many were asked of each host, how many at once, and what was kept. */
  async function watch(waiting: Waiting[], answer: (target: Waiting) => Partial<Verdict>, until = never) {
    const running = new Map<string, number>()
    const most = new Map<string, number>()
    const asked: string[] = []
    const kept: [string, number][] = []
    const count = (host: string, by: number) => {
      running.set(host, (running.get(host) ?? 0) + by)
      most.set(host, Math.max(most.get(host) ?? 0, running.get(host)!))
    }
    await goRound(
      waiting,
      pace,
      until,
      async (target) => {
        const { host } = new URL(target.url)
        asked.push(target.url)
        for (const name of [host, 'all']) count(name, 1)
        await new Promise(setImmediate)
        for (const name of [host, 'all']) count(name, -1)
        return verdict(answer(target))
      },
      ({ url }, { status }) => kept.push([url, status]),
    )
    return { asked, kept, most }
  }

  test('asks for all, few of one host at once, and more hosts beside', async () => {
    const waiting = [
      ...of('site.test', 30, true),
      ...of('large.test', 50),
      ...of('a.test', 2),
      ...of('b.test', 1),
    ]
    const { asked, kept, most } = await watch(waiting, () => ({}))
    expect(asked.toSorted()).toEqual(waiting.map(({ url }) => url).toSorted())
    expect(kept).toHaveLength(83)
    expect(most.get('site.test')).toBe(2)
    expect(most.get('large.test')).toBe(3)
    expect(most.get('all')).toBeGreaterThan(5)
  })

  test('asks no more than 16 hosts at once', async () => {
    const waiting = Array.from({ length: 100 }, (_, n) => target(n, `host-${n}.test`))
    expect((await watch(waiting, () => ({}))).most.get('all')).toBe(16)
  })

  test('leaves a host alone that does not answer, or says it is too much', async () => {
    const waiting = [...of('dead.test', 40), ...of('busy.test', 40), ...of('fine.test', 5)]
    const { asked, kept } = await watch(waiting, ({ url }) =>
      url.includes('dead') ? { status: 0, fault: 'timeout' } : url.includes('busy') ? { status: 429 } : {},
    )
    const count = (name: string) => asked.filter((url) => url.includes(name)).length
    expect(count('dead')).toBeLessThanOrEqual(4)
    expect(count('busy')).toBeLessThanOrEqual(3)
    expect(count('fine')).toBe(5)
    // Nobody will ask for the others in this crawl.
    expect(new Set(kept.map(([url]) => url)).size).toBe(85)
  })

  test('goes on after a single failure', async () => {
    const { asked } = await watch(of('odd.test', 20), ({ id }) =>
      id % 5 === 0 ? { status: 0, fault: 'timeout' } : {},
    )
    expect(asked).toHaveLength(20)
  })

  test('says of all addresses of a host what keeps everybody from it', async () => {
    const { asked, kept } = await watch(of('gone.test', 20), () => ({ status: 0, fault: 'dns' }))
    expect(asked.length).toBeLessThanOrEqual(3)
    expect(new Set(kept.map(([url]) => url)).size).toBe(20)
  })

  test('ends when it is told to', async () => {
    const stop = new AbortController()
    const { asked } = await watch(
      of('site.test', 50, true),
      ({ id }) => {
        if (id === 10) stop.abort()
        return {}
      },
      stop.signal,
    )
    expect(asked.length).toBeLessThan(15)
  })

  test('keeps the pause between two requests to a host', async () => {
    const times: number[] = []
    await goRound(
      of('site.test', 5, true),
      { atOnce: 4, spacing: { site: 30, elsewhere: 0 } },
      never,
      async () => (times.push(performance.now()), verdict()),
      () => {},
    )
    expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(4 * 30 - 5)
  })
})
