import { fileURLToPath } from 'node:url'

import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { describe, expect, test } from 'vitest'

import { cssReferences } from '../../tasks/scrape/css-references.ts'
import { htmlReferences } from '../../tasks/scrape/html-references.ts'
import { relativePath } from '../../tasks/scrape/paths.ts'
import { rewrite } from '../../tasks/scrape/rewrite.ts'
import { candidates } from '../../tasks/scrape/srcset.ts'
import { randomOf } from '../support/random.ts'

const url = new URL('https://example.test/dir/page.html')

type Rewriting = { to?: string | null | undefined; charset?: string; read?: typeof htmlReferences }

const bytes = (body: Buffer, { to = 'x/y.z', charset = 'utf-8', read = htmlReferences }: Rewriting = {}) =>
  rewrite(body, read(body, url, charset), () => to)
const html = (text: string, to?: string | null) => bytes(Buffer.from(text), { to }).toString()
const css = (text: string, to?: string | null) =>
  bytes(Buffer.from(text), { to, read: cssReferences }).toString()

describe('only the address changes', () => {
  test.each([
    ['<a  HREF = "b.html#top"\n>b</A>', '<a  HREF = "x/y.z#top"\n>b</A>'],
    ["<a href='b.html'>", "<a href='x/y.z'>"],
    ['<a href=b.html>', '<a href=x/y.z>'],
    ['<a href=b.html/>', '<a href=x/y.z>'],
    ['<a href=" b ">', '<a href="x/y.z">'],
    ['<img srcset="a 1x,b 2x, c">', '<img srcset="x/y.z 1x,x/y.z 2x, x/y.z">'],
    ['<img srcset="a?b=1&amp;c 1x">', '<img srcset="x/y.z 1x">'],
    ['<img srcset=a,b>', '<img srcset=x/y.z>'],
    ['<p style="a:url( b ) c">', '<p style="a:url( x/y.z ) c">'],
    ['<p style="a:url(\'b\')">', '<p style="a:url(\'x/y.z\')">'],
    ['<p style="a:url(&quot;b&amp;c&quot;)">', '<p style="a:url(&quot;x/y.z&quot;)">'],
    ['<style>@import "a";</style>', '<style>@import "x/y.z";</style>'],
    [
      '<meta http-equiv=refresh content="0; url=\'a\'">',
      '<meta http-equiv=refresh content="0; url=\'x/y.z\'">',
    ],
    ['<meta http-equiv=refresh content="0;a ">', '<meta http-equiv=refresh content="0;x/y.z ">'],
    ['<iframe srcdoc="<a href=b>">', '<iframe srcdoc="<a href=x/y.z>">'],
    ['<svg><use xlink:href="a.svg#i"/></svg>', '<svg><use xlink:href="x/y.z#i"/></svg>'],
    ['<a href="a.html#">', '<a href="x/y.z#">'],
    [
      '<a href=mailto:x><a href=#y><a href=javascript:z><img src=data:,a>',
      '<a href=mailto:x><a href=#y><a href=javascript:z><img src=data:,a>',
    ],
  ])('%s', (text, expected) => expect(html(text)).toBe(expected))

  test.each([
    ['a{b:url(c)}', 'a{b:url(x/y.z)}'],
    ['a{b:u\\72l( c\t)}', 'a{b:u\\72l( x/y.z\t)}'],
    ['a{b:url("c")}/*url(d)*/', 'a{b:url("x/y.z")}/*url(d)*/'],
    ["@import 'c' print;", "@import 'x/y.z' print;"],
    ['@font-face{src:url(a.eot?#iefix)}', '@font-face{src:url(x/y.z#iefix)}'],
    ['a{b:url(c', 'a{b:url(x/y.z'],
    ['@charset "x";@namespace "y";', '@charset "x";@namespace "y";'],
  ])('%s', (text, expected) => expect(css(text)).toBe(expected))
})

