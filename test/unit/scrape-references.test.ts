import { describe, expect, test } from 'vitest'

import { cssReferences } from '../../tasks/scrape/css-references.ts'
import { htmlReferences } from '../../tasks/scrape/html-references.ts'
import type { Document } from '../../tasks/scrape/references.ts'
import { candidates } from '../../tasks/scrape/srcset.ts'

const page = new URL('https://example.test/dir/page.html')
const sheet = new URL('https://example.test/css/main.css')

const html = (text: string, url = page) => htmlReferences(Buffer.from(text), url, 'utf-8')
const css = (text: string) => cssReferences(Buffer.from(text), sheet, 'utf-8')
/** Addresses on the own host are shown without it. */
const listed = ({ references }: Document) =>
  references.map(
    ({ url, fragment, role }) => `${role} ${url.replace(/^https:\/\/example\.test/, '')}${fragment}`,
  )
const fixed = (text: string) => html(text).fixed.map(({ url }) => url)

describe('elements', () => {
  test.each([
    ['<a href=b.html>', ['link /dir/b.html']],
    ['<A HREF="/b?x=1&amp;y=2#top">', ['link /b?x=1&y=2#top']],
    ['<area href="../c">', ['link /c']],
    ['<a href="//other.test/x">', ['link https://other.test/x']],
    ['<a href="HTTPS://Example.TEST:443/d/../e%7e">', ['link /e%7e']],
    ['<a href=" \n/trim\t ">', ['link /trim']],
    ['<a href="a\nb.html">', ['link /dir/ab.html']],
    ['<a href="\\back\\slash">', ['link /back/slash']],
    ['<a href="?q=1">', ['link /dir/page.html?q=1']],
    ['<a href="page.html#self">', ['link /dir/page.html#self']],
    ['<a href="/città">', ['link /citt%C3%A0']],
    ['<a href="/x&#x2F;y&copy;z&copy=1&notin">', ['link /x/y%C2%A9z&copy=1&notin']],
    ['<a href=one href=two>', ['link /dir/one']],
    ['<img src=a.png lowsrc=b.png>', ['image /dir/a.png', 'image /dir/b.png']],
    [
      '<img srcset="a.png 1x, b.png 2x, c.png">',
      ['image /dir/a.png', 'image /dir/b.png', 'image /dir/c.png'],
    ],
    ['<img srcset="/i?w=1&amp;h=2 1x,/i?w=2&amp;h=4 2x">', ['image /i?w=1&h=2', 'image /i?w=2&h=4']],
    ['<image src=old.png>', ['image /dir/old.png']],
    [
      '<picture><source srcset="a.webp" type=image/webp><img src=a.jpg></picture>',
      ['image /dir/a.webp', 'image /dir/a.jpg'],
    ],
    [
      '<video src=v.mp4 poster=p.jpg><source src=v.webm><track src=t.vtt></video>',
      ['media /dir/v.mp4', 'image /dir/p.jpg', 'media /dir/v.webm', 'media /dir/t.vtt'],
    ],
    ['<audio src=a.mp3></audio><bgsound src=b.mid>', ['media /dir/a.mp3', 'media /dir/b.mid']],
    ['<input type=image src=go.png>', ['image /dir/go.png']],
    [
      '<body background=bg.gif><table background="t.gif"><td background=\'d.gif\'>',
      ['image /dir/bg.gif', 'image /dir/t.gif', 'image /dir/d.gif'],
    ],
    [
      '<script src=a.js></script><script type=module src="m.js"></script>',
      ['script /dir/a.js', 'script /dir/m.js'],
    ],
    [
      '<iframe src=f.html></iframe><frameset><frame src="g.html">',
      ['frame /dir/f.html', 'frame /dir/g.html'],
    ],
    [
      '<object data=o.swf><param name=movie value=m.swf><param name=quality value=high><embed src=e.swf>',
      ['object /dir/o.swf', 'object /dir/m.swf', 'object /dir/e.swf'],
    ],
    ['<applet code=A.class archive=a.jar>', ['object /dir/A.class', 'object /dir/a.jar']],
    ['<noscript><img src=n.png></noscript>', ['image /dir/n.png']],
    ['<template><img src=t.png></template>', ['image /dir/t.png']],
    ['<amp-img src=a.png srcset="b.png 2x">', ['image /dir/a.png', 'image /dir/b.png']],
  ])('%s', (text, expected) => expect(listed(html(text))).toEqual(expected))

  test.each([
    'href="#x"',
    'href=""',
    'href',
    'href="javascript:void(0)"',
    'href=" JavaScript:x"',
    'href="java\nscript:x"',
    'href="mailto:a@b.test"',
    'href="tel:1"',
    'href="data:text/html,x"',
    'href="blob:https://example.test/1"',
    'href="about:blank"',
    'href="ftp://example.test/x"',
    'href="localhost:3000/x"',
    'href="http://"',
    'href="http://[::1"',
    'name="x"',
  ])('<a %s> leads nowhere', (attribute) => expect(html(`<a ${attribute}>`).references).toEqual([]))

  test.each([
    '<img src="">',
    '<img src="#x">',
    '<script src=></script>',
    '<iframe src=about:blank></iframe>',
    '<img srcset="data:image/png;base64,AA,A 1x">',
  ])('%s asks for nothing', (text) => expect(html(text).references).toEqual([]))
})

