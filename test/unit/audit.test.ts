import { createHash } from 'node:crypto'

import { describe, expect, test } from 'vitest'

import type { Example } from '../../tasks/crawl/checks/check.ts'
import { countSeverities } from '../../tasks/crawl/checks/index.ts'
import { examine } from '../../tasks/crawl/page.ts'
import { normalise, resolver, urlKey } from '../../tasks/crawl/url.ts'
import { visit } from '../support/visit.ts'

const record = (example: Example) => examine(visit(example))
const issues = (example: Example) => record(example).issues

const text = `Shoes made by hand in Florence: leather, workshop, order. ${Array.from({ length: 240 }, (_, i) => `part${i}`).join(' ')}`
const good = `<!doctype html><html lang="en"><head><meta charset="utf-8">
  <title>Handmade leather shoes from Florence | Example</title>
  <meta name="description" content="Shoes made by hand in Florence since 1952: see the workshop, choose the leather, order your pair.">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <link rel="canonical" href="https://example.test/page">
  ${['title', 'description', 'image', 'type'].map((name) => `<meta property="og:${name}" content="x">`).join('')}
  <meta property="og:url" content="https://example.test/page">
  <script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Shoe","offers":{"@type":"Offer","price":90}}</script>
  </head><body><nav><a href="/">Home</a></nav><main><h1>Shoes</h1><h2>Leather</h2><p>${text}</p>
  <img src="a.jpg" alt="A shoe" width="1" height="1"><img src="b.jpg" alt="" width="1" height="1">
  <a href="/b#top">Boots</a> <a href="https://other.test/">Other shop</a></main></body></html>`

describe('a page', () => {
  test('without faults has no issue, and is stored whole', () => {
    const { contentKey, simhash, ...rest } = record(good)
    expect([contentKey, simhash]).toEqual([
      expect.stringMatching(/^-?\d+$/),
      expect.stringMatching(/^-?\d+$/),
    ])
    expect(rest).toMatchObject({
      urlKey: urlKey('https://example.test/page'),
      url: 'https://example.test/page',
      depth: 1,
      inSitemap: false,
      statusCode: 200,
      fault: null,
      contentType: 'text/html',
      isHtml: true,
      rendered: false,
      score: 100,
      title: 'Handmade leather shoes from Florence | Example',
      metaDescription:
        'Shoes made by hand in Florence since 1952: see the workshop, choose the leather, order your pair.',
      h1: 'Shoes',
      canonical: 'https://example.test/page',
      canonicalKey: urlKey('https://example.test/page'),
      redirectUrl: null,
      redirectKey: null,
      lang: 'en',
      isIndexable: true,
      isNoindex: false,
      wordsCount: 255,
      imagesNoAlt: 0,
      internalLinks: 2,
      externalLinks: 1,
      schemaTypes: 'Product,Offer',
      bytes: 100,
      ttfbMs: 10,
      totalMs: 20,
      issues: [],
      links: [
        {
          url: 'https://example.test/',
          key: urlKey('https://example.test/'),
          nofollow: false,
          internal: true,
          text: 'Home',
        },
        {
          url: 'https://example.test/b',
          key: urlKey('https://example.test/b'),
          nofollow: false,
          internal: true,
          text: 'Boots',
        },
      ],
    })
  })

  test('that redirects has its status, its target and nothing else', () => {
    const page = record({ status: 301, headers: { location: '/new#part' }, html: null })
    expect(page).toMatchObject({
      redirectUrl: 'https://example.test/new',
      score: null,
      isIndexable: false,
      title: null,
    })
    expect(page.links).toEqual([
      { url: page.redirectUrl, key: page.redirectKey, nofollow: false, internal: true, text: '' },
    ])
    expect(
      record({ status: 302, headers: { location: 'https://other.test/' }, html: null }).links[0]!.internal,
    ).toBe(false)
    expect(record({ status: 301, headers: {}, html: null })).toMatchObject({ redirectUrl: null, links: [] })
    expect(record({ status: 301, headers: { location: 'http://[' }, html: null })).toMatchObject({
      redirectUrl: null,
    })
  })

  test('that fails has score 0; a file has none', () => {
    const failed = {
      status: 0,
      fault: 'dns',
      contentType: null,
      html: null,
      ttfbMs: null,
      totalMs: null,
    } as const
    expect(record(failed)).toMatchObject({ statusCode: 0, fault: 'dns', score: 0, issues: ['dns_error'] })
    expect(record({ status: 404, html: null })).toMatchObject({
      score: 0,
      issues: ['http_4xx'],
      isIndexable: false,
    })
    expect(record({ contentType: 'application/pdf', html: null })).toMatchObject({
      score: null,
      isHtml: false,
      issues: [],
    })
  })

  test.each<[string, Example, boolean]>([
    ['plain', '<p>text</p>', true],
    ['noindex', '<meta name=robots content=noindex>', false],
    ['noindex in the header', { headers: { 'x-robots-tag': 'none' }, html: '<p>x' }, false],
    ['noindex for another robot', { headers: { 'x-robots-tag': 'bingbot: noindex' }, html: '<p>x' }, true],
    ['blocked by robots.txt', { robotsAllowed: false, html: '<p>x' }, false],
    ['canonical to itself', '<link rel=canonical href="/page#x">', true],
    ['canonical elsewhere', '<link rel=canonical href="/page/">', false],
    [
      'canonical elsewhere in the header',
      { headers: { link: '</b>; rel="canonical"' }, html: '<p>x' },
      false,
    ],
    ['canonical in the body', '<p>x</p><link rel=canonical href="/b">', true],
    ['an error', { status: 500, html: null }, false],
  ])('%s', (_name, example, isIndexable) => expect(record(example).isIndexable).toBe(isIndexable))

  test('links of a page are distinct, without the page itself; one followed link is enough', () => {
    const { links, internalLinks, externalLinks } = record(
      '<a href=/b rel=nofollow>b</a><a href=/b#x>b</a><a href=/c rel=nofollow>c</a><a href=#y>y</a><a href=//o.test>o</a>',
    )
    expect(links.map(({ url, nofollow }) => [url.slice(20), nofollow])).toEqual([
      ['/b', false],
      ['/c', true],
    ])
    expect([internalLinks, externalLinks]).toEqual([4, 1])
  })

  test('nothing it says can hurt the database', () => {
    const page = record({
      contentType: 'text/html\0',
      html: `<html lang="a\0b"><title>\0a\ud800</title><meta name=description content="&#0;x&#xD800;"><h1>\udfff</h1>
        <a href="/\0a">x</a><script type="application/ld+json">{"@type":"A\\u0000B"}</script><div itemtype="x\ud800"></div>`,
    })
    const stored = JSON.stringify(page)
    expect(stored).not.toContain('\\u0000')
    expect(stored).not.toMatch(/\\ud[89a-f]/i)
  })

  test('severities are counted for the crawl', () => {
    expect(countSeverities(['http_4xx', 'title_multiple', 'noindex', 'link_insecure', 'unheard_of'])).toEqual(
      {
        errors: 1,
        warnings: 1,
      },
    )
  })
})

