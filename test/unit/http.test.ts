import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { setImmediate as released } from 'node:timers/promises'

import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'

import { type Guard, guard } from '../../tasks/address.ts'
import { guardedAgent } from '../../tasks/agent.ts'
import {
  closeHttp,
  CookieJar,
  fetchFollowing,
  type FetchOptions,
  fetchOnce,
  openOnce,
  redirectTarget,
  userAgent,
} from '../../tasks/http.ts'
import { type Hostile, okPage, startHostile } from '../fakes/hostile.ts'

const through = guardedAgent(guard({ privateNetworks: true }))
const servers: Server[] = []
let hostile: Hostile

beforeAll(async () => {
  hostile = await startHostile()
})
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})
afterAll(async () => {
  await through.destroy()
  await closeHttp()
  await hostile.close()
})

const eventually = (condition: () => void) => vi.waitFor(condition, { timeout: 4_000 })
const at = (path: string) => new URL(path, hostile.url)
/** A connection can be used again one turn of the event loop after its answer. */
async function fetchAlone(url: URL, options: FetchOptions = {}) {
  const answer = await fetchOnce(url, { through, ...options })
  await released()
  return answer
}
const get = (path: string, options: FetchOptions = {}) => fetchOnce(at(path), { through, ...options })

async function listening(server: Server): Promise<string> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
const serve = async (listener: RequestListener) => `http://${await listening(createServer(listener))}/`

/** Closes a kept connection without a word when a second request comes. */
const forgetful = () => {
  const seen = new WeakSet<Socket>()
  const methods: string[] = []
  const url = serve((request, response) => {
    methods.push(request.method ?? '')
    if (seen.has(request.socket)) {
      request.socket.destroy()
      return
    }
    seen.add(request.socket)
    response.end('fine')
  })
  return { url, methods }
}
const follow = (path: string, options: Partial<FetchOptions> = {}) =>
  fetchFollowing(at(path), { through, maxRedirects: 5, ...options })

describe('an answer', () => {
  test('is its status, headers, body and times', async () => {
    const answer = await get('/ok')
    expect(answer).toMatchObject({ status: 200, contentType: 'text/html', truncated: false, setCookies: [] })
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.body.toString()).toBe(okPage)
    expect(answer.ttfbMs).toBeGreaterThan(0)
    expect(answer.totalMs).toBeGreaterThanOrEqual(answer.ttfbMs)
  })
  test.each(['204', '304', '404', '410', '500', '503'])(
    'with status %s is an answer like any other',
    async (status) => {
      expect((await get(`/status/${status}`)).status).toBe(Number(status))
    },
  )
  test('may be empty', async () => expect((await get('/empty')).body).toHaveLength(0))
  test('may come without a length', async () =>
    expect((await get('/no-length')).body.toString()).toBe(okPage))
  test('joins repeated headers and keeps cookies apart', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'x-robots-tag': ['noindex', 'nofollow'], 'set-cookie': ['a=1', 'b=2'] })
      response.end()
    })
    const answer = await fetchOnce(new URL(url), { through })
    expect(answer.headers['x-robots-tag']).toBe('noindex, nofollow')
    expect(answer.setCookies).toEqual(['a=1', 'b=2'])
    expect(answer.headers).not.toHaveProperty('set-cookie')
    expect(answer.contentType).toBeNull()
  })
  test('to HEAD has no body', async () => {
    expect(await get('/ok', { method: 'HEAD' })).toMatchObject({ status: 200, body: Buffer.alloc(0) })
  })
})