describe('<link> and <meta>', () => {
  test.each([
    ['rel=stylesheet', 'style'],
    ['rel="Alternate StyleSheet"', 'style'],
    ['rel="shortcut icon"', 'icon'],
    ['rel=apple-touch-icon-precomposed', 'icon'],
    ['rel=mask-icon', 'icon'],
    ['rel=manifest', 'other'],
    ['rel=preload as=font', 'font'],
    ['rel=preload as=fetch', 'other'],
    ['rel=preload as=video', 'media'],
    ['rel=modulepreload', 'script'],
    ['rel=prefetch as=image', 'image'],
    ['rel=prefetch', 'link'],
    ['rel=next', 'link'],
    ['rel=alternate hreflang=en', 'link'],
    ['rel=alternate type=application/rss+xml', 'link'],
  ])('%s is fetched as %s', (attributes, role) =>
    expect(listed(html(`<link ${attributes} href=x>`))).toEqual([`${role} /dir/x`]),
  )

  test.each([
    'canonical',
    'shortlink',
    'preconnect',
    'dns-prefetch',
    'pingback',
    'EditURI',
    'alternate type=application/json+oembed',
    'search',
  ])('rel=%s is only made absolute', (attributes) => {
    expect(html(`<link rel=${attributes} href=x>`).references).toEqual([])
    expect(fixed(`<link rel=${attributes} href=x>`)).toEqual(['https://example.test/dir/x'])
  })

  test('imagesrcset', () =>
    expect(listed(html('<link rel=preload as=image href=a.png imagesrcset="a.png 1x, b.png 2x">'))).toEqual([
      'image /dir/a.png',
      'image /dir/a.png',
      'image /dir/b.png',
    ]))

  test.each([
    ['0;url=/new', '/new'],
    [' 3 ; URL = "next" ', '/dir/next'],
    ["1,url='/a;b'", '/a;b'],
    ['0 /bare', '/bare'],
    ['.5;x.html  ', '/dir/x.html'],
    ['0;urls/x.html', '/dir/urls/x.html'],
    ["0; url='unclosed", '/dir/unclosed'],
    ['0;url=/q?a=1&b=2#c', '/q?a=1&b=2#c'],
  ])('refresh %j', (content, to) =>
    expect(
      listed(
        html(
          `<meta http-equiv=Refresh content="${content.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">`,
        ),
      ),
    ).toEqual([`refresh ${to}`]),
  )

  test.each(['5', '5;', 'soon', '0;url=', "0;url=''", '0;url=javascript:x', '5s;url=x'])(
    'refresh %j stays',
    (content) => expect(html(`<meta http-equiv=refresh content="${content}">`).references).toEqual([]),
  )
})

