import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer, type SecureContextOptions } from 'node:tls'

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import { guard } from '../../tasks/address.ts'
import { guardedAgent } from '../../tasks/agent.ts'
import { accessOf } from '../../tasks/crawl/probes/access.ts'
import { aiAgents } from '../../tasks/crawl/probes/ai-agents.ts'
import { asker } from '../../tasks/crawl/probes/ask.ts'
import { acceptsOldTls, readCertificate } from '../../tasks/crawl/probes/certificate.ts'
import { probeChecks } from '../../tasks/crawl/probes/checks/index.ts'
import { robotsFaults } from '../../tasks/crawl/probes/robots-lint.ts'
import * as probes from '../../tasks/crawl/probes/site.ts'
import { surveySitemaps } from '../../tasks/crawl/probes/sitemaps.ts'
import { parseRobots } from '../../tasks/robots.ts'
import { type Answer, type FakeServer, startServer } from '../fakes/site/server.ts'
import { siteFacts } from '../support/probes.ts'

/** Every name is the machine itself. */
const everywhere = guard({
  privateNetworks: true,
  resolve: async (name) => {
    if (name.endsWith('.invalid')) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    return [{ address: '127.0.0.1', family: 4 }]
  },
})
const through = guardedAgent(everywhere)
const signal = new AbortController().signal
const ask = asker(0, { signal, through })

let answers: (path: string, request: { host: string; agent: string }) => Answer | undefined = () => undefined
let site: FakeServer
const port = () => new URL(site.origin).port

beforeAll(async () => {
  site = await startServer((path, { headers }) =>
    answers(path, { host: headers.host ?? '', agent: headers['user-agent'] ?? '' }),
  )
})
afterEach(() => {
  site.forget()
  answers = () => undefined
})
afterAll(async () => {
  await through.destroy()
  await site.close()
})

describe.each(probeChecks)('$code', (check) => {
  test.each(check.examples.bad)('finds %#', (example) => expect(check.finds(siteFacts(example))).toBe(true))
  test.each(check.examples.good)('passes %#', (example) =>
    expect(check.finds(siteFacts(example))).toBe(false),
  )
})

test('what was not asked is no fault', () => {
  for (const check of probeChecks)
    expect([check.code, check.finds(siteFacts({}))]).toEqual([check.code, false])
})

describe('the lines of robots.txt', () => {
  test('are named by their number', () => {
    expect(robotsFaults('Disallow: /a\n\nUser-agent: *\nNo rule\nDissalow: /\nAllow: b # c\n')).toEqual([
      'line 1 stands before any user agent',
      'line 4 is no rule',
      'line 5 has the unknown name dissalow',
      'line 6 has a path that does not begin with / or *',
    ])
  })
})

describe('AI agents', () => {
  test('are known once each, by a name that robots.txt can have', () => {
    const tokens = aiAgents.map(({ token }) => token.toLowerCase())
    expect(tokens.toSorted()).toEqual([...new Set(tokens)].toSorted())
    for (const token of tokens) expect(token).toMatch(/^[a-z0-9_-]+$/)
    for (const { token, userAgent = `${token}/` } of aiAgents) expect(userAgent).toContain(`${token}/`)
  })

  test('are visited in their own name, unless robots.txt keeps them out', async () => {
    answers = (_path, { agent }) =>
      /GPTBot/.test(agent) ? { status: 403 } : { body: `<title>Home</title>${'text '.repeat(500)}` }
    const start = { url: `${site.origin}/home`, status: 200, title: 'Home', canonical: null }
    const robots = { status: 200, text: 'User-agent: ClaudeBot\nDisallow: /' }
    const visits = await probes.probeVisits(ask, start, robots)
    const met = Object.fromEntries(
      accessOf({ robots, visits }).map(({ token, met, allowed }) => [token, `${allowed} ${met}`]),
    )
    expect(met).toMatchObject({
      GPTBot: 'true turned_away',
      'OAI-SearchBot': 'true welcomed',
      'ChatGPT-User': 'true welcomed',
      PerplexityBot: 'true welcomed',
      ClaudeBot: 'false not_visited',
      'Google-Extended': 'true not_visited',
    })
    const agents = site.log.map(({ headers }) => headers['user-agent'] ?? '')
    expect(agents[0]).toMatch(/Windows NT .* Chrome/)
    expect(agents.some((agent) => agent.includes('ClaudeBot'))).toBe(false)
    expect(new Set(site.log.map(({ path }) => path))).toEqual(new Set(['/home']))
  })

  test('are not turned away by an error that passes', async () => {
    const seen = new Set<string>()
    answers = (_path, { agent }) => {
      if (!agent.includes('PerplexityBot') || seen.has(agent)) return { body: 'x'.repeat(2000) }
      seen.add(agent)
      return { status: 503 }
    }
    const start = { url: site.origin, status: 200, title: null, canonical: null }
    const robots = { status: 404, text: '' }
    const visits = await probes.probeVisits(ask, start, robots)
    expect(accessOf({ robots, visits }).filter(({ met }) => met === 'turned_away')).toEqual([])
    expect(seen.size).toBe(1)
  })

  test('are not tried where the start page itself is none', async () => {
    const start = { url: site.origin, status: 404, title: null, canonical: null }
    expect(await probes.probeVisits(ask, start, { status: 404, text: '' })).toBe(null)
    expect(site.log).toEqual([])
  })
})