describe('faults known from other crawlers', () => {
  test('pages that are not there are not judged by their content', () => {
    expect(issues({ status: 404, html: '<form></form>' })).toEqual(['http_4xx'])
  })

  test('lengths are characters, not bytes', () => {
    expect(issues(`<title>${'à'.repeat(60)}</title>`)).not.toContain('title_too_long')
    expect(issues(`<meta name=description content="${'è'.repeat(160)}">`)).not.toContain('meta_desc_too_long')
  })

  test('a page outside the sitemap is not blamed for being in it', () => {
    expect(issues('<link rel=canonical href=/other>').filter((code) => code.startsWith('sitemap_'))).toEqual(
      [],
    )
  })

  test('a feed is no language version', () => {
    expect(
      issues('<link rel=alternate type=application/rss+xml href=/feed>').filter((code) =>
        code.startsWith('hreflang_'),
      ),
    ).toEqual([])
  })

  test('an empty alternative text is right for decoration', () => {
    expect(record('<img src=a alt=""><img src=b>').imagesNoAlt).toBe(1)
  })

  test('http pages are not asked for HSTS', () => {
    expect(issues({ url: 'http://example.test/', isStart: true, html: good })).not.toContain('hsts_missing')
  })

  test('headers of the host are judged once, on the start page', () => {
    const headers = ['csp_missing', 'hsts_missing', 'x_content_type_options_missing']
    expect(issues({ isStart: true, html: good })).toEqual(expect.arrayContaining(headers))
    expect(issues(good)).not.toEqual(expect.arrayContaining(headers))
  })
})

describe('a page that says it is not there', () => {
  test('is not judged by its title and text, but listed as it is', () => {
    const page = record('<title>Page not found</title><h1>Page not found</h1><p>Sorry.</p>')
    expect(page.issues).toContain('soft_404')
    expect(page.issues.filter((code) => /^(title|meta_desc|h1|content)_/.test(code))).toEqual([])
    expect(page).toMatchObject({ title: 'Page not found', isIndexable: true })
  })
})

describe('a rendered page', () => {
  test('is compared with what it was before its scripts ran; one that was not rendered is not', () => {
    const plain = '<title>Loading</title><div id=root></div><script src=a.js></script>'
    const html = `<title>Shoes</title><h1>Shoes</h1><p>${text}</p>`
    const codes = ['content_js_only', 'content_render_diff']
    expect(issues({ plain, html })).toEqual(expect.arrayContaining(codes))
    expect(issues(html)).not.toEqual(expect.arrayContaining(codes))
    expect(issues({ plain: html, html }).filter((code) => codes.includes(code))).toEqual([])
  })
})

describe('addresses', () => {
  test.each([
    ['HTTP://Example.TEST:80/a/../b?q#f', 'http://example.test/b?q'],
    ['https://bücher.test/ü', 'https://xn--bcher-kva.test/%C3%BC'],
    ['https://example.test/a b\\c', 'https://example.test/a%20b/c'],
    ['https://example.test./', 'https://example.test./'],
    ['https://example.test/#', 'https://example.test/'],
    ['https://example.test/x\ny', 'https://example.test/xy'],
    ['https://0x7f.1/', 'https://127.0.0.1/'],
    ['ftp://example.test/', undefined],
    ['https://', undefined],
    ['/relative', undefined],
    ['https://example.test/\u0001', undefined],
    [`https://example.test/${'x'.repeat(2048)}`, undefined],
  ])('%j is %j', (href, url) => expect(normalise(href)?.href).toBe(url))

  test('a page’s references are resolved as single ones are, again and again', () => {
    const hrefs = [
      '/a#x',
      'b',
      '//other.test/c',
      'https://user@a.test/',
      'HTTP://A.TEST',
      ' /d',
      '?e',
      'mailto:f',
      'http://',
    ]
    for (const base of [
      'https://example.test/dir/page',
      'http://example.test/',
      'https://example.test/dir/page',
    ]) {
      const resolve = resolver(base)
      expect(hrefs.map((href) => resolve(href)?.href)).toEqual(
        hrefs.map((href) => normalise(href, base)?.href),
      )
    }
  })

  test('a key is the first eight bytes of the SHA-1, signed', () => {
    const url = 'https://example.test/page'
    const key = createHash('sha1').update(url).digest().readBigInt64BE(0).toString()
    expect([urlKey(url), urlKey(url)]).toEqual([key, key])
  })
})