test('what nobody fetches is kept apart, to be made absolute', () => {
  expect(
    fixed(
      '<form action="/search"><button formaction=b><input formaction="c"></form><q cite=d></q><img longdesc=e><form action="">',
    ),
  ).toEqual(['/search', '/dir/b', '/dir/c', '/dir/d', '/dir/e'].map((path) => `https://example.test${path}`))
})

describe('images that scripts load late', () => {
  test.each([
    [
      '<img data-src=a.png data-srcset="b.png 1x, c.png 2x" data-sizes=auto>',
      ['image /dir/a.png', 'image /dir/b.png', 'image /dir/c.png'],
    ],
    ['<div data-bg="img/a.png" data-background-image=/b.jpg>', ['image /dir/img/a.png', 'image /b.jpg']],
    ['<div data-bg="url(\'c.png\')">', ['image /dir/c.png']],
    ['<img data-lazy-src=a.webp data-original=b.webp>', ['image /dir/a.webp', 'image /dir/b.webp']],
    [
      '<iframe data-src=f.html></iframe><script data-src=s.js></script>',
      ['frame /dir/f.html', 'script /dir/s.js'],
    ],
    ['<video data-src=v.mp4 data-poster=p.jpg>', ['media /dir/v.mp4', 'image /dir/p.jpg']],
  ])('%s', (text, expected) => expect(listed(html(text))).toEqual(expected))

  test.each(['true', '12', '{"x":"/y.png"}', 'A title. Two', '', '<b>/</b>'])(
    'data-src=%j is no address',
    (value) => expect(html(`<img data-src='${value}' data-srcset='${value}'>`).references).toEqual([]),
  )
})

describe('<base>', () => {
  test.each([
    ['<base href="/root/"><a href=x>', ['link /root/x']],
    [
      '<a href=x><img src=i.png><base target=_top><base href="https://cdn.test/a/b"><base href=/no/>',
      ['link https://cdn.test/a/x', 'image https://cdn.test/a/i.png'],
    ],
    ['<base href="/root/"><a href="#x"><a href="">', ['link /root/#x', 'link /root/']],
    ['<base href="/root/"><svg><use href="#x"/></svg><p style="fill:url(#y)">', []],
    ['<base href="/dir/page.html"><a href="#x">', []],
    ['<base href="javascript:x"><a href=y>', ['link /dir/y']],
    ['<base href="data:,x"><a href=y>', ['link /dir/y']],
    [
      '<base href="sub/"><style>@import "x.css"; a{b:url(y.png)}</style>',
      ['style /dir/sub/x.css', 'image /dir/sub/y.png'],
    ],
  ])('%s', (text, expected) => expect(listed(html(text))).toEqual(expected))
})

describe('what a browser does not read as elements', () => {
  test.each([
    '<!-- <img src=a.png> -->',
    '<!--[if IE]><link rel=stylesheet href=ie.css><![endif]-->',
    '<!-- unclosed <img src=a.png>',
    '<script>"<img src=a.png>" </scrip <img src=b.png></script>',
    '<style>/* <img src=a.png> */</style>',
    '<textarea><img src=a.png></textarea>',
    '<title><img src=a.png></title>',
    '<iframe><img src=a.png></iframe>',
    '<noframes><img src=a.png></noframes>',
    '<xmp><img src=a.png></xmp>',
    '<plaintext><img src=a.png>',
    '<img src="a.png',
    '<![CDATA[<img src=a.png>]]>',
    '< img src=a.png>',
    '</img src=a.png>',
    '<p title="<img src=a.png>">',
  ])('%s', (text) => expect(html(text).references).toEqual([]))

  test.each([
    ['<![if !IE]><img src=a.png><![endif]>', 'a.png'],
    ['<!--><img src=a.png>', 'a.png'],
    ['<!-- x --!><img src=a.png>', 'a.png'],
    ['<script>a</script ><img src=a.png>', 'a.png'],
    ['<img\nsrc\n=\n"a.png"\n/>', 'a.png'],
    ["<img/src='a.png'/>", 'a.png'],
    ['<img src=a.png/>', 'a.png/'],
    ['<img src=a.png"b>', 'a.png%22b'],
    ['<p><img alt="a > b" src=a.png>', 'a.png'],
    ['<![CDATA[ > <img src=a.png> ]]>', 'a.png'],
    ['<![CDATA[ unclosed > <img src=a.png>', 'a.png'],
    ['<svg></p><title><image href=no.png></title><img src=a.png>', 'a.png'],
  ])('%s loads %s', (text, path) => expect(listed(html(text))).toEqual([`image /dir/${path}`]))
})