describe('a path that cannot exist', () => {
  const start = () => ({ url: `${site.origin}/`, status: 200, title: null, canonical: null })
  const probe = () => probes.probeNowhere(ask, probes.nowhere(new URL(site.origin)), start())
  const redirect = (location: string): Answer => ({ status: 302, headers: { location } })

  test.each<[string, (path: string) => Answer | undefined, object | null]>([
    ['is missing', () => undefined, { status: 404, landed: 'there' }],
    ['is there', () => ({ body: 'Welcome' }), { status: 200, landed: 'there' }],
    ['is the start page', (path) => (path === '/' ? {} : redirect('/')), { status: 200, landed: 'home' }],
    ['is a login', (path) => (path === '/in' ? {} : redirect('/in')), { status: 200, landed: 'elsewhere' }],
    ['is a challenge', () => ({ headers: { 'cf-mitigated': 'challenge' } }), null],
  ])('%s', async (_name, answer, expected) => {
    answers = answer
    expect(await probe()).toEqual(expected)
    expect(site.log[0]?.path).toMatch(/^\/[0-9a-f]{24}$/)
  })

  test('is another one every time', async () => {
    await probe()
    await probe()
    expect(site.hits.size).toBe(2)
  })
})

test('an icon and a guide for language models are asked for where they have to be', async () => {
  answers = (path) =>
    path === '/favicon.ico'
      ? { headers: { 'content-type': 'image/x-icon' }, body: 'x' }
      : path === '/llms.txt'
        ? { headers: { 'content-type': 'text/plain' }, body: '# Title\0' }
        : undefined
  const start = new URL('/deep/page?x=1', site.origin)
  expect(await probes.probeIcon(ask, start)).toEqual({
    named: false,
    status: 200,
    contentType: 'image/x-icon',
  })
  expect(await probes.probeLlms(ask, start)).toEqual({
    status: 200,
    contentType: 'text/plain',
    text: '# Title',
  })
})

describe('plain http', () => {
  const start = { url: 'https://example.test/page', status: 200, title: null, canonical: null }
  const probe = () => probes.probeHttp(ask, start, new URL('/page', site.origin))
  const to = (location: string, status = 301): Answer => ({ status, headers: { location } })
  const canonical = (href: string) => ({ body: `<title>x</title><link rel="canonical" href="${href}">` })

  test.each<[string, (path: string) => Answer, object]>([
    ['leads to https', () => to('https://example.test/page'), { status: 301, secured: 'permanently' }],
    [
      'does so by a detour',
      (path) => to(path === '/page' ? '/x' : 'https://example.test/', 308),
      { secured: 'permanently' },
    ],
    ['does so for now', () => to('https://example.test/', 302), { status: 302, secured: 'temporarily' }],
    [
      'names https as canonical',
      () => canonical('https://example.test/page'),
      { status: 200, secured: 'by canonical' },
    ],
    ['stays', () => canonical('/page'), { status: 200, secured: null }],
    ['is not there', () => ({ status: 404 }), { status: 404, secured: null }],
  ])('%s', async (_name, answer, expected) => {
    answers = answer
    expect(await probe()).toMatchObject({ ...expected, hasHttps: true })
  })

  test('has a twin only on the ports that go without saying', () => {
    const twin = (url: string) => probes.schemeTwin(new URL(url))?.href
    expect(twin('https://example.test/a?b')).toBe('http://example.test/a?b')
    expect(twin('http://example.test/')).toBe('https://example.test/')
    expect(twin('https://example.test:8443/')).toBe(undefined)
  })
})