describe('an address is escaped as its notation asks', () => {
  // A query may hold all of these unescaped.
  const to = "https://o.test/a(1)'2?b=1&c=\\d,"
  test.each([
    ['<a href="b">', '<a href="https://o.test/a(1)&#39;2?b=1&amp;c=\\d,">'],
    ['<a href=b>', '<a href=https://o.test/a(1)&#39;2?b=1&amp;c=\\d,>'],
    ['<img srcset="b 1x">', '<img srcset="https://o.test/a(1)&#39;2?b=1&amp;c=\\d%2C 1x">'],
    ['<p style="a:url(b)">', '<p style="a:url(https://o.test/a\\(1\\)\\&#39;2?b=1&amp;c=\\\\d,)">'],
    ['<p style=\'a:url("b")\'>', '<p style=\'a:url("https://o.test/a(1)\\&#39;2?b=1&amp;c=\\\\d,")\'>'],
    ['<style>a{b:url(c)}</style>', "<style>a{b:url(https://o.test/a\\(1\\)\\'2?b=1&c=\\\\d,)}</style>"],
    [
      '<svg><style>a{b:url("c")}</style></svg>',
      '<svg><style>a{b:url("https://o.test/a(1)\\\'2?b=1&amp;c=\\\\d,")}</style></svg>',
    ],
    [
      '<meta http-equiv=refresh content="0;url=\'b\'">',
      '<meta http-equiv=refresh content="0;url=\'https://o.test/a(1)%272?b=1&amp;c=\\d,\'">',
    ],
    [
      '<iframe srcdoc="<a href=b>">',
      '<iframe srcdoc="<a href=https://o.test/a(1)&amp;#39;2?b=1&amp;amp;c=\\d,>">',
    ],
  ])('%s', (text, expected) => {
    const out = html(text, to)
    expect(out).toBe(expected)
    // Read again, it is what was meant.
    const [reference] = htmlReferences(Buffer.from(out), url, 'utf-8').references
    expect(reference?.url.replaceAll(/%2C$|%27/g, (c) => (c === '%27' ? "'" : ','))).toBe(to)
  })
})

describe('what stays as it is written', () => {
  test('an absolute address that is still right', () => {
    const text = '<a href="HTTP://Example.test:80/a b#c"><img srcset="https://o.test/a?b&c 1x">'
    const body = Buffer.from(text)
    const document = htmlReferences(body, url, 'utf-8')
    expect(rewrite(body, document, (reference) => reference.url).toString()).toBe(text)
  })

  test('a relative one becomes absolute', () => {
    const body = Buffer.from('<a href="b?x&y#c"><a href=//o.test/>')
    const out = rewrite(body, htmlReferences(body, url, 'utf-8'), (reference) => reference.url)
    expect(out.toString()).toBe('<a href="https://example.test/dir/b?x&amp;y#c"><a href=https://o.test/>')
  })

  test('forms and canonical links become absolute, whatever is saved', () => {
    expect(html('<form action="/s?a&b"><form action=https://o.test/><link rel=canonical href=c>', null)).toBe(
      '<form action="https://example.test/s?a&amp;b"><form action=https://o.test/><link rel=canonical href=https://example.test/dir/c>',
    )
  })
})

describe('what would break offline is switched off', () => {
  test.each([
    ['<base href="/b/" target=_top><a href=c>', '<base data-href="/b/" target=_top><a href=x/y.z>'],
    [
      '<link rel=stylesheet href=a.css integrity="sha256-x"crossorigin>',
      '<link rel=stylesheet href=x/y.z data-integrity="sha256-x"data-crossorigin>',
    ],
    [
      '<script crossorigin=anonymous src=a.js></script>',
      '<script data-crossorigin=anonymous src=x/y.z></script>',
    ],
    [
      '<meta http-equiv="Content-Security-Policy" content="default-src https:">',
      '<meta data-http-equiv="Content-Security-Policy" content="default-src https:">',
    ],
    ['<script integrity=x></script>', '<script integrity=x></script>'],
  ])('%s', (text, expected) => expect(html(text)).toBe(expected))

  test('but not for what is still fetched from its server', () => {
    const body = Buffer.from('<script src=a.js integrity=x crossorigin></script>')
    const out = rewrite(body, htmlReferences(body, url, 'utf-8'), (reference) => reference.url)
    expect(out.toString()).toBe('<script src=https://example.test/dir/a.js integrity=x crossorigin></script>')
  })
})