describe('drawings', () => {
  test.each([
    [
      '<svg><image href=a.png xlink:href=b.png /><use xlink:href="s.svg#i"/><use href="#local"/></svg>',
      ['image /dir/a.png', 'image /dir/b.png', 'image /dir/s.svg#i'],
    ],
    [
      '<svg><a href=x><feImage href=f.png /></a><script href=s.js /></svg><img src=z.png>',
      ['link /dir/x', 'image /dir/f.png', 'script /dir/s.js', 'image /dir/z.png'],
    ],
    [
      '<svg fill="url(p.svg#f)" style="mask:url(#m)"><rect filter=\'url("q.svg#f")\' /></svg>',
      ['image /dir/p.svg#f', 'image /dir/q.svg#f'],
    ],
    ['<svg><style>@import "x.css?a=1&amp;b=2";</style></svg>', ['style /dir/x.css?a=1&b=2']],
    ['<svg><style><![CDATA[a{b:url(x.png?a&amp;b)}]]></style></svg>', ['image /dir/x.png?a&amp;b']],
    ['<svg><title><img src=a.png></title></svg>', ['image /dir/a.png']],
    [
      '<svg><foreignObject><img src=a.png></foreignObject><image href=b.png /></svg>',
      ['image /dir/a.png', 'image /dir/b.png'],
    ],
    ['<svg><p><img src=a.png></p><image src=b.png>', ['image /dir/a.png', 'image /dir/b.png']],
    [
      '<?xml-stylesheet type="text/css" href="s.css?a=1&amp;b"?><svg xmlns="http://www.w3.org/2000/svg"/>',
      ['style /dir/s.css?a=1&b'],
    ],
    ['<math href=x.png><mi href=y style="b:url(z.png)">x</mi></math>', ['image /dir/z.png']],
  ])('%s', (text, expected) => expect(listed(html(text))).toEqual(expected))
})

describe('CSS in pages', () => {
  test.each([
    ['<p style="background:url(a.png)">', ['image /dir/a.png']],
    ['<p style=\'background:url("a.png")\'>', ['image /dir/a.png']],
    [
      '<p style="background:url(&quot;a.png?x=1&amp;y=2&quot;), url(&#39;b.png&#39;)">',
      ['image /dir/a.png?x=1&y=2', 'image /dir/b.png'],
    ],
    ['<p style=background:url(a.png)>', ['image /dir/a.png']],
    [
      '<style>@import "a.css";p{background:url(b.png)}</style><img src=c.png>',
      ['style /dir/a.css', 'image /dir/b.png', 'image /dir/c.png'],
    ],
    ['<style>a{b:url(x.png?a&amp;b)}</style>', ['image /dir/x.png?a&amp;b']],
    ['<p style="color:red" title="url(x.png)">', []],
  ])('%s', (text, expected) => expect(listed(html(text))).toEqual(expected))
})

test('pages within pages', () => {
  const text = `<iframe srcdoc="<base href=/no/><img src='a.png?x=1&amp;amp;y=2'><style>p{b:url(b.png)}</style>" src=c.html></iframe>`
  expect(listed(html(text))).toEqual(['image /dir/a.png?x=1&y=2', 'image /dir/b.png', 'frame /dir/c.html'])
})