describe('a request', () => {
  test('says who asks and what is understood', async () => {
    await get('/ok?who')
    expect(hostile.headers.get('/ok?who')).toMatchObject({
      'user-agent': userAgent,
      'accept-encoding': 'gzip, deflate, br, zstd',
      accept: expect.stringContaining('text/html'),
    })
    expect(userAgent).toMatch(/^SeoSuiteBot\/\d+\.\d+\.\d+ \(\+http.*\/docs\)$/)
  })
  test('carries other headers instead where asked', async () => {
    await get('/ok?other', { headers: { Accept: 'text/plain', 'X-Mine': '1' }, userAgent: 'Other/1' })
    const sent = hostile.headers.get('/ok?other')
    expect(sent).toMatchObject({ accept: 'text/plain', 'x-mine': '1', 'user-agent': 'Other/1' })
  })
  test('does not carry a user name of the address', async () => {
    const url = at('/ok?named')
    url.username = 'user'
    url.password = 'secret'
    await fetchOnce(url, { through })
    expect(hostile.headers.get('/ok?named')).not.toHaveProperty('authorization')
  })
  test('can post', async () => {
    const url = await serve((request, response) => request.pipe(response))
    const answer = await fetchOnce(new URL(url), { through, method: 'POST', body: 'a=1' })
    expect(answer.body.toString()).toBe('a=1')
  })
})

describe('an encoding', () => {
  test.each(['gzip', 'br', 'zstd', 'deflate', 'deflate-raw', 'gzip-twice', 'unknown-encoding'])(
    '%s is undone',
    async (name) => expect((await get(`/${name}`)).body.toString()).toBe(okPage),
  )
  test('of more than two layers is a fault', async () => {
    await expect(get('/gzip-thrice')).rejects.toMatchObject({ kind: 'encoding' })
  })
  test('that is not what it says is a fault', async () => {
    await expect(get('/bad-gzip')).rejects.toMatchObject({ kind: 'encoding' })
  })
  test('broken off leaves what was decoded', async () => {
    const answer = await get('/half-gzip')
    expect(answer.truncated).toBe(true)
    expect(answer.body.length).toBeGreaterThan(10_000)
  })
})

describe('a body', () => {
  const maxBytes = 1024 * 1024

  test.each(['bomb', 'endless'])(
    'that goes on and on (%s) is cut, and its connection closed',
    async (name) => {
      const before = hostile.connections().open
      const answer = await get(`/${name}`, { maxBytes })
      expect(answer).toMatchObject({ status: 200, truncated: true })
      expect(answer.body).toHaveLength(maxBytes)
      await eventually(() => expect(hostile.connections().open).toBeLessThanOrEqual(before))
    },
  )
  test('of exactly the greatest size is whole', async () => {
    const { length } = Buffer.from(okPage)
    expect((await get('/ok', { maxBytes: length })).truncated).toBe(false)
    expect((await get('/ok', { maxBytes: length - 1 })).truncated).toBe(true)
  })
  test('of great depth is only bytes', async () => {
    expect((await get('/deep')).body.toString()).toContain('bottom')
  })
  test('not wanted is not read', async () => {
    const wants = vi.fn<() => boolean>(() => false)
    const before = hostile.connections().open
    const answer = await get('/large.pdf', { wants })
    expect(answer).toMatchObject({ status: 200, contentType: 'application/pdf', truncated: true })
    expect(answer.body).toHaveLength(0)
    expect(answer.headers['content-length']).toBe(String(4 * 1024 * 1024))
    expect(wants).toHaveBeenCalledWith(
      expect.objectContaining({ status: 200, contentType: 'application/pdf' }),
    )
    await eventually(() => expect(hostile.connections().open).toBeLessThanOrEqual(before))
  })
  test('not wanted but endless ends too', async () => {
    const before = hostile.connections().open
    expect((await get('/endless', { wants: () => false })).body).toHaveLength(0)
    await eventually(() => expect(hostile.connections().open).toBeLessThanOrEqual(before))
  })
  test('not wanted but small leaves its connection for the next', async () => {
    const alone = await startHostile()
    for (let n = 0; n < 3; n++) {
      await fetchAlone(new URL('/binary.pdf', alone.url), { wants: () => false })
      await fetchAlone(new URL('/ok', alone.url))
    }
    expect(alone.connections().made).toBe(1)
    await alone.close()
  })
})

