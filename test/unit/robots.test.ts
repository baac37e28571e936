import { existsSync, readFileSync } from 'node:fs'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { guard } from '../../tasks/address.ts'
import { guardedAgent } from '../../tasks/agent.ts'
import { parseRobots, pathRules, readRobots } from '../../tasks/robots.ts'
import { type FakeServer, startServer } from '../fakes/site/server.ts'

const allows = (file: string | Buffer, path: string, agent = 'FooBot') =>
  parseRobots(file).allows(path, agent)
const forFoo = (...rules: string[]) => ['User-agent: FooBot', ...rules, ''].join('\n')

describe('which group counts', () => {
  const file = `
User-agent: *
Disallow: /all

User-agent: FooBot/2.1
User-agent: BarBot
Crawl-delay: 5
Disallow: /two # both of them
Sitemap: https://example.test/a.xml

USER-AGENT: barbot
disallow: /more
Sitemap: https://example.test/b.xml
`
  test.each([
    ['QuxBot', '/all', false],
    ['QuxBot', '/two', true],
    ['FooBot', '/all', true],
    ['foobot', '/two', false],
    ['FooBot', '/more', true],
    ['BarBot', '/two', false],
    ['BarBot', '/more', false],
    ['Foo', '/two', true],
    ['FooBot/1.0 (+https://foo.test)', '/two', false],
  ])('%s may fetch %s: %s', (agent, path, allowed) => expect(allows(file, path, agent)).toBe(allowed))

  test('sitemaps belong to no group', () => {
    expect(parseRobots(file).sitemaps).toEqual(['https://example.test/a.xml', 'https://example.test/b.xml'])
  })
  test('an agent named without a rule may fetch everything', () => {
    const file = 'User-agent: *\nDisallow: /\n\nUser-agent: FooBot\n'
    expect(allows(file, '/x')).toBe(true)
    expect(allows(file, '/x', 'QuxBot')).toBe(false)
  })
  test('rules before any agent are ignored', () => expect(allows('Disallow: /\n', '/x')).toBe(true))
})

describe('which rule decides', () => {
  test.each([
    ['the longest', ['Disallow: /x/', 'Allow: /x/page'], '/x/page', true],
    ['the longest, in any order', ['Allow: /x/page', 'Disallow: /x/page.html'], '/x/page.html', false],
    ['of equals the one that allows', ['Disallow: /x', 'Allow: /x'], '/x', true],
    ['the longer one with a wildcard', ['Allow: /page', 'Disallow: /*.htm'], '/page.htm', false],
    ['an empty Disallow forbids nothing', ['Disallow:'], '/x', true],
    ['a prefix', ['Disallow: /fish'], '/fishing/rods', false],
    ['case matters', ['Disallow: /Fish'], '/fish', true],
    ['$ ends', ['Disallow: /*.php$'], '/a/b.php', false],
    ['$ ends before the query', ['Disallow: /*.php$'], '/a/b.php?c', true],
    ['$ alone behind a path', ['Disallow: /$'], '/x', true],
    ['$ inside is a character', ['Disallow: /a$b'], '/a$b/c', false],
    ['* may be empty', ['Disallow: /a*b'], '/ab', false],
    ['* crosses slashes', ['Disallow: /a*/c'], '/a/b/x/c/d', false],
    ['* needs what follows', ['Disallow: /a*/c'], '/a/b', true],
    ['the end is not used twice', ['Disallow: /a*aa$'], '/aa', true],
    ['the query counts', ['Disallow: /*?sort='], '/list?page=2&sort=x', true],
    ['the query counts from its beginning', ['Disallow: /*?sort='], '/list?sort=x', false],
    ['robots.txt is always allowed', ['Disallow: /'], '/robots.txt', true],
    ['index.html stands for its folder', ['Disallow: /', 'Allow: /shop/index.html'], '/shop/', true],
    ['a missing colon', ['Disallow /x'], '/x', false],
    ['a comment', ['Disallow: /x # not /y'], '/x', false],
  ])('%s: %j', (_, rules, path, allowed) => expect(allows(forFoo(...rules), path)).toBe(allowed))
})

describe('how paths are compared', () => {
  test.each([
    ['/foo/bar/ツ', '/foo/bar/%E3%83%84'],
    ['/foo/bar/%E3%83%84', '/foo/bar/%E3%83%84'],
    ['/foo/bar/%e3%83%84', '/foo/bar/%E3%83%84'],
    ['/foo/bar/%62%61%7A', '/foo/bar/baz'],
    ['/foo/bar/baz', '/foo/bar/%62%61%7A'],
    ['/a%2Fb', '/a%2fb'],
    ['/a b', '/a%20b'],
    ['/a%2Ab', '/a*b'],
    ['/a%24', '/a$'],
    ['/citt\u00e0', '/citt%C3%A0'],
    ['/100%', '/100%'],
    ['/\u017f', '/%C5%BF'],
  ])('%s forbids %s', (rule, path) => expect(allows(forFoo(`Disallow: ${rule}`), path)).toBe(false))

  test.each([
    ['/a%2Fb', '/a/b'],
    ['/a%3Fb', '/a?b'],
    ['/a%2A', '/axx'],
    ['/\ud800', '/x'],
  ])('%s does not forbid %s', (rule, path) => expect(allows(forFoo(`Disallow: ${rule}`), path)).toBe(true))
})

