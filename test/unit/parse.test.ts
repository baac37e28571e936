import { describe, expect, test } from 'vitest'

import { parse } from '../../tasks/crawl/parse.ts'
import { randomOf } from '../support/random.ts'

const read = (html: string, url = 'https://example.test/dir/page?q=1') => parse(html, new URL(url))
const urls = (html: string) => read(html).links.map(({ url }) => url)
const words = (html: string) => read(html).text.words

describe('head and body', () => {
  test.each([
    ['<title>One</title>', 'One'],
    ['<TITLE\n>One</TITLE >', 'One'],
    ['<title>a &amp; b &lt;i&gt; &eacute; &#x1F45F;</title>', 'a & b <i> é 👟'],
    ['<title><b>not bold</b></title>', '<b>not bold</b>'],
    ['<title>\n  many\t\twords&nbsp; here </title>', 'many words here'],
    ['<title></title><title>Second</title>', 'Second'],
    ['<html><head></head><title>After the head</title><body>', 'After the head'],
    ['<head><meta charset=utf-8><!-- <title>no</title> --><title>One</title>', 'One'],
    ['<script>"<title>no</title>"</script><title>One</title>', 'One'],
    ['<head><noscript><title>no</title></noscript><title>One</title>', 'One'],
    ['<head><template><title>no</title></template><title>One</title>', 'One'],
    ['<title>Nul\0led</title>', 'Nulled'],
    ['<title>e\u0301</title>', '\u00e9'],
  ])('%j has the title %j', (html, title) => expect(read(html).title).toBe(title))

  test.each([
    '<p>text</p><title>late</title>',
    '<head>text<title>late</title>',
    '<head><div></div><title>late</title>',
    '<body><title>late</title>',
    '</body><title>late</title>',
    '<svg><title>drawing</title></svg>',
    '<head><img src=a><title>late</title>',
  ])('%j has no title in its head', (html) => expect(read(html).title).toBe(null))

  test('a lone surrogate becomes a replacement character, a very long text is cut at 2000 code points', () => {
    expect(read('<title>a\ud800b</title>').title).toBe('a\ufffdb')
    expect([...read(`<title>${'👟'.repeat(5000)}</title>`).title!]).toHaveLength(2000)
    expect(read(`<meta name=description content="${'x'.repeat(1e6)}">`).metaDescription).toHaveLength(2000)
  })

  test('an unclosed title or script swallows the rest, as in browsers', () => {
    expect(read('<title>all <p>of it</p>')).toMatchObject({ title: 'all <p>of it</p>', text: { words: 0 } })
    expect(words('<p>one two</p><script>never closed <p>three</p>')).toBe(2)
  })

  test('the first of two equal attributes counts', () => {
    expect(read('<meta name=description content=one content=two NAME=x>').metaDescription).toBe('one')
  })

  test('robots of all agents and of Googlebot are joined, wherever they stand', () => {
    const facts = read(
      '<meta name=ROBOTS content="NoIndex , nofollow"><p>x</p><meta name=googlebot content=noarchive><meta name=bingbot content=none>',
    )
    expect(facts).toMatchObject({ robots: ['noindex', 'nofollow', 'noarchive'], strayTags: 1 })
  })

  test.each([
    ['5', { delay: 5, url: null }],
    ['0;url=/new', { delay: 0, url: 'https://example.test/new' }],
    [' 3 ; URL = "next" ', { delay: 3, url: 'https://example.test/dir/next' }],
    ["1,url='/a;b'", { delay: 1, url: 'https://example.test/a;b' }],
    ['0 /bare', { delay: 0, url: 'https://example.test/bare' }],
    ['0;url=javascript:x', { delay: 0, url: null }],
    ['soon', null],
  ])('refresh %j', (content, refresh) =>
    expect(read(`<meta http-equiv=refresh content="${content.replaceAll('"', '&quot;')}">`).refresh).toEqual(
      refresh,
    ),
  )
})