describe('a stream', () => {
  test('gives the decoded body as it comes, no faster than it is read', async () => {
    const opened = await openOnce(at('/endless'), { through, maxBytes: Number.MAX_SAFE_INTEGER })
    let bytes = 0
    for await (const chunk of opened.body as AsyncIterable<Buffer>) {
      expect(opened.body.readableLength).toBeLessThan(1024 * 1024)
      bytes += chunk.length
      if (bytes > 3 * 1024 * 1024) break
    }
    expect(opened.body.destroyed).toBe(true)
  })
  test('closes its connection when destroyed unread', async () => {
    const before = hostile.connections().open
    const opened = await openOnce(at('/endless'), { through })
    opened.body.destroy()
    await eventually(() => expect(hostile.connections().open).toBeLessThanOrEqual(before))
  })
  test('that nobody reads fails by its deadline without harm', async () => {
    const opened = await openOnce(at('/drip'), { through, timeoutMs: 1_000 })
    await eventually(() => expect(opened.body.errored).toMatchObject({ kind: 'timeout' }))
  })
  test('says that it was cut', async () => {
    const opened = await openOnce(at('/endless'), { through, maxBytes: 100 })
    expect((await opened.body.toArray()).reduce((sum, chunk) => sum + chunk.length, 0)).toBe(100)
    expect(opened.truncated).toBe(true)
  })
})

describe('a fault', () => {
  test.each([
    ['/reset', 'connection'],
    ['/reset-at-once', 'connection'],
    ['/wrong-length', 'connection'],
    ['/garbage', 'protocol'],
    ['/huge-header', 'protocol'],
  ])('of %s is of kind %s', async (path, kind) => {
    await expect(get(path)).rejects.toMatchObject({ name: 'FetchFault', kind })
  })
  test.each(['/hang', '/hang-after-headers', '/drip'])('of %s comes at the deadline', async (path) => {
    const startedAt = performance.now()
    await expect(get(path, { timeoutMs: 300 })).rejects.toMatchObject({ kind: 'timeout' })
    const tookMs = performance.now() - startedAt
    expect(tookMs).toBeGreaterThan(250)
    expect(tookMs).toBeLessThan(4_000)
  })
  test('of a TLS handshake that never comes to an end is a timeout too', async () => {
    const sockets: Socket[] = []
    const silent = await listening(createTcpServer((socket) => sockets.push(socket)))
    const url = new URL(`https://${silent}/`)
    await expect(fetchOnce(url, { through, timeoutMs: 300 })).rejects.toMatchObject({ kind: 'timeout' })
    for (const socket of sockets) socket.destroy()
  })
  test('of a slow name server as well', async () => {
    const never = guardedAgent(guard({ privateNetworks: true, resolve: () => new Promise(() => {}) }))
    const url = new URL('http://slow.test/')
    await expect(fetchOnce(url, { through: never, timeoutMs: 100 })).rejects.toMatchObject({
      kind: 'timeout',
    })
    await never.destroy()
  })
  test('of a name that does not exist is of kind dns', async () => {
    await expect(fetchOnce(new URL('http://nowhere.invalid/'), { through })).rejects.toMatchObject({
      kind: 'dns',
    })
  })
  test('of a port where nobody listens is of kind connection', async () => {
    const server = createTcpServer()
    const gone = await listening(server)
    server.close()
    await once(server, 'close')
    await expect(fetchOnce(new URL(`http://${gone}/`), { through })).rejects.toMatchObject({
      kind: 'connection',
    })
  })
  test('of a certificate nobody trusts is of kind tls', async () => {
    const url = new URL('/ok', hostile.tlsUrl)
    await expect(fetchOnce(url, { through })).rejects.toMatchObject({ kind: 'tls' })
  })
  test('of a certificate for another name is of kind tls', async () => {
    const trusting = guardedAgent(
      guard({ privateNetworks: true, resolve: async () => [{ address: '127.0.0.1', family: 4 }] }),
      { ca: hostile.ca },
    )
    const { port } = new URL(hostile.tlsUrl)
    const options = { through: trusting }
    expect((await fetchOnce(new URL(`https://hostile.test:${port}/ok`), options)).status).toBe(200)
    await expect(fetchOnce(new URL(`https://other.test:${port}/ok`), options)).rejects.toMatchObject({
      kind: 'tls',
    })
    await trusting.destroy()
  })
  test('of plain HTTP where TLS is expected is of kind tls', async () => {
    const url = new URL(hostile.url.replace('http:', 'https:'))
    await expect(fetchOnce(url, { through })).rejects.toMatchObject({ kind: 'tls' })
  })
})