describe('the encoding', () => {
  const latin1 = (text: string) => Buffer.from(text, 'latin1')
  test.each([
    [
      'windows-1252',
      latin1('<!doctype html><html><head><a href=x>citt\xe0'),
      '<meta charset="windows-1252"/>',
      27,
    ],
    ['utf-8', Buffer.from('<!doctype html ><p>città'), '<meta charset="utf-8"/>', 16],
    ['utf-8', Buffer.from('<p>città'), '<meta charset="utf-8"/>', 0],
    ['"><script>', Buffer.from('<p>città'), '<meta charset="utf-8"/>', 0],
    ['utf-8', Buffer.from('<html lang=it><meta charset=latin1>città'), '<meta charset="utf-8"/>', 14],
  ])('%s that only the server told is written into the page', (charset, body, declaration, at) => {
    const out = bytes(body, { to: null, charset })
    expect(out.toString('latin1', at, at + declaration.length)).toBe(declaration)
    expect(Buffer.concat([out.subarray(0, at), out.subarray(at + declaration.length)])).toEqual(body)
  })

  test.each([
    ['utf-8', Buffer.from('<meta charset=UTF8><p>città')],
    ['utf-8', Buffer.from('\ufeff<p>città')],
    ['utf-8', Buffer.from('<p>ascii')],
    ['utf-8', Buffer.from('<svg><text>città</text></svg>')],
    ['windows-1252', latin1('<meta http-equiv=content-type content="text/html;charset=iso-8859-1">citt\xe0')],
    ['utf-16le', Buffer.from('\ufeffcittà', 'utf16le')],
  ])('%s that can be seen is left at that', (charset, body) =>
    expect(bytes(body, { to: null, charset })).toEqual(body),
  )

  test('bytes around the address are kept, whatever they mean', () => {
    const body = latin1('<meta charset=gbk><a title="\xb1\xed\xff" href="\xb1\xed.html">\x81')
    expect(bytes(body, { charset: 'gbk' })).toEqual(
      latin1('<meta charset=gbk><a title="\xb1\xed\xff" href="x/y.z">\x81'),
    )
  })

  test.each(['utf-16le', 'utf-16be'])('%s', (charset) => {
    const encode = (text: string) => {
      const body = Buffer.from(`\ufeff${text}`, 'utf16le')
      return charset === 'utf-16le' ? body : body.swap16()
    }
    const body = Buffer.concat([encode('<p>città</p><a href="東?a&amp;b">\ud800'), Buffer.of(0x41)])
    const expected = Buffer.concat([encode('<p>città</p><a href="x/y.z">\ud800'), Buffer.of(0x41)])
    expect(bytes(body, { charset })).toEqual(expected)
  })
})

/** Text made of what confuses parsers, the same on every run. */
function confusion(seed: number): string {
  const next = randomOf(seed)
  const pieces =
    '<a href= <img src=" srcset=\' style= url( url(" ") \') > </a> <!-- --> <style> </style> <script> </script> <svg> </svg> <![CDATA[ ]]> <base href= <meta http-equiv=refresh content= 0;url= &amp; &quot; &lt &#39; \\ \\26 @import " \' , 1x 2w # ? x.png /y//z https://o.test/ data:,x { } ( ) é 東 \0 \n = / <iframe srcdoc=" <link rel=stylesheet integrity=a'.split(
      ' ',
    )
  return Array.from(
    { length: 200 },
    () => pieces[Math.floor(next() * pieces.length)]! + (next() < 0.5 ? ' ' : ''),
  ).join('')
}

describe('whatever the bytes are', () => {
  test.each(['utf-8', 'windows-1252', 'shift_jis', 'utf-16le'])(
    '%s: left alone they come out the same',
    (charset) => {
      for (let seed = 1; seed <= 60; seed++) {
        const body = Buffer.from(confusion(seed), charset === 'utf-16le' ? 'utf16le' : 'utf8')
        for (const read of [htmlReferences, cssReferences]) {
          const document = { ...read(body, url, charset), fixed: [], insertions: [] }
          expect(rewrite(body, document, () => null)).toEqual(body)
          let last = 0
          for (const { start, end } of document.references) {
            expect(start).toBeGreaterThanOrEqual(last)
            expect(end).toBeGreaterThanOrEqual(start)
            last = end
          }
          expect(last).toBeLessThanOrEqual(body.length)
        }
      }
    },
  )

  test('rewritten and read again, there are the same references in the same places', () => {
    for (let seed = 1; seed <= 120; seed++) {
      const body = Buffer.from(confusion(seed))
      for (const read of [htmlReferences, cssReferences]) {
        const before = read(body, url, 'utf-8')
        const targets = before.references.map((_, i) => `https://t.test/(${i})'?&;,=${i}`)
        let i = 0
        const out = rewrite(body, before, () => targets[i++]!)
        const after = read(out, url, 'utf-8').references.map((reference) => decodeURIComponent(reference.url))
        expect(after, `seed ${seed}: ${body.toString()}`).toEqual(targets)
      }
    }
  })
})