describe('the host with and without www', () => {
  const url = () => `http://example.test:${port()}/`
  const start = (canonical: string | null = null) => ({ url: url(), status: 200, title: 'Shop', canonical })
  const probe = (from = start()) => probes.probeTwin(ask, from, probes.wwwTwin(new URL(url()))!)
  const page = (head: string) => ({ body: `<title>Shop</title>${head}` })

  test.each<[string, () => Answer, boolean]>([
    ['is the same page', () => page(''), true],
    [
      'names itself canonical',
      () => page(`<link rel="canonical" href="http://www.example.test:${port()}/">`),
      true,
    ],
    ['names the site canonical', () => page(`<link rel="canonical" href="${url()}">`), false],
    ['redirects to the site', () => ({ status: 301, headers: { location: url() } }), false],
    ['is another page', () => ({ body: '<title>Parked</title>' }), false],
    ['is an error', () => ({ status: 404, ...page('') }), false],
  ])('%s', async (_name, answer, duplicate) => {
    answers = (_path, { host }) => (host.startsWith('www.') ? answer() : page(''))
    expect(await probe()).toMatchObject({ host: `www.example.test:${port()}`, duplicate })
  })

  test('is settled by the site’s own canonical address, too', async () => {
    answers = () => page('')
    expect(await probe(start(`http://www.example.test:${port()}/`))).toMatchObject({ duplicate: false })
  })

  test('exists for names alone', () => {
    const twin = (url: string) => probes.wwwTwin(new URL(url))?.href
    expect(twin('https://example.test/a')).toBe('https://www.example.test/a')
    expect(twin('https://www.example.test/')).toBe('https://example.test/')
    expect(twin('http://127.0.0.1:80/')).toBe(undefined)
    expect(twin('http://[::1]/')).toBe(undefined)
    expect(twin('http://localhost/')).toBe(undefined)
    expect(twin('http://www.test/')).toBe(undefined)
  })
})

test('one thing is asked at a time', async () => {
  const release = site.hold(() => true)
  const asked = [1, 2, 3].map((n) => ask(new URL(`/${n}`, site.origin)))
  while (site.inFlight() === 0) await new Promise(setImmediate)
  release()
  await Promise.all(asked)
  expect(site.inFlightMax()).toBe(1)
})