describe('how files are read', () => {
  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('%s ends lines', (_, end) => {
    expect(allows(['User-agent: FooBot', 'Disallow: /x', ''].join(end), '/x')).toBe(false)
  })
  test('a byte order mark is skipped', () => {
    expect(allows(Buffer.from(`\ufeff${forFoo('Disallow: /x')}`), '/x')).toBe(false)
    expect(allows(`\ufeff${forFoo('Disallow: /x')}`, '/x')).toBe(false)
  })
  test('Latin-1 means the letters it shows', () => {
    expect(allows(Buffer.from(forFoo('Disallow: /citt\u00e0'), 'latin1'), '/citt%C3%A0')).toBe(false)
  })
  test('500 KiB are read and no more', () => {
    const padding = `# ${'x'.repeat(98)}\n`.repeat(5069)
    expect(allows(forFoo('Disallow: /in', padding, 'Disallow: /out'), '/in')).toBe(false)
    expect(allows(forFoo('Disallow: /in', padding, 'Disallow: /out'), '/out')).toBe(true)
    expect(allows(forFoo(padding.slice(0, -20_000), 'Disallow: /out'), '/out')).toBe(false)
  })
  test('rubbish is survived', () => {
    expect(allows('<!doctype html>\n<p>: : :\n\0\0:\nuser-agent\n:::', '/x')).toBe(true)
  })
})

test('a rule full of wildcards costs no more than its length', () => {
  const rule = `/${'*a'.repeat(2_000)}*b$`
  const path = `/${'a'.repeat(100_000)}`
  const startedAt = performance.now()
  expect(allows(forFoo(`Disallow: ${rule}`), path)).toBe(true)
  expect(performance.now() - startedAt).toBeLessThan(3_000)
})

describe('excluded paths', () => {
  const isExcluded = pathRules('/private\r\n\n# a comment\n  /*?print=  \n/end$\n/a.b\n')
  test.each(['/private', '/private/x', '/x?print=1', '/end', '/a.b'])('%s', (path) =>
    expect(isExcluded(path)).toBe(true),
  )
  test.each(['/', '/x/private', '/x?p=1', '/end/', '/axb', '/#'])('not %s', (path) =>
    expect(isExcluded(path)).toBe(false),
  )
  test('none', () => expect(pathRules('')('/x')).toBe(false))
})

describe('fetching robots.txt', () => {
  const through = guardedAgent(guard({ privateNetworks: true }))
  let site: FakeServer
  let status = 200
  let body: string | Buffer = 'User-agent: *\nDisallow: /x\n'
  beforeAll(async () => {
    site = await startServer((path) => {
      if (path === '/robots.txt') return { status, body, headers: { 'content-type': 'text/plain' } }
      const left = Number(/^\/hop\/(\d+)$/.exec(path)?.[1] ?? 0)
      if (left > 0) return { status: 302, headers: { location: `/hop/${left - 1}` } }
      return path === '/hop/0' ? { body: 'moved' } : undefined
    })
  })
  afterAll(async () => {
    await through.destroy()
    await site.close()
  })

  test('gives its status and text', async () => {
    expect(await readRobots(new URL('/deep/page', site.origin), { through })).toEqual({
      status: 200,
      text: body,
    })
  })
  test.each([404, 403, 500, 503])('gives status %i and no text', async (code) => {
    status = code
    expect(await readRobots(new URL(site.origin), { through })).toEqual({ status: code, text: '' })
    status = 200
  })
  test('gives 0 when there is no answer', async () => {
    const closed = await startServer(() => undefined)
    await closed.close()
    expect(await readRobots(new URL(closed.origin), { through })).toEqual({ status: 0, text: '' })
  })
  test('reads 500 KiB at most', async () => {
    body = `${'#'.repeat(99)}\n`.repeat(10_000)
    const { text } = await readRobots(new URL(site.origin), { through })
    expect(text).toHaveLength(500 * 1024)
    body = ''
  })
  test('has nothing in it that cannot be stored', async () => {
    body = 'User-agent: *\0\nDisallow: /\0x'
    expect(await readRobots(new URL(site.origin), { through })).toMatchObject({
      text: 'User-agent: *\nDisallow: /x',
    })
    body = ''
  })
  test('follows five redirects', async () => {
    const moving = await startServer((path) => {
      const left = path === '/robots.txt' ? hops : Number(path.slice(1))
      return left > 0 ? { status: 301, headers: { location: `/${left - 1}` } } : { body: 'here' }
    })
    let hops = 5
    expect(await readRobots(new URL(moving.origin), { through })).toEqual({ status: 200, text: 'here' })
    hops = 6
    expect(await readRobots(new URL(moving.origin), { through })).toEqual({ status: 301, text: '' })
    await moving.close()
  })
  test('passes an abort on', async () => {
    const signal = AbortSignal.abort(new Error('stopped'))
    await expect(readRobots(new URL(site.origin), { through, signal })).rejects.toThrow('stopped')
  })
})

type Case = {
  id: string
  robots: string
  latin1?: boolean
  checks?: { agent: string; path: string; allowed: boolean; strict?: boolean }[]
}
const published = new URL('../../../shared/data/google-robots.json', import.meta.url)
const missing = existsSync(published) ? '' : ` (skipped: ${published.pathname} is not there)`

describe.skipIf(missing)(`the published cases of Google's own parser${missing}`, () => {
  const { cases } = missing
    ? { cases: [] }
    : (JSON.parse(readFileSync(published, 'utf8')) as { cases: Case[] })
  const checks = cases.flatMap(({ id, robots, latin1, checks = [] }) =>
    checks
      .filter(({ strict }) => strict !== false)
      .map((check) => {
        const text = robots.replace(/@seed(\r\n|\r|\n)/g, '')
        return { id, file: latin1 ? Buffer.from(text, 'latin1') : text, ...check }
      }),
  )
  test.for(checks.length > 0 ? checks : [null])('$id: $agent $path', (check) => {
    if (!check) return
    expect(allows(check.file, check.path, check.agent)).toBe(check.allowed)
  })
})