/** All that a browser takes for an address in the elements of a page: attribute values as parse5 reads them. */
function addresses(page: string): string[] {
  const found: string[] = []
  const walk = (node: DefaultTreeAdapterTypes.Node) => {
    if ('attrs' in node)
      for (const { name, value } of node.attrs) {
        if (['href', 'src', 'data', 'poster', 'background', 'data-src', 'action'].includes(name))
          found.push(value)
        if (name === 'srcset')
          found.push(...candidates(value).map(({ start, end }) => value.slice(start, end)))
        if (name === 'style')
          found.push(...[...value.matchAll(/url\(["']?(.*?)["']?\)/g)].map(([, address]) => address!))
        if (name === 'content') found.push(...value.split('url=').slice(1))
      }
    const children = 'content' in node ? node.content.childNodes : 'childNodes' in node ? node.childNodes : []
    children.forEach(walk)
  }
  walk(parse(page, { scriptingEnabled: false }))
  return found
}

test('opened from the archive, every address leads to its file or to its server', () => {
  const here = 'über uns/50% & mehr/seite #1.html'
  const files = new Map([
    ['https://example.test/', 'home.html'],
    ['https://example.test/dir/b.html', 'über uns/50% & mehr/b.html'],
    ['https://example.test/dir/page.html', here],
    ['https://example.test/i.png?s=1&t=2', "über uns/i's (1)~ab.png"],
    ['https://cdn.test/v:1/x.js', 'cdn.test/v_1/x;y=z,.js'],
    ['https://example.test/c:d', 'über uns/50% & mehr/c:d'],
    ['https://example.test/f.css', 'f&amp;?.css'],
  ])
  const body = Buffer.from(
    `<!doctype html><base href="/dir/"><meta charset=utf-8><meta http-equiv=refresh content="5; url=b.html#r">
     <link rel=stylesheet href=/f.css integrity=x><script src='//cdn.test/v:1/x.js'></script>
     <body background=/i.png?s=1&amp;t=2><a href=/>home</a><a href="b.html?no">no</a><a href="/c:d#e">c</a><a href="#self">s</a>
     <img src="/i.png?s=1&amp;t=2" srcset="/i.png?s=1&amp;t=2 1x, missing.png 2x"><video poster=/i.png?s=1&t=2></video>
     <p style="background:url(/i.png?s=1&amp;t=2)"><form action=search></form><svg><a href='b.html'/></svg>
     <noscript><img data-src=/i.png?s=1&t=2></noscript><template><a href=b.html></a></template>`,
  )
  const out = rewrite(body, htmlReferences(body, url, 'utf-8'), (reference) => {
    const file = files.get(reference.url)
    return file ? relativePath(here, file) : reference.url
  })
  const root = 'file:///tmp/an%20archive/'
  const opened = new URL(root + here.split('/').map(encodeURIComponent).join('/'))
  const led = addresses(out.toString()).map((address) => {
    const to = new URL(address, opened)
    return to.protocol === 'file:' ? fileURLToPath(to).replace('/tmp/an archive/', '') + to.hash : to.href
  })
  expect(led).toEqual([
    'über uns/50% & mehr/b.html#r',
    'f&amp;?.css',
    'cdn.test/v_1/x;y=z,.js',
    "über uns/i's (1)~ab.png",
    'home.html',
    'https://example.test/dir/b.html?no',
    'über uns/50% & mehr/c:d#e',
    'https://example.test/dir/#self',
    "über uns/i's (1)~ab.png",
    "über uns/i's (1)~ab.png",
    'https://example.test/dir/missing.png',
    "über uns/i's (1)~ab.png",
    "über uns/i's (1)~ab.png",
    'https://example.test/dir/search',
    'über uns/50% & mehr/b.html',
    "über uns/i's (1)~ab.png",
    'über uns/50% & mehr/b.html',
  ])
})