describe('links', () => {
  test('are absolute, without fragment, credentials and default port, in document order', () => {
    expect(
      urls(
        `<a href=b>b</a><a href='/c?x=1&amp;y=2#z'>c</a><A HREF="HTTPS://user:pw@Example.TEST:443/d/../e">e</A>
         <a href="//other.test">o</a><map><area href="?only"></map><a href="">self</a><a href=" /trim\n">t</a>`,
      ),
    ).toEqual([
      'https://example.test/dir/b',
      'https://example.test/c?x=1&y=2',
      'https://example.test/e',
      'https://other.test/',
      'https://example.test/dir/page?only',
      'https://example.test/dir/page?q=1',
      'https://example.test/trim',
    ])
  })

  test('a legacy entity without semicolon stays as it is before a letter or an equals sign', () => {
    expect(urls('<a href="/?a=1&copy=2&region=3">x</a>')).toEqual([
      'https://example.test/?a=1&copy=2&region=3',
    ])
  })

  test('what is not a page is no link', () => {
    const html = [
      'mailto:a@b.test',
      'tel:1',
      'javascript:x',
      'data:text/html,x',
      'ftp://a.test/',
      'blob:https://a.test/1',
      'about:blank',
    ]
      .map((href) => `<a href="${href}">x</a>`)
      .join('')
    expect(urls(html)).toEqual([])
  })

  test('an address longer than 2048 characters is no link', () => {
    expect(urls(`<a href="/${'x'.repeat(2100)}">x</a><a href="/${'x'.repeat(2000)}">x</a>`)).toHaveLength(1)
  })

  test('the first base counts, for all links, wherever it stands', () => {
    expect(
      urls('<a href=a>a</a><base target=_top><base href="/base/x"><base href=/other/><a href=b>b</a>'),
    ).toEqual(['https://example.test/base/a', 'https://example.test/base/b'])
    expect(urls('<base href="javascript:x"><a href=a>a</a>')).toEqual(['https://example.test/dir/a'])
  })

  test('frames and a refresh are followed too', () => {
    expect(
      read(
        '<meta http-equiv=refresh content="1;url=/r"><p><iframe src=f></iframe><a href=a rel="x NOFOLLOW">a</a>',
      ).links.map(({ source, nofollow, url }) => [source, nofollow, new URL(url).pathname]),
    ).toEqual([
      ['frame', false, '/dir/f'],
      ['a', true, '/dir/a'],
      ['refresh', false, '/r'],
    ])
  })

  test('comments, scripts, text areas and templates hold no links; noscript does', () => {
    expect(
      urls(`<!-- <a href=1>x</a> --><script>'<a href=2>x</a>'</script><textarea><a href=3>x</a></textarea>
            <template><a href=4>x</a></template><noscript><a href=5>x</a></noscript><svg><a href=6 /></svg>`),
    ).toEqual(['https://example.test/dir/5', 'https://example.test/dir/6'])
  })

  test.each([
    ['<a href=a>one <b>two</b>\n three</a>', 'one two three'],
    ['<a href=a><img src=i alt="Home"></a>', 'Home'],
    ['<a href=a aria-label=Label>text</a>', 'Label'],
    ['<a href=a title=Title><i></i></a>', 'Title'],
    ['<a href=a><svg><title>Icon</title><path/></svg></a>', 'Icon'],
    ['<a href=a>first<a href=b>second</a>', 'first'],
    ['<a href=a>one<div>two</a>three</div>', 'onetwo'],
  ])('%j reads %j', (html, text) => expect(read(html).links[0]!.text).toBe(text))
})