describe('an abort', () => {
  test.each(['/hang', '/drip'])('ends %s with its reason', async (path) => {
    const controller = new AbortController()
    const fetching = get(path, { signal: controller.signal })
    await eventually(() => expect(hostile.hits.get(path)).toBeGreaterThan(0))
    controller.abort(new Error('stopped'))
    await expect(fetching).rejects.toThrow('stopped')
  })
  test('beforehand asks nothing', async () => {
    await expect(get('/ok?never', { signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow(
      'stopped',
    )
    expect(hostile.hits.has('/ok?never')).toBe(false)
  })
})

describe('a connection', () => {
  test('is kept for the next request', async () => {
    const alone = await startHostile()
    for (let n = 0; n < 5; n++) await fetchAlone(new URL('/ok', alone.url))
    expect(alone.connections().made).toBe(1)
    await alone.close()
  })
  test('that went stale is replaced once', async () => {
    const { url, methods } = forgetful()
    const address = new URL(await url)
    await fetchAlone(address)
    expect((await fetchOnce(address, { through })).body.toString()).toBe('fine')
    expect(methods).toEqual(['GET', 'GET', 'GET'])
  })
  test('is not replaced for what was posted', async () => {
    const { url, methods } = forgetful()
    const address = new URL(await url)
    await fetchAlone(address)
    const posting = fetchOnce(address, { through, method: 'POST', body: 'x' })
    await expect(posting).rejects.toMatchObject({ kind: 'connection' })
    expect(methods).toEqual(['GET', 'POST'])
  })
  test('that was new is not tried again', async () => {
    const before = hostile.hits.get('/reset-at-once?new') ?? 0
    const alone = guardedAgent(guard({ privateNetworks: true }))
    await expect(get('/reset-at-once?new', { through: alone })).rejects.toMatchObject({ kind: 'connection' })
    expect(hostile.hits.get('/reset-at-once?new')).toBe(before + 1)
    await alone.destroy()
  })
})

describe('redirects', () => {
  test('are not followed on their own', async () => {
    const answer = await get('/chain/3')
    expect(answer.status).toBe(301)
    expect(redirectTarget(answer)?.pathname).toBe('/chain/2')
  })
  test('are followed as far as asked', async () => {
    const { answer, hops } = await follow('/chain/5')
    expect(answer.status).toBe(200)
    expect(hops.map(({ pathname }) => pathname)).toEqual([5, 4, 3, 2, 1, 0].map((left) => `/chain/${left}`))
  })
  test.each(['/chain/6', '/loop-a', '/self-loop'])('end after that: %s', async (path) => {
    const { answer, hops } = await follow(path)
    expect(answer.status).toBeGreaterThanOrEqual(301)
    expect(hops).toHaveLength(6)
  })
  test('to no address end at once', async () => {
    const { answer, hops } = await follow('/bad-location')
    expect(answer.status).toBe(302)
    expect(redirectTarget(answer)).toBeNull()
    expect(hops).toHaveLength(1)
  })
  test('to another scheme are refused', async () => {
    await expect(follow('/redirect-file')).rejects.toMatchObject({ kind: 'forbidden' })
  })
  test('to a private address are refused', async () => {
    const closed = guard({ privateNetworks: false })
    const hostileOnly: Guard = {
      ...closed,
      admit: (host, port) => (host === '127.0.0.1' ? undefined : closed.admit(host, port)),
    }
    const agent = guardedAgent(hostileOnly)
    const following = follow('/redirect-private', { through: agent })
    await expect(following).rejects.toMatchObject({
      kind: 'forbidden',
      message: expect.stringContaining('169.254.169.254'),
    })
    await agent.destroy()
  })
  test('take nothing confidential to another origin', async () => {
    const seen: unknown[] = []
    const elsewhere = await serve((request, response) => {
      seen.push(request.headers.authorization, request.headers['x-other'])
      response.end()
    })
    const headers = { Authorization: 'Bearer secret', 'X-Other': 'fine' }
    await follow(`/redirect-to?${encodeURIComponent(elsewhere)}`, { headers })
    await follow(`/redirect-to?${encodeURIComponent('/ok?same')}`, { headers })
    expect(seen).toEqual([undefined, 'fine'])
    expect(hostile.headers.get('/ok?same')?.authorization).toBe('Bearer secret')
  })
  test.each([
    ['/a?b', 'http://site.test/a?b'],
    ['//other.test/', 'http://other.test/'],
    ['?page=2', 'http://site.test/dir/file?page=2'],
    [Buffer.from('/città').toString('latin1'), 'http://site.test/citt%C3%A0'],
    ['http://[bad', undefined],
  ])('are read: %s', (location, target) => {
    expect(redirectTarget({ url: new URL('http://site.test/dir/file'), headers: { location } })?.href).toBe(
      target,
    )
  })
})

describe('cookies', () => {
  test('come back where they belong', async () => {
    const cookies = new CookieJar()
    await get('/cookies', { cookies })
    await get('/ok?cookies', { cookies })
    expect(hostile.headers.get('/ok?cookies')?.cookie).toBe('session=1')
    expect(cookies.header(at('/elsewhere/x'))).toBe('other=2; session=1')
    expect(cookies.header(new URL('http://example.com/'))).toBe('')
  })
  test('are saved for a later jar', () => {
    const url = new URL('http://site.test/a/b')
    const cookies = new CookieJar()
    expect(cookies.save()).toBeNull()
    cookies.store(url, ['here=1', 'host=2; Path=/', 'old=3; Max-Age=0'])
    const later = new CookieJar(cookies.save())
    expect(later.header(url)).toBe('here=1; host=2')
    expect(later.header(new URL('http://site.test/'))).toBe('host=2')
  })
  test('of one crawl are not those of another', async () => {
    await get('/cookies', { cookies: new CookieJar() })
    await get('/ok?bare')
    expect(hostile.headers.get('/ok?bare')).not.toHaveProperty('cookie')
  })
  test('are bounded in size and number, the latest being kept', () => {
    const url = new URL('http://site.test/')
    const cookies = new CookieJar()
    cookies.store(url, [`large=${'x'.repeat(5_000)}`])
    for (let n = 0; n < 2_000; n++) cookies.store(url, [`n${n}=1`, 'same=1'])
    const pairs = cookies.header(url).split('; ')
    expect(pairs.length).toBeLessThanOrEqual(300)
    expect(pairs).toContain('n1999=1')
    expect(pairs).toContain('same=1')
    expect(pairs.join()).not.toContain('large')
  })
  test('set anew, deleted, expired or only for TLS are treated so', () => {
    const url = new URL('http://site.test/')
    const cookies = new CookieJar()
    cookies.store(url, ['a=1', 'b=1', 'c=1; Max-Age=0', 'nonsense', ''])
    cookies.store(url, ['a=2', 'b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT'])
    cookies.store(new URL('https://site.test/'), ['s=1; Secure'])
    expect(cookies.header(url).split('; ')).toContain('a=2')
    expect(cookies.header(url)).not.toMatch(/[bcs]=/)
    expect(cookies.header(new URL('https://site.test/'))).toContain('s=1')
  })
})