describe('style sheets', () => {
  test.each([
    ['a{b:url(x.png)}', ['image /css/x.png']],
    ['a{b:url(  "../x y.png"  )}', ['image /x%20y.png']],
    ["a{b:URL('x.png')}", ['image /css/x.png']],
    ['a{b:u\\72 l(x.png)}', ['image /css/x.png']],
    ['a{b:url(/a\\/b\\28 1\\29.png)}', ['image /a/b(1).png']],
    ['a{b:url("a\\"b\\\nc.png")}', ['image /css/a%22bc.png']],
    ['a{b:url(x\\) y.png) c}', []],
    ['a{b:url(città.png)}', ['image /css/citt%C3%A0.png']],
    ['a{b:url(\\e0.png)}', ['image /css/%C3%A0.png']],
    ['a{b:url()} a{b:url("")} a{b:url(#x)} a{b:url(data:image/png;base64,AA)}', []],
    ['a{b:url(s.svg#icon)}', ['image /css/s.svg#icon']],
    [
      '@import "a.css"; @import \'b.css\' screen; @import url(c.css) layer(x) supports(display:grid); @import url("d.css")print;',
      ['style /css/a.css', 'style /css/b.css', 'style /css/c.css', 'style /css/d.css'],
    ],
    ['@IMPORT/**/"a.css"', ['style /css/a.css']],
    [
      '@charset "utf-8"; @namespace "http://n.test/"; @namespace svg url(http://n.test/svg); @import "a.css"',
      ['style /css/a.css'],
    ],
    [
      '@font-face{font-family:"x.css";src:url(a.eot?#iefix)format("embedded-opentype"),url(a.woff2)}p{b:url(c.png)}',
      ['font /css/a.eot?#iefix', 'font /css/a.woff2', 'image /css/c.png'],
    ],
    ['@media print{@font-face{src:url(a.woff)}p{b:url(c.png)}}', ['font /css/a.woff', 'image /css/c.png']],
    [
      'a{b:image-set("a.png" 1x, url(b.png) 2x, url("c.png") type("image/png") 3x)}',
      ['image /css/a.png', 'image /css/b.png', 'image /css/c.png'],
    ],
    ['a{b:-webkit-image-set(url(a.png) 1x)}', ['image /css/a.png']],
    ['a{content:"url(x.png)"; b:attr(url); c:format("y.png")}', []],
    ['/* url(a.png) @import "b.css"; */ a{b:url(c.png)/*url(d.png)*/}', ['image /css/c.png']],
    [':root{--x:url(a.png);--y:"b.png"}', ['image /css/a.png']],
    ['<!-- a{b:url(c.png)} -->', ['image /css/c.png']],
    ['a{b:url(bad url.png)} c{d:url(good.png)}', ['image /css/good.png']],
    ['a{b:"unclosed\n;c:url(d.png)}', ['image /css/d.png']],
    ['a{b:url(at-the-end.png', ['image /css/at-the-end.png']],
    ['@import "at-the-end.css', ['style /css/at-the-end.css']],
    ['@document url(http://x.test/){a{b:url(c.png)}}', ['image /css/c.png']],
    ['.a\\:url\\(x.png\\){b:url(c.png)}', ['image /css/c.png']],
    ['', []],
  ])('%s', (text, expected) => expect(listed(css(text))).toEqual(expected))
})

describe('srcset', () => {
  test.each([
    ['a', ['a']],
    [' ,, a 1x ,b 2x,', ['a', 'b']],
    ['a,b', ['a,b']],
    ['a, b', ['a', 'b']],
    ['a,b, c', ['a,b', 'c']],
    ['a,,, b', ['a', 'b']],
    ['a 1x,b 2x', ['a', 'b']],
    ['a 100w 50h, b 1.5x, c .5x, d 1e2x', ['a', 'b', 'c', 'd']],
    ['data:image/png;base64,AA/B,= 1x, b 2x', ['data:image/png;base64,AA/B,=', 'b']],
    ['a (x, y), b', ['b']],
    ['my photo.jpg 1x, b 2x', ['b']],
    ['a 1x 2x, b 1w 2x, c 1h, d 10', []],
    ['a\t1x\n,\fb', ['a', 'b']],
    ['', []],
    [', ,', []],
  ])('%j', (value, expected) =>
    expect(candidates(value).map(({ start, end }) => value.slice(start, end))).toEqual(expected),
  )
})