describe('text', () => {
  test.each([
    ['<p>one two</p><p>three</p>', 3],
    ['<p>one</p><p>two</p>', 2],
    ['one<br>two<li>three<td>four', 4],
    ['<b>o</b>ne t<i>w</i>o', 2],
    ["don't e-mail a/b 3.14 — | & 100%", 7],
    ['L’aria è un’altra; snake_case v2.0 1,000', 6],
    ['API를 배우다', 3],
    ['<head><title>no no</title><style>no</style></head><body>yes', 1],
    [
      'yes<script>no</script><style>no</style><noscript>no</noscript><template>no</template><textarea>no</textarea>',
      1,
    ],
    ['yes<![CDATA[ no no ]]>', 1],
    ['<svg><style>no { }</style><text>yes</text></svg>', 1],
    ['&lt;one&gt; &amp; two', 2],
    ['<iframe>no</iframe><video>no</video>yes', 1],
    ['perché così è', 3],
    ['Привет мир', 2],
    ['👟 👟 shoes', 1],
    ['', 0],
  ])('%j has %i words', (html, count) => expect(words(html)).toBe(count))

  test('words are those of Intl.Segmenter', () => {
    const random = randomOf(5)
    const signs = [..."abzßéÑИяβ90٣'’.,;:-_/()&#@ \n·€“–…²½☕👟", '\u00a0', 'e\u0301', '.com ', '3.1']
    const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
    const texts = Array.from({ length: 3000 }, () =>
      Array.from({ length: 1 + random() * 12 }, () => signs[Math.floor(random() * signs.length)]).join(''),
    )
    const counted = texts.map((text) => words(`<p>${text.replace('&', '&amp;')}`))
    const wanted = texts.map(
      (text) => [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).length,
    )
    // Two underscores alone are a word to it.
    const differing = texts.filter((text, i) => !text.includes('_') && counted[i] !== wanted[i])
    expect(differing).toEqual([])
  })

  test('scripts without spaces are segmented', () => {
    expect(words('<p>私は学生です。</p>')).toBeGreaterThanOrEqual(4)
    expect(words('<p>สวัสดีครับ ผมชื่อ</p>')).toBeGreaterThanOrEqual(3)
    expect(words(`<p>${'私は学生です。'.repeat(20_000)}</p>`)).toBeGreaterThan(60_000)
  })

  test('the key of the main text heeds neither markup, case, whitespace, navigation nor footer', () => {
    const key = (html: string) => read(html).text.key
    const text = key('<p>Some <b>text</b></p>')
    expect(text).toMatch(/^-?\d+$/)
    expect(key('<nav>menu</nav><div>some\n   TEXT<footer>bottom</footer></div><script>x</script>')).toBe(text)
    expect(key('<p>Other text</p>')).not.toBe(text)
    expect(key('<nav>menu</nav>')).toBe(null)
  })
})

describe('what a text is like', () => {
  const text = (html: string) => read(html).text
  const distinct = (count: number) => Array.from({ length: count }, (_, i) => `thing${i}`).join(' ')

  test('its most frequent word is counted in any case and form of writing, stop words and numbers apart', () => {
    expect(text(`<p>${distinct(50)} Shoe shoe, SHOE (shoe) shoe’s</p><nav>shoe</nav>`).mostRepeated).toBe(5)
    expect(
      text(`<p>${distinct(50)} ${'perché '.repeat(6)} ${'the '.repeat(9)} ${'2026 '.repeat(9)}</p>`)
        .mostRepeated,
    ).toBe(0)
    expect(text(`<p>${distinct(9000)} ${'shoe '.repeat(7)} ${distinct(20_000)} shoe</p>`).mostRepeated).toBe(
      8,
    )
  })

  test('shares of title and description are of words in any form', () => {
    const page = (title: string) =>
      text(`<title>${title}</title><p>La scarpa rossa di Firenze costa poco</p><footer>Bottega</footer>`)
    expect(page('Scarpe rosse').titleShare).toBe(1)
    expect(page('Scarpe rosse | Bottega Bianchi').titleShare).toBe(0.75)
    expect(page('Quantum physics').titleShare).toBe(0)
    expect(page('Home').titleShare).toBe(null)
  })

  test('sentences end with a full stop; what has none is no sentence', () => {
    expect(
      text(
        '<html lang=en><ul><li>One two three<li>four five</ul><p>The table is made here. Come in! v2.0 is out</p>',
      ).reading,
    ).toEqual({
      sentences: 1,
      words: 5,
      letters: 18,
      syllables: 5,
    })
    expect(text('<html lang=de><p>Ein Satz mit Worten.</p>').reading).toBe(null)
  })
})

