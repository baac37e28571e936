import { createSocket } from 'node:dgram'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'

import type { Guard } from '../../tasks/address.ts'
import {
  closeBrowser,
  findBrowser,
  openSession,
  type Rendered,
  type Session,
  slotCount,
} from '../../tasks/browser.ts'
import { recycling } from '../../tasks/browser/running.ts'
import { limits } from '../../tasks/browser/tab.ts'
import { registry } from '../../telemetry.ts'
import type { FakeServer } from '../fakes/site/server.ts'
import { startSpa } from '../fakes/spa.ts'

/** `site.test` is a public host whose address is 127.0.0.1; under any other name that address is private, as ever. */
vi.mock('../../tasks/agent.ts', async () => {
  const { guard } = await import('../../tasks/address.ts')
  const real = guard({ privateNetworks: false, resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
  const rules: Guard = {
    admit(host, port) {
      // Without a port it is the address of a connection already made.
      if (host !== 'site.test' && !(host === '127.0.0.1' && port === undefined)) real.admit(host, port)
    },
    addresses: async (host) =>
      host === 'site.test' ? [{ address: '127.0.0.1', family: 4 }] : await real.addresses(host),
  }
  return { rules }
})

const browser = findBrowser()
if (browser === null) process.stderr.write('no Chromium here: the tests of rendering are skipped\n')

const userAgent = 'TestBot/1.0 (+http://docs.test)'
vi.setConfig({ testTimeout: 45_000 })

const usual = { ...limits }
const usualRecycling = { ...recycling }
let spa: FakeServer
let session: Session
const at = (path: string) => new URL(path, `http://site.test:${new URL(spa.origin).port}`)
const hits = (path: string) => spa.hits.get(path) ?? 0
/** Machines are slow at times. */
const soon = <Value>(read: () => Value) => expect.poll(read, { timeout: 10_000 })
const count = async (name: string) => (await registry.getSingleMetric(name)?.get())?.values[0]?.value ?? 0

describe.skipIf(browser === null)('the browser', () => {
  beforeAll(async () => {
    spa = await startSpa()
  })

  beforeEach(async () => {
    spa.forget()
    session = await openSession({ userAgent })
  })

  afterEach(async () => {
    Object.assign(limits, usual)
    Object.assign(recycling, usualRecycling)
    await session.close()
  })

  afterAll(async () => {
    await closeBrowser()
    await spa.close()
    await vi.waitFor(() => chromiums().length === 0 || Promise.reject(new Error('left behind')), 5_000)
  })

  describe('renders', () => {
    test('a page filled by its script', async () => {
      const page = await session.render(at('/'))
      expect(page).toMatchObject({ url: at('/').href, status: 200, requests: 4 })
      expect(page.html).toMatch(/^<!DOCTYPE html>\n<html lang="en">/)
      expect(page.html).toContain('<h1>Front page</h1>')
      expect(page.html.match(/<a href="\/item\/\d+">/g)).toHaveLength(60)
      expect(page.bytes).toBeGreaterThan(1_500)
      expect(page.ms).toBeGreaterThan(200)
    })

    test('as our crawler', async () => {
      await session.render(at('/item/1'))
      expect(new Set(spa.log.map(({ headers }) => headers['user-agent']))).toEqual(new Set([userAgent]))
      expect(spa.log.some(({ headers }) => 'proxy-authorization' in headers)).toBe(false)
    })

    test('a static page as it is', async () => {
      const page = await session.render(at('/static'))
      expect(page.html).toContain('<h1>Static</h1>')
      expect(page.requests).toBe(1)
    })

    test('one that shows nothing for two seconds', async () => {
      expect((await session.render(at('/late'))).html).toContain('<h1>Filled</h1>')
    })

    test('one whose data takes a while', async () => {
      const release = spa.hold((path) => path === '/api/item/5.json')
      const rendering = session.render(at('/item/5'))
      await soon(() => hits('/api/item/5.json')).toBe(1)
      setTimeout(release, 1_000)
      expect((await rendering).html).toContain('<h1>Item 5</h1>')
    })

    test('one that is never idle, at the cap', async () => {
      limits.settleMs = 1_500
      const page = await session.render(at('/polling'))
      expect(page.html).toContain('<h1>Filled</h1>')
      expect(page.ms).toBeGreaterThanOrEqual(1_500)
      expect(page.ms).toBeLessThan(3_500)
    })

    test('one that moves on by itself, and says where to', async () => {
      const moved = await session.render(at('/moves'))
      expect(moved.url).toBe(at('/item/7').href)
      expect(moved.html).toContain('<h1>Item 7</h1>')
      expect((await session.render(at('/routes'))).url).toBe(at('/item/2').href)
    })

    test('the status of a page that is not there', async () => {
      expect(await session.render(at('/nowhere'))).toMatchObject({ status: 404 })
    })

    test('what is in open shadow trees', async () => {
      const { html } = await session.render(at('/shadow'))
      expect(html).toMatch(/<my-card>.*<a href="\/inside">Inside the shadow<\/a>.*<b>slotted<\/b>/)
      expect(html).not.toContain('<template')
      expect(html.match(/<html/g)).toHaveLength(1)
    })

    test('without dialogs and popups', async () => {
      expect((await session.render(at('/dialogs'))).html).toContain('<h1>Filled</h1>')
      expect((await session.render(at('/item/1'))).html).toContain('<h1>Item 1</h1>')
      expect(hits('/popup')).toBe(0)
    })

    test('without images, fonts, media and icons, and does not tell the page so', async () => {
      await session.render(at('/media'))
      const { html } = await session.render(at('/item/3'))
      expect(html).toContain('src="/photo"')
      expect(spa.hits.get('/app.css')).toBe(1)
      for (const path of [
        '/photo',
        '/photo.png',
        '/back',
        '/broken.png',
        '/own.woff2',
        '/film.mp4',
        '/tune.mp3',
        '/favicon.ico',
      ])
        expect([path, hits(path)]).toEqual([path, 0])
    })

    test('without service workers', async () => {
      expect((await session.render(at('/worker'))).html).not.toContain('registered</div>')
      expect(hits('/sw.js')).toBe(0)
    })
  })

  describe('bounds', () => {
    test('requests', async () => {
      limits.requests = 50
      const page = await session.render(at('/greedy'))
      expect(page.html).toContain('<h1>Filled</h1>')
      const asked = [...spa.hits.keys()].filter((path) => path.startsWith('/api/many/')).length
      expect(asked).toBeLessThan(300)
      expect((await session.render(at('/item/9'))).html).toContain('<h1>Item 9</h1>')
    })

    test('bytes', async () => {
      limits.bytes = 3 * 2 ** 20
      expect((await session.render(at('/heavy'))).html).toContain('<h1>Filled</h1>')
      const asked = [...spa.hits.keys()].filter((path) => path.startsWith('/blob?')).length
      expect(asked).toBeGreaterThanOrEqual(3)
      expect(asked).toBeLessThan(12)
    })

    test('the length of the document', async () => {
      limits.htmlLength = 2 ** 20
      expect((await session.render(at('/large'))).html).toHaveLength(limits.htmlLength)
    })

    test.each(['/loop', '/hang'])('a script that never ends: %s', async (path) => {
      Object.assign(limits, {
        settleMs: 1_000,
        serialiseMs: 500,
        emptyQuietMs: 1_000,
        quietMs: 800,
        deadlineMs: 4_000,
      })
      const startedAt = performance.now()
      await expect(session.render(at(path))).rejects.toMatchObject({ kind: 'timeout', retryable: false })
      expect(performance.now() - startedAt).toBeLessThan(6_000)
      expect((await session.render(at('/item/1'))).html).toContain('<h1>Item 1</h1>')
    })

    test('a page that never stays', async () => {
      Object.assign(limits, { settleMs: 1_000, serialiseMs: 500, deadlineMs: 5_000 })
      const outcome = await session.render(at('/restless')).catch((error: unknown) => error)
      expect(outcome).toMatchObject(outcome instanceof Error ? { kind: 'timeout' } : { status: 200 })
    })

    test('an answer that does not come', async () => {
      limits.deadlineMs = 1_000
      const release = spa.hold((path) => path === '/static')
      await expect(session.render(at('/static'))).rejects.toMatchObject({ kind: 'timeout' })
      release()
    })

    test('pages at once, over all sessions', async () => {
      const other = await openSession({ userAgent })
      const release = spa.hold((path) => path.startsWith('/api/item/'))
      const pages = Array.from({ length: 6 }, (_, index) =>
        [session, other].map((one) => one.render(at(`/item/${index + 1}`))),
      )
      await soon(() => spa.inFlight()).toBe(slotCount)
      release()
      const done = await Promise.all(pages.flat())
      expect(done.map(({ html }) => /<h1>Item (\d+)/.exec(html)?.[1])).toEqual([
        '1',
        '1',
        '2',
        '2',
        '3',
        '3',
        '4',
        '4',
        '5',
        '5',
        '6',
        '6',
      ])
      expect(spa.inFlightMax()).toBe(slotCount)
      await other.close()
    })

    test('by the signal, under way and in line', async () => {
      const release = spa.hold((path) => path.startsWith('/api/item/'))
      const controller = new AbortController()
      const pages = Array.from({ length: slotCount + 1 }, (_, index) =>
        session.render(at(`/item/${index + 1}`), { signal: controller.signal }),
      )
      await soon(() => spa.inFlight()).toBe(slotCount)
      controller.abort(new Error('enough'))
      const outcomes = await Promise.allSettled(pages)
      expect(outcomes.map((outcome) => outcome.status === 'rejected' && String(outcome.reason))).toEqual(
        pages.map(() => 'Error: enough'),
      )
      release()
      expect((await session.render(at('/item/1'))).html).toContain('<h1>Item 1</h1>')
    })
  })

  describe('keeps apart', () => {
    test('the cookies of two sessions', async () => {
      const other = await openSession({
        userAgent,
        cookies: [{ name: 'given', value: 'two', url: at('/').href }],
      })
      await session.render(at('/cookie'))
      expect((await session.render(at('/cookie'))).html).toContain('seen: visitor=one')
      expect((await other.render(at('/cookie'))).html).toContain('seen: given=two')
      await other.close()
    })

    test('a site and our own network', async () => {
      let reached = 0
      const inner = createServer((socket) => {
        reached++
        socket.destroy()
      }).listen(0, '127.0.0.1')
      const udp = createSocket('udp4', () => reached++).bind(0, '127.0.0.1')
      await soon(() => inner.listening).toBe(true)
      const { port } = inner.address() as AddressInfo
      const query = new URLSearchParams({ ws: `ws://127.0.0.1:${port}/` })
      for (const host of ['127.0.0.1', 'localhost', '[::1]', 'inner.test', '2130706433'])
        query.append('to', `http://${host}:${port}/`)
      query.append('to', 'http://169.254.169.254/latest/meta-data/')
      query.append('udp', `127.0.0.1:${udp.address().port}`)
      query.append('udp', `127.0.0.1:${port}?transport=tcp`)
      limits.emptyQuietMs = 8_000
      const tried = outcome(await session.render(at(`/prying?${query.toString()}`)))
      expect(tried).toContain('shut')
      expect(tried).not.toMatch(/open|ran/)
      expect(reached).toBe(0)
      // The same ways lead to a site that may be reached.
      const free = await session.render(at(`/prying?to=${at('/app.js').href}`))
      expect(outcome(free)).toMatch(/^read basic,framed,ran,true/)
      await new Promise((closed) => inner.close(closed))
      udp.close()
    })

    test.each(['http://127.0.0.1:1/', 'http://169.254.169.254/', 'https://localhost/', 'http://inner.test/'])(
      'our own network and whoever asks for %s',
      async (address) => {
        await expect(session.render(new URL(address))).rejects.toMatchObject({
          kind: 'failed',
          retryable: false,
        })
      },
    )
  })

  describe('starts anew', () => {
    test('a tab after so many visits', async () => {
      recycling.tabVisits = 3
      const before = await count('seo_browser_tabs_total')
      for (let visit = 1; visit <= 3; visit++) await session.render(at(`/item/${visit}`))
      expect(await count('seo_browser_tabs_total')).toBe(before)
      await session.render(at('/item/4'))
      expect(await count('seo_browser_tabs_total')).toBe(before + 1)
    })

    test('a browser after so many visits, with those under way left to end', async () => {
      const before = await count('seo_browser_starts_total')
      const release = spa.hold((path) => path === '/api/item/1.json')
      const slow = session.render(at('/item/1'))
      await soon(() => hits('/api/item/1.json')).toBe(1)
      recycling.browserVisits = 1
      const next = session.render(at('/item/2'))
      expect((await next).html).toContain('<h1>Item 2</h1>')
      recycling.browserVisits = 500
      release()
      expect((await slow).html).toContain('<h1>Item 1</h1>')
      expect(await count('seo_browser_starts_total')).toBe(before + 1)
      await soon(() => chromiums().filter(({ type }) => type === 'browser').length).toBe(1)
    })

    // A browser that lost all its renderers sometimes opens no more tabs, and is given up after 10 s.
    test.each(['browser', 'renderer'])('after its %s was killed', async (type) => {
      const release = spa.hold((path) => path === '/api/item/1.json')
      const rendering = session.render(at('/item/1'))
      const failed = rendering.catch((error: unknown) => error)
      await soon(() => hits('/api/item/1.json')).toBe(1)
      for (const one of chromiums()) if (one.type === type) process.kill(one.pid, 'SIGKILL')
      expect(await failed).toMatchObject({ kind: 'crashed', retryable: true })
      release()
      expect((await session.render(at('/item/2'))).html).toContain('<h1>Item 2</h1>')
    })

    test('after it was closed, having left nothing behind', async () => {
      await session.render(at('/item/1'))
      expect(chromiums().length).toBeGreaterThan(0)
      await closeBrowser()
      await soon(chromiums).toEqual([])
      expect((await session.render(at('/item/2'))).html).toContain('<h1>Item 2</h1>')
    })
  })
})

/** What the prying page got, way by way. */
const outcome = ({ html }: Rendered) => /<pre>([^']*?)<\/pre>/.exec(html)?.[1]

/** The browser processes below this one. */
function chromiums(): { pid: number; type: string }[] {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const parent = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'latin1'))?.[1])
        const command = readFileSync(`/proc/${name}/cmdline`, 'latin1')
        return command ? [{ pid: Number(name), parent, command }] : []
      } catch {
        return []
      }
    })
  const below = (parent: number): typeof processes =>
    processes.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)])
  return below(process.pid)
    .filter(({ command }) => /chrom/i.test(command))
    .map(({ pid, command }) => ({ pid, type: /--type=([\w-]+)/.exec(command)?.[1] ?? 'browser' }))
}
