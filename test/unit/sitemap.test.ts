import { gzipSync } from 'node:zlib'

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import { guard } from '../../tasks/address.ts'
import { guardedAgent } from '../../tasks/agent.ts'
import { sitemapReader } from '../../tasks/crawl/sitemap-reader.ts'
import { type SitemapOptions, sitemapUrls } from '../../tasks/crawl/sitemap.ts'
import { type Answer, type FakeServer, startServer } from '../fakes/site/server.ts'

const through = guardedAgent(guard({ privateNetworks: true }))
let site: FakeServer
let files: Record<string, Answer>

beforeAll(async () => {
  site = await startServer((path) => files[path])
})
afterEach(() => site.forget())
afterAll(async () => {
  await through.destroy()
  await site.close()
})

const urlset = (...locations: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${locations.map((location) => `<url><loc>${location}</loc><lastmod>2026-01-01</lastmod></url>`).join('\n')}
</urlset>`
const index = (...locations: string[]) =>
  `<sitemapindex>${locations.map((location) => `<sitemap><loc>${location}</loc></sitemap>`).join('')}</sitemapindex>`

async function read(paths: string[], options: Partial<SitemapOptions> = {}) {
  const faults: string[] = []
  const batches: string[][] = []
  const start = paths.map((path) => new URL(path, site.origin))
  for await (const batch of sitemapUrls(start, {
    through,
    limit: 50_000,
    onFault: (file, fault) => faults.push(`${file.pathname}: ${fault.kind}`),
    ...options,
  }))
    batches.push(batch.map(({ url }) => url.href))
  return { urls: batches.flat(), batches, faults }
}

const readAll = (text: string | Buffer, step = 7) => {
  const reader = sitemapReader()
  const bytes = Buffer.from(text as string)
  for (let at = 0; at < bytes.length; at += step) reader.write(bytes.subarray(at, at + step))
  reader.end()
  const { pages, sitemaps } = reader.take(Infinity)
  const locations = (entries: typeof pages) => entries.map(({ loc }) => loc)
  return {
    entries: pages,
    read: { pages: locations(pages), sitemaps: locations(sitemaps), isSitemap: reader.isSitemap() },
  }
}
const found = (text: string | Buffer, step?: number) => readAll(text, step).read
const many = (count: number) => Array.from({ length: count }, (_, n) => `https://a.test/page/${n}`)

describe('one file', () => {
  test('lists pages', () => {
    expect(found(urlset('https://a.test/', 'https://a.test/città'))).toEqual({
      pages: ['https://a.test/', 'https://a.test/città'],
      sitemaps: [],
      isSitemap: true,
    })
  })
  test('or sitemaps', () => {
    expect(found(index('https://a.test/1.xml')).sitemaps).toEqual(['https://a.test/1.xml'])
  })
  test('with entities, CDATA and white space', () => {
    const locations = [
      'https://a.test/?a=1&amp;b=2',
      '<![CDATA[https://a.test/?c=3&d=4]]>',
      '\n  https://a.test/e&#38;f\n',
    ]
    expect(found(urlset(...locations)).pages).toEqual([
      'https://a.test/?a=1&b=2',
      'https://a.test/?c=3&d=4',
      'https://a.test/e&f',
    ])
  })
  test('without what belongs to other name spaces', () => {
    const pages = found(
      urlset(
        'https://a.test/1</loc><image:image><image:loc>https://a.test/1.png</image:loc></image:image>' +
          '<xhtml:link rel="alternate" hreflang="de" href="https://a.test/de"/><loc>',
      ),
    ).pages
    expect(pages).toEqual(['https://a.test/1'])
  })
  test('with a prefix of its own', () => {
    const xml = '<sm:urlset xmlns:sm="x"><sm:url><sm:loc>https://a.test/</sm:loc></sm:url></sm:urlset>'
    expect(found(xml).pages).toEqual(['https://a.test/'])
  })
  test('without external or own entities', () => {
    const xml = `<!DOCTYPE urlset [<!ENTITY own "secret"><!ENTITY file SYSTEM "file:///etc/passwd">]>${urlset('https://a.test/&own;&file;')}`
    expect(found(xml).pages.join()).not.toMatch(/secret|root:/)
  })
  test('as RSS', () => {
    const rss = `<rss><channel><link>https://a.test/</link><item><title>x</title><link>https://a.test/1</link></item></channel></rss>`
    expect(found(rss)).toMatchObject({ pages: ['https://a.test/1'], isSitemap: true })
  })
  test('as RSS 1.0', () => {
    const rss = `<rdf:RDF xmlns="http://purl.org/rss/1.0/"><item><link>https://a.test/1</link></item></rdf:RDF>`
    expect(found(rss).pages).toEqual(['https://a.test/1'])
  })
  test('as Atom', () => {
    const atom = `<feed><link href="https://a.test/"/><entry><link rel="self" href="https://a.test/x"/><link href="https://a.test/1"/></entry></feed>`
    expect(found(atom).pages).toEqual(['https://a.test/1'])
  })
  test.each(['\n', '\r\n', '\r'])('as plain text with lines ending in %j', (end) => {
    const text = [
      'https://a.test/1',
      '  https://a.test/città  ',
      '',
      '# no address',
      'https://a.test/3',
    ].join(end)
    expect(found(text)).toMatchObject({
      pages: ['https://a.test/1', 'https://a.test/città', 'https://a.test/3'],
      isSitemap: true,
    })
  })
  test.each([
    ['UTF-8', Buffer.from(`\ufeff${urlset('https://a.test/città')}`)],
    ['UTF-16', Buffer.from(`\ufeff${urlset('https://a.test/città')}`, 'utf16le')],
  ])('with the byte order mark of %s', (_, bytes) => {
    expect(found(bytes, 8).pages).toEqual(['https://a.test/città'])
  })
  test.each(['<!doctype html><p>Not found', 'Not found', '', '{"a":1}'])(
    'is none when it reads %j',
    (text) => {
      expect(found(text)).toEqual({ pages: [], sitemaps: [], isSitemap: false })
    },
  )
  test('keeps no address that is beyond all measure', () => {
    expect(found(urlset(`https://a.test/${'x'.repeat(20_000)}`, 'https://a.test/ok'), 1000).pages).toEqual([
      'https://a.test/ok',
    ])
  })
  test('of absurd depth is given up at once', () => {
    const reader = sitemapReader()
    const startedAt = performance.now()
    for (let n = 0; n < 100; n++) reader.write(Buffer.from(`<urlset>${'<url>'.repeat(10_000)}`))
    reader.end()
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })
  test('broken off gives what came before', () => {
    expect(found(urlset('https://a.test/1', 'https://a.test/2').slice(0, -60)).pages).toContain(
      'https://a.test/1',
    )
  })
})

describe('all files', () => {
  test('an index leads to its files, each read once however often it is named', async () => {
    files = {
      '/sitemap.xml': {
        body: index(
          '/relative.xml',
          `${site.origin}/a.xml`,
          `${site.origin}/a.xml`,
          `${site.origin}/sub.xml`,
        ),
      },
      '/sub.xml': { body: index(`${site.origin}/sitemap.xml`, `${site.origin}/b.xml`) },
      '/a.xml': { body: urlset('https://a.test/1') },
      '/b.xml': { body: urlset('https://a.test/2') },
    }
    const { urls, faults } = await read(['/sitemap.xml', '/a.xml'])
    expect(urls.toSorted()).toEqual(['https://a.test/1', 'https://a.test/2'])
    expect(faults).toEqual([])
    expect(Object.fromEntries(site.hits)).toEqual({
      '/sitemap.xml': 1,
      '/a.xml': 1,
      '/sub.xml': 1,
      '/b.xml': 1,
    })
  })
  test('are read packed, as a file or on the way', async () => {
    const packed = gzipSync(urlset('https://a.test/packed'))
    files = {
      '/file.xml.gz': { body: packed, headers: { 'content-type': 'application/gzip' } },
      '/way.xml': { body: packed, headers: { 'content-encoding': 'gzip' } },
      '/both.xml.gz': { body: gzipSync(packed), headers: { 'content-encoding': 'gzip' } },
    }
    const { urls, faults } = await read(Object.keys(files))
    expect(urls).toEqual(Array.from({ length: 3 }, () => 'https://a.test/packed'))
    expect(faults).toEqual([])
  })
  test('are read through redirects', async () => {
    files = {
      '/old.xml': { status: 301, headers: { location: '/new.xml' } },
      '/new.xml': { body: urlset('https://a.test/moved') },
    }
    expect((await read(['/old.xml'])).urls).toEqual(['https://a.test/moved'])
  })
  test('at fault are reported and keep none of the others', async () => {
    files = {
      '/html.xml': { body: '<!doctype html><title>Welcome</title>' },
      '/broken.gz': { body: gzipSync(urlset('https://a.test/half')).subarray(0, 40) },
      '/bad.gz': { body: Buffer.concat([Buffer.of(0x1f, 0x8b), Buffer.alloc(100, 7)]) },
      '/loop.xml': { status: 302, headers: { location: '/loop.xml' } },
      '/last.xml': { body: urlset('https://a.test/last') },
    }
    const { urls, faults } = await read(['/missing.xml', ...Object.keys(files)])
    expect(urls).toContain('https://a.test/last')
    expect(faults).toEqual([
      '/missing.xml: protocol',
      '/html.xml: protocol',
      '/broken.gz: encoding',
      '/bad.gz: encoding',
      '/loop.xml: protocol',
    ])
  })
  test('give absolute web addresses only', async () => {
    files = {
      '/sitemap.xml': {
        body: urlset(
          '/relative',
          'ftp://a.test/',
          'javascript:alert(1)',
          'http://[bad',
          '',
          'HTTPS://A.test/ok',
        ),
      },
    }
    expect((await read(['/sitemap.xml'])).urls).toEqual(['https://a.test/ok'])
  })
  test('are 50 at most', async () => {
    const names = Array.from({ length: 80 }, (_, n) => `/${n}.xml`)
    files = { '/sitemap.xml': { body: index(...names.map((name) => site.origin + name)) } }
    for (const name of names) files[name] = { body: urlset(`https://a.test${name}`) }
    expect((await read(['/sitemap.xml'])).urls).toHaveLength(49)
  })
})

describe('limits', () => {
  test('50,000 addresses of one file count, in batches', async () => {
    files = {
      '/large.xml': { body: urlset(...many(60_000)) },
      '/next.xml': { body: urlset('https://a.test/next') },
    }
    const { urls, batches } = await read(['/large.xml', '/next.xml'], { limit: 100_000 })
    expect(urls).toHaveLength(50_001)
    expect(urls.at(-1)).toBe('https://a.test/next')
    expect(batches.length).toBeGreaterThan(10)
    expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThan(5_000)
  })
  test('the caller stops at a number of addresses', async () => {
    files = { '/a.xml': { body: urlset(...many(3_000)) }, '/b.xml': { body: urlset(...many(10)) } }
    const { urls } = await read(['/a.xml', '/b.xml'], { limit: 1_234 })
    expect(urls).toHaveLength(1_234)
    expect(site.hits.has('/b.xml')).toBe(false)
  })
  test('a packed bomb is given up', async () => {
    files = {
      '/bomb.gz': { body: gzipSync(Buffer.alloc(80 * 1024 * 1024, ' ')) },
      '/next.xml': { body: urlset('https://a.test/next') },
    }
    const { urls, faults } = await read(['/bomb.gz', '/next.xml'])
    expect(faults).toEqual(['/bomb.gz: encoding'])
    expect(urls).toEqual(['https://a.test/next'])
  })
  test('a file too large is read as far as it counts', async () => {
    files = { '/large.xml': { body: urlset(...many(2_000)) } }
    const { urls, faults } = await read(['/large.xml'], { maxBytes: 50_000 })
    expect(urls.length).toBeGreaterThan(100)
    expect(urls.length).toBeLessThan(2_000)
    expect(faults).toEqual(['/large.xml: protocol'])
  })
  test('an abort ends it', async () => {
    files = { '/a.xml': { body: urlset('https://a.test/') } }
    const signal = AbortSignal.abort(new Error('stopped'))
    await expect(read(['/a.xml'], { signal })).rejects.toThrow('stopped')
  })
})