describe('headings and structure', () => {
  test('headings close where browsers close them', () => {
    expect(
      read('<h1>One<h2>Two</h3>text<h3>Thr<img alt="ee"></h3><h4 aria-label=Four></h4>').headings,
    ).toEqual([
      { level: 1, text: 'One' },
      { level: 2, text: 'Two' },
      { level: 3, text: 'Thr ee' },
      { level: 4, text: 'Four' },
    ])
  })

  test.each([
    ['<ul>' + '<li>x'.repeat(50) + '</ul>', 4],
    ['<p>x'.repeat(50), 3],
    ['<table>' + '<tr><td>x'.repeat(50), 5],
    ['<dl>' + '<dt>x<dd>y'.repeat(50), 4],
    ['<select>' + '<option>x'.repeat(50), 4],
    ['<div><div></div></div>', 4],
    ['<br><img>', 3],
  ])('%j is %i deep', (html, depth) => expect(read(html).depth).toBe(depth))

  test.each([
    ['deep nesting', '<div>'.repeat(100_000) + 'text' + '</div>'.repeat(100_000)],
    ['unmatched ends', '<b><div>' + '<span>'.repeat(20_000) + '</b>'.repeat(100_000)],
    ['a million attributes', `<p ${'a=b '.repeat(100_000)}>text`],
    ['open comment', '<!--'.repeat(100_000)],
    ['angle brackets', '<'.repeat(500_000)],
    ['ampersands', '&'.repeat(500_000)],
    ['unclosed links', '<a href=x>y'.repeat(50_000)],
    ['nested drawings', '<svg><title>'.repeat(50_000)],
    ['spaces', ' '.repeat(1_000_000)],
    ['open quotes', '<a href="'.repeat(100_000)],
    ['nested data', `<script type="application/ld+json">${'['.repeat(500_000)}</script>`],
    ['one long heading', `<h1>${'x <b>'.repeat(100_000)}`],
  ])('%s is read in linear time', (_name, html) => {
    const before = performance.now()
    read(html)
    expect(performance.now() - before).toBeLessThan(5000)
  })

  test('a document type is seen in any case, and only as one', () => {
    expect(read('<!DOCTYPE HTML>').doctype).toBe('doctype html')
    expect(read('<!-- doctype html -->').doctype).toBe(null)
  })
})

describe('structured data', () => {
  const types = (html: string) => read(html).schema.types
  const json = (data: unknown) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`

  test('types of JSON-LD are found at any depth, once', () => {
    expect(
      types(
        json({
          '@graph': [
            { '@type': ['Article', 'schema:NewsArticle'], author: { '@type': 'https://schema.org/Person' } },
            { '@type': 'Article' },
          ],
        }),
      ),
    ).toEqual(['Article', 'NewsArticle', 'Person'])
  })

  test('types of microdata and RDFa', () => {
    expect(
      types(
        '<div itemtype="http://schema.org/Product https://schema.org/Book"><p typeof="schema:Offer"></p></div>',
      ),
    ).toEqual(['Product', 'Book', 'Offer'])
  })

  test('a type with a comma or a NUL cannot spoil the list', () => {
    expect(types(json({ '@type': 'A,B' }) + json({ '@type': 'C\0' }))).toEqual([])
  })
})

describe('shell of a client-side application', () => {
  test('mount node, scripts and a plea for JavaScript', () => {
    const shell =
      '<body><noscript>You need to enable JavaScript.</noscript><div id="root"></div><script src="/app.js"></script>'
    expect(read(shell)).toMatchObject({ mountText: 0, scripts: 1, asksForScript: true, text: { words: 0 } })
    expect(read('<div id=root><p>Rendered text</p></div><p>more</p>')).toMatchObject({
      mountText: 13,
      asksForScript: false,
    })
    expect(read('<p>plain</p>').mountText).toBe(null)
  })
})
