import { fileURLToPath } from 'node:url'

import { describe, expect, test } from 'vitest'

import { Paths, relativePath } from '../../tasks/scrape/paths.ts'
import { randomOf } from '../support/random.ts'

const start = new URL('https://www.example.test/start?x')
const html = 'text/html; charset=utf-8'
/** `#` stands for the digits that tell addresses apart. */
const shown = (path: string) => path.replace(/~[0-9a-f]{8}(?=[./]|$)/g, '~#')
const path = (address: string, type: string | null = html) =>
  shown(new Paths(start).assign(new URL(address, start), type))
const UNSAFE =
  // oxlint-disable-next-line no-control-regex
  /^$|^(con|prn|aux|nul|com\d|lpt\d) *(\.|$)|[<>:"/\\|?*\0-\x1f]|[. ]$/i
/** In this order, into one archive. */
const paths = (addresses: string[], type: string | null = html) => {
  const archive = new Paths(start)
  return addresses.map((address) => shown(archive.assign(new URL(address, start), type)))
}

describe('a name says what it is', () => {
  test.each([
    ['/', html, 'home.html'],
    ['/about', html, 'about.html'],
    ['/about/', html, 'about/index.html'],
    ['/a/b.HTM', html, 'a/b.HTM'],
    ['/a.php', html, 'a.php.html'],
    ['/a.xhtml', html, 'a.xhtml.html'],
    ['/a.xhtml', 'application/xhtml+xml', 'a.xhtml'],
    ['/v1.2', html, 'v1.2.html'],
    ['/città/東京.html', html, 'città/東京.html'],
    ['/a%20b', html, 'a b.html'],
    ['/?p=1', html, 'home_p=1~#.html'],
    ['/a/?p=1', html, 'a/index_p=1~#.html'],
    ['/list.php?page=2&sort=a/b', html, 'list.php_page=2&sort=a_b~#.html'],
    ['/s.css?ver=5.2', 'text/css', 's_ver=5.2~#.css'],
    ['/s', 'text/css', 's.css'],
    ['/styles.php', 'text/css;charset=x', 'styles.php.css'],
    ['/a.js', 'application/x-javascript', 'a.js'],
    ['/a.mjs', 'TEXT/JavaScript', 'a.mjs'],
    ['/a', 'application/javascript', 'a.js'],
    ['/i.JPG', 'image/jpeg', 'i.JPG'],
    ['/i.jpg', 'image/webp', 'i.jpg.webp'],
    ['/i.jpg', 'image/jpg', 'i.jpg'],
    ['/i.php', 'image/png', 'i.php.png'],
    ['/i', 'image/svg+xml', 'i.svg'],
    ['/i.png', 'image/*', 'i.png'],
    ['/favicon.ico', 'image/vnd.microsoft.icon', 'favicon.ico'],
    ['/f.woff2', 'application/octet-stream', 'f.woff2'],
    ['/f.woff2', 'application/font-woff2', 'f.woff2'],
    ['/f.eot?', 'application/vnd.ms-fontobject', 'f.eot'],
    ['/d', 'application/octet-stream', 'd'],
    ['/d.docx', 'application/zip', 'd.docx'],
    ['/d.php', 'application/pdf', 'd.php.pdf'],
    ['/d', 'audio/mpeg', 'd.mp3'],
    ['/feed/', 'application/rss+xml', 'feed/index.rss'],
    ['/readme', 'text/plain', 'readme.txt'],
    ['/readme.md', 'text/plain', 'readme.md'],
    ['/page.html', 'text/plain', 'page.html.txt'],
    ['/x.png', null, 'x.png'],
    ['/x', null, 'x'],
    ['/x.png', 'nonsense', 'x.png'],
    ['/x', 'constructor', 'x'],
    ['https://example.test/twin', html, 'twin.html'],
    ['http://www.example.test/plain', html, 'plain.html'],
    ['https://cdn.test/', html, 'cdn.test/index.html'],
    ['https://cdn.test:8443/a/b.png', 'image/png', 'cdn.test_8443/a/b.png'],
    ['http://[::1]:80/a', html, '[__1]/a.html'],
  ])('%s as %s is %s', (address, type, expected) => expect(path(address, type)).toBe(expected))
})

describe('a name is safe everywhere', () => {
  test.each([
    ['/CON', '_CON.html'],
    ['/nul.txt', '_nul.txt.html'],
    ['/com1.x/LPT9', '_com1.x/_LPT9.html'],
    ['/aux%20.x', '_aux .x.html'],
    ['/console', 'console.html'],
    ['/a./b%20/c', 'a_/b_/c.html'],
    ['/.../x', '___/x.html'],
    ['/%20a/b', '_a/b.html'],
    ['/a%3Cb%3E%3A%22%7C%3F*', 'a_b______.html'],
    ['/a%5Cb%2Fc%00d%0A%7F', 'a_b_c_d__.html'],
    ['/%2e%2e/%2E%2e%2fetc%2Fpasswd', '.._etc_passwd.html'],
    ['/a/%252e%252e/b', 'a/%2e%2e/b.html'],
    ['/a\\..\\..\\b', 'b.html'],
    ['https://example.test//a//b', '_/a/_/b.html'],
    ['/caf%E9', 'caf%E9.html'],
    ['/a%E2%80%AEgpj.exe', 'a_gpj.exe.html'],
    ['/%EF%BF%BF%EF%BB%BF%E2%80%8B%C2%A0', '____.html'],
    ["/~%23%25&'", "~#%&'.html"],
    ['/e%CC%81', '\u00e9.html'],
    ['/.htaccess', '.htaccess.html'],
    ['/__proto__/constructor', '__proto__/constructor.html'],
  ])('%s is %s', (address, expected) => expect(path(address)).toBe(expected))

  test('long names are cut, and stay distinct', () => {
    const long = 'x'.repeat(500)
    expect(paths([`/${long}1`, `/${long}2`, `/a?${long}1`, `/a?${long}2`])).toEqual([
      `${'x'.repeat(72)}~#.html`,
      `${'x'.repeat(72)}~#.html`,
      `a_${'x'.repeat(32)}~#.html`,
      `a_${'x'.repeat(32)}~#.html`,
    ])
    expect(path(`/${'東'.repeat(100)}`)).toBe(`${'東'.repeat(24)}~#.html`)
    expect(path(`/${'👟'.repeat(100)}.png`, 'image/png')).toBe(`${'👟'.repeat(18)}~#.png`)
  })

  test('deep folders become one, the same for all in it', () => {
    const archive = new Paths(start)
    const deep = `/${'folder/'.repeat(60)}`
    const one = archive.assign(new URL(`${deep}a`, start), html)
    const two = archive.assign(new URL(`${deep}b`, start), html)
    expect(shown(one)).toBe(`${'folder/'.repeat(14)}~#/a.html`)
    expect(one.replace(/a\.html$/, 'b.html')).toBe(two)
  })
})

describe('a name is taken once', () => {
  test.each([
    [
      'what the archive adds itself',
      ['/index.html', '/manifest.json', '/INDEX.html'],
      ['index~#.html', 'manifest.json.html', 'INDEX~#.html'],
    ],
    ['capitals', ['/Readme', '/README', '/readme'], ['Readme.html', 'README~#.html', 'readme~#.html']],
    [
      'capitals that are not ASCII',
      ['/STRASSE', '/Straße', '/İ', '/i̇'],
      ['STRASSE.html', 'Straße~#.html', 'İ.html', 'i̇~#.html'],
    ],
    ['compositions', ['/%C3%A9', '/e%CC%81', '/E%CC%81'], ['é.html', 'é~#.html', 'É~#.html']],
    ['what is replaced', ['/a%3Ab', '/a%3Fb', '/a_b'], ['a_b.html', 'a_b~#.html', 'a_b~#.html']],
    [
      'names given by the type',
      ['/a', '/a.html', 'http://www.example.test/a'],
      ['a.html', 'a~#.html', 'a~#.html'],
    ],
    [
      'a file where a folder is wanted',
      ['/x.html', '/x.html/a', '/X.html/b/c'],
      ['x.html', 'x.html~#/a.html', 'X.html~#/b/c.html'],
    ],
    ['a folder where a file is wanted', ['/x.html/a', '/X.HTML'], ['x.html/a.html', 'X~#.HTML']],
    ['a folder where the archive has a file', ['/manifest.json/a'], ['manifest.json~#/a.html']],
    [
      'another host and a folder of its name',
      ['/cdn.test/a', 'https://cdn.test/a'],
      ['cdn.test/a.html', 'cdn.test/a~#.html'],
    ],
    ['the home page', ['/home', '/'], ['home.html', 'home~#.html']],
  ])('%s', (_, addresses, expected) => expect(paths(addresses)).toEqual(expected))

  test('all files of a renamed folder are in one', () => {
    const archive = new Paths(start)
    const folders = ['/x.html', '/x.html/a', '/y', '/x.html/b'].map(
      (address) => archive.assign(new URL(address, start), html).split('/')[0],
    )
    expect(folders[1]).toBe(folders[3])
  })

  test('one address keeps its name, with any fragment', () => {
    const archive = new Paths(start)
    const again = ['/A', '/a', '/a#b', '/A', '/a'].map((address) =>
      archive.assign(new URL(address, start), html),
    )
    expect(again.slice(2)).toEqual([again[1], again[0], again[1]])
  })
})

test('whatever the addresses: unique on every file system, within the root, the same on every run', () => {
  const next = randomOf(7)
  const pieces =
    'a A b. .. %2e %2E. / // \\ %2f %5c con AUX nul.txt index.html home index manifest.json ? & = # é e%CC%81 %E9 %00 %0a ~ é.html :  %20 東 ß SS .js .HTML x'.split(
      ' ',
    )
  const hosts = ['https://www.example.test', 'http://example.test', 'https://cdn.test', 'https://index.html']
  const types = [html, 'text/css', 'image/png', null]
  const pick = <T>(from: T[]) => from[Math.floor(next() * from.length)]!
  const addresses = Array.from({ length: 5_000 }, () => {
    const tail = Array.from({ length: 1 + Math.floor(next() * 6) }, () => pick(pieces)).join('')
    return { url: URL.parse(`${pick(hosts)}/${tail}`), type: pick(types) }
  }).flatMap(({ url, type }) => (url ? [{ url, type }] : []))
  const run = () => {
    const archive = new Paths(start)
    return addresses.map(({ url, type }) => archive.assign(url, type))
  }
  const names = run()
  expect(run()).toEqual(names)

  const fold = (name: string) => name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC')
  const owners = new Map<string, string>()
  const folders = new Set(['index.html', 'manifest.json'])
  const shared: string[] = []
  for (const [i, name] of names.entries()) {
    const address = addresses[i]!.url.href.split('#')[0]!
    if ((owners.get(fold(name)) ?? address) !== address) shared.push(name)
    owners.set(fold(name), address)
    const segments = name.split('/')
    for (let depth = 1; depth < segments.length; depth++)
      folders.add(fold(segments.slice(0, depth).join('/')))
  }
  expect(shared).toEqual([])
  expect([...folders].filter((folder) => owners.has(folder))).toEqual([])
  expect(names.filter((name) => name.length >= 200)).toEqual([])
  expect(names.flatMap((name) => name.split('/')).filter((segment) => UNSAFE.test(segment))).toEqual([])
})

test('an address costs little, even where all want the same name', () => {
  const archive = new Paths(start)
  const begin = performance.now()
  for (let i = 0; i < 5_000; i++) {
    archive.assign(new URL(`/a?${'x'.repeat(40)}${i}`, start), html)
    archive.assign(new URL(`/${'x'.repeat(100)}${i}/b`, start), html)
  }
  expect(performance.now() - begin).toBeLessThan(5_000)
})

describe('the way from file to file', () => {
  test.each([
    ['a.html', 'b.html', 'b.html'],
    ['a.html', 'a.html', 'a.html'],
    ['a/b.html', 'a/c/d.html', 'c/d.html'],
    ['a/b.html', 'c.html', '../c.html'],
    ['a/b/c.html', 'a/d/e.html', '../d/e.html'],
    ['a/b/c.html', 'a/b.html', '../b.html'],
    ['a/b.html', 'a/b/c.html', 'b/c.html'],
    ['a/x.html', 'A/y.html', '../A/y.html'],
    ['a.html', 'c:d.html', 'c%3Ad.html'],
    ['a.html', '50% & a?b#c [d]+e.html', '50%25%20%26%20a%3Fb%23c%20%5Bd%5D%2Be.html'],
    ['a.html', "i's (1)!*,;=@$~-_.html", 'i%27s%20%281%29%21%2A%2C%3B%3D%40%24~-_.html'],
    ['a.html', 'città/東京👟.html', 'citt%C3%A0/%E6%9D%B1%E4%BA%AC%F0%9F%91%9F.html'],
    ['a%2F/b.html', 'a%2F/c%41.html', 'c%2541.html'],
  ])('%s to %s', (from, to, expected) => {
    expect(relativePath(from, to)).toBe(expected)
    const opened = new URL(`file:///root/${from.split('/').map(encodeURIComponent).join('/')}`)
    expect(fileURLToPath(new URL(expected, opened))).toBe(`/root/${to}`)
  })
})