describe('encodings', () => {
  const legacy = (text: Buffer, charset: string) => listed(htmlReferences(text, page, charset))

  test('a path goes out as UTF-8, a query in the encoding of the page', () => {
    const text = Buffer.from(
      '<a href="/citt\xe0?q=citt\xe0&amp;r=&agrave;&amp;s=&#8364;&amp;t=&#26481;#\xe0">',
      'latin1',
    )
    expect(legacy(text, 'windows-1252')).toEqual([
      'link /citt%C3%A0?q=citt%E0&r=%E0&s=%80&t=%26%2326481%3B#%C3%A0',
    ])
  })

  test.each([
    ['shift_jis', [0x95, 0x5c, 0x83, 0x41], '表ア', '%95\\%83A'],
    ['gbk', [0xb1, 0xed], '表', '%B1%ED'],
    ['big5', [0xaa, 0xed], '表', '%AA%ED'],
    ['euc-kr', [0xb0, 0xa1], '가', '%B0%A1'],
  ])('%s: no byte of a character is taken for syntax', (charset, bytes, character, query) => {
    const text = Buffer.concat([
      Buffer.from('<style>a:before{content:"'),
      Buffer.from(bytes),
      Buffer.from('"}b{c:url("'),
      Buffer.from(bytes),
      Buffer.from('.png")}</style><a href="/?'),
      Buffer.from(bytes),
      Buffer.from('">'),
    ])
    expect(legacy(text, charset)).toEqual([
      `image /dir/${encodeURIComponent(character)}.png`,
      `link /?${query}`,
    ])
  })

  test('iso-2022-jp: quotation marks within characters end no attribute', () => {
    // In JIS X 0208 0x22 0x22 is a triangle, and 0x3e may be half a character too.
    const text = Buffer.from('<a title="\x1b$B"">">\x1b(B" href="/x">', 'latin1')
    expect(legacy(text, 'iso-2022-jp')).toEqual(['link /x'])
  })

  test('UTF-16: offsets are those of the bytes', () => {
    const text = Buffer.from('\ufeff<img src="città.png"><p style="b:url(&quot;東&quot;)">', 'utf16le')
    const { references, encoding } = htmlReferences(text, page, 'utf-16le')
    expect(encoding).toBe('utf16le')
    expect(references.map(({ start, end }) => text.toString('utf16le', start, end))).toEqual([
      'città.png',
      '東',
    ])
    expect(legacy(Buffer.from(text).swap16(), 'utf-16be')).toEqual([
      'image /dir/citt%C3%A0.png',
      'image /dir/%E6%9D%B1',
    ])
  })

  test('an encoding nobody knows is read as UTF-8', () => {
    expect(legacy(Buffer.from('<a href="città">'), 'klingon')).toEqual(['link /dir/citt%C3%A0'])
  })
})

describe('hostile pages are read in linear time', () => {
  test.each([
    ['references', '<base href="/b/">', '<a href="x&amp;y" style="a:url(&quot;z&quot;)">', ''],
    ['dots', "<img data-src='", '..', " {'>"],
    ['digits', "<meta http-equiv=refresh content='", '11', "x'>"],
    ['commas', "<img srcset='", ',', "'>"],
    ['parentheses', "<img srcset='a (", 'a ( b, ', "'>"],
    ['character references', "<p style='url(", '&amp', ")'>"],
    ['backslashes', '<style>a{b:url(', '\\\\', ')}</style>'],
    ['quotation marks', '<style>', "url('", '</style>'],
    ['comments', '', '<![CDATA[>', ''],
    ['processing instructions', '<?xml-stylesheet ', ' href =', '?>'],
    ['drawings', '', '<svg><p>', ''],
    ['attributes', '<a ', 'href=x ', '>'],
    ['pages within pages', '', '<iframe srcdoc="<iframe srcdoc=&quot;<a href=b>&quot;>">', ''],
  ])('%s', (_, before, repeated, after) => {
    const text = before + repeated.repeat(1_000_000 / repeated.length) + after
    const start = performance.now()
    html(text)
    expect(performance.now() - start).toBeLessThan(4_000)
  })
})