describe('certificates', () => {
  const key = readFileSync(new URL('../fakes/self-signed.key.pem', import.meta.url))
  const cert = readFileSync(new URL('../fakes/self-signed.cert.pem', import.meta.url))
  const asking = { rules: everywhere, signal }

  async function serving(options: SecureContextOptions, work: (url: URL) => Promise<void>) {
    const server = createServer({ key, cert, ...options }, (socket) => socket.on('error', () => {}).end())
    server.on('tlsClientError', () => {})
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    try {
      await work(new URL(`https://hostile.test:${(server.address() as AddressInfo).port}/`))
    } finally {
      await new Promise((done) => server.close(done))
    }
  }

  test('are read, good or bad', async () => {
    await serving({}, async (url) => {
      const trusted = await readCertificate(url, { ...asking, ca: cert.toString() })
      expect(trusted).toEqual({
        validTo: expect.stringMatching(/^\d{4}-.*Z$/),
        issuer: expect.any(String),
        error: null,
      })
      expect(await readCertificate(url, asking)).toMatchObject({ error: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
      const misnamed = new URL(`https://other.test:${url.port}/`)
      expect(await readCertificate(misnamed, { ...asking, ca: cert.toString() })).toMatchObject({
        error: 'ERR_TLS_CERT_ALTNAME_INVALID',
      })
    })
  })

  test('of servers that speak old versions only', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
    await serving(old, async (url) => expect(await acceptsOldTls(url, asking)).toBe(true))
    await serving({}, async (url) => expect(await acceptsOldTls(url, asking)).toBe(false))
  })

  test('are no matter where nobody answers, or where nobody may go', async () => {
    const away = new URL('https://nothing.invalid/')
    await expect(readCertificate(away, asking)).rejects.toThrow('no such name')
    expect(await acceptsOldTls(new URL('https://127.0.0.1:1/'), asking)).toBe(null)
    const strict = { rules: guard({ privateNetworks: false }), signal }
    await expect(readCertificate(new URL('https://127.0.0.1:1/'), strict)).rejects.toMatchObject({
      kind: 'forbidden',
    })
    await expect(readCertificate(new URL('https://[::1]:1/'), strict)).rejects.toMatchObject({
      kind: 'forbidden',
    })
  })
})

describe('sitemaps', () => {
  const start = () => new URL(site.origin)
  const survey = (robots: string) =>
    surveySitemaps(
      start(),
      { robots: parseRobots(robots), isInternal: ({ host }) => host === start().host },
      null,
      {
        through,
      },
    )
  const urlset = (...urls: string[]) => ({
    headers: { 'content-type': 'application/xml' },
    body: `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`,
  })
  const states = ({ files }: { files: { url: string; state: string }[] }) =>
    files.map(({ url, state }) => `${new URL(url).pathname} ${state}`)

  test('that robots.txt names are read, with what their index lists', async () => {
    answers = (path) =>
      ({
        '/index.xml': {
          body: `<sitemapindex><sitemap><loc>${site.origin}/a.xml</loc></sitemap><sitemap><loc>${site.origin}/gone.xml</loc></sitemap></sitemapindex>`,
        },
        '/a.xml': urlset(`${site.origin}/`, 'https://elsewhere.test/', `${site.origin}/b`),
      })[path]
    const found = await survey(`Sitemap: ${site.origin}/index.xml`)
    expect(states(found)).toEqual(['/index.xml read', '/a.xml read', '/gone.xml missing'])
    expect(found).toMatchObject({ named: 1, offsite: 1, insecure: 2 })
    expect(found.files[1]).toMatchObject({ urls: 3, large: false })
  })

  test('are looked for at the usual places else, until one is there', async () => {
    answers = (path) => (path === '/sitemap-index.xml' ? urlset(`${site.origin}/`) : undefined)
    expect(states(await survey(''))).toEqual([
      '/sitemap.xml missing',
      '/sitemap_index.xml missing',
      '/sitemap-index.xml read',
    ])
  })

  test('are missing where every address is a page', async () => {
    answers = () => ({ body: '<!doctype html><title>Welcome</title>' })
    expect(new Set((await survey('')).files.map(({ state }) => state))).toEqual(new Set(['missing']))
    expect(states(await survey(`Sitemap: ${site.origin}/sitemap.xml`))).toEqual(['/sitemap.xml invalid'])
  })

  test.each([
    ['an element that is not closed', '<urlset><url><loc>https://a.test/</loc></urlset>'],
    ['an end that is missing', '<urlset><url><loc>https://a.test/</loc></url>'],
    ['a bare ampersand', '<urlset><url><loc>https://a.test/?a&b</loc></url></urlset>'],
    ['an entry without an address', '<urlset><url><lastmod>2026-01-01</lastmod></url></urlset>'],
    ['a relative address', '<urlset><url><loc>/a</loc></url></urlset>'],
    [
      'a date that is none',
      '<urlset><url><loc>https://a.test/</loc><lastmod>1/2/2026</lastmod></url></urlset>',
    ],
  ])('are invalid with %s', async (_name, body) => {
    answers = () => ({ body })
    expect(states(await survey(`Sitemap: ${site.origin}/s.xml`))).toEqual(['/s.xml invalid'])
  })

  test.each([
    '<urlset xmlns="x"><url><loc>https://a.test/?a&amp;b&#38;c</loc><lastmod>2026-01-01T10:00:00+01:00</lastmod></url></urlset>',
    '<urlset><url><loc><![CDATA[https://a.test/?a&b]]></loc><lastmod>2026-01</lastmod><xhtml:link rel="alternate" hreflang="it" href="https://a.test/it"/></url></urlset>',
    'https://a.test/?a&b\nhttps://a.test/c',
    '<urlset></urlset>',
  ])('are fine as %j', async (body) => {
    answers = () => ({ body })
    expect(states(await survey(`Sitemap: ${site.origin}/s.xml`))).toEqual(['/s.xml read'])
  })

  test('are unknown where the server stumbles', async () => {
    answers = () => ({ status: 503 })
    expect(states(await survey(''))).toEqual(['/sitemap.xml unknown'])
  })

  test('are too large beyond 50,000 addresses', { timeout: 20_000 }, async () => {
    const urls = Array.from({ length: 50_001 }, (_, n) => `https://a.test/${n}`)
    answers = (path) => urlset(...urls.slice(path === '/fits.xml' ? 1 : 0))
    const large = async (path: string) =>
      (await survey(`Sitemap: ${site.origin}${path}`)).files.map(({ large, urls }) => [large, urls])
    expect(await large('/fits.xml')).toEqual([[false, 50_000]])
    expect(await large('/not.xml')).toEqual([[true, 50_000]])
  })
})
