import picomatch from 'picomatch'
import { describe, expect, test } from 'vitest'

import type { Filters } from '../../sql/scrape-jobs.ts'
import { type Hint, parseFilters } from '../../tasks/scrape/filters.ts'
import { pathGlob } from '../../tasks/scrape/glob.ts'
import type { Role } from '../../tasks/scrape/references.ts'
import { isTracker } from '../../tasks/scrape/tracking.ts'
import { randomOf } from '../support/random.ts'

const start = new URL('https://shop.example/')
const filter = (input: Filters, htmlOnly = false) => parseFilters(input, { htmlOnly, start })
const hint = (role: Role): Hint => ({ kind: role === 'link' ? 'page' : 'requisite', role })
const at = (path: string) => new URL(path, start)

/** What a page may refer to: its path, what loads it, and what it is answered with. */
const files: [path: string, role: Role, type: string | null][] = [
  ['/about', 'link', 'text/html'],
  ['/docs/v1.2', 'link', 'text/html'],
  ['/buy.php', 'link', 'application/xhtml+xml'],
  ['/wiki/File:Lake.jpg', 'link', 'text/html'],
  ['/frame', 'frame', null],
  ['/main.css', 'style', 'text/css'],
  ['/styles', 'style', 'text/plain'],
  ['/app.js', 'script', 'application/javascript'],
  ['/bundle', 'script', 'text/javascript'],
  ['/photo.jpg', 'image', 'image/jpeg'],
  ['/photo', 'image', 'image/webp'],
  ['/gallery/large.png', 'link', 'image/png'],
  ['/drawn.php', 'image', 'image/svg+xml'],
  ['/poster', 'object', 'image/avif'],
  ['/film.mp4', 'media', 'video/mp4'],
  ['/film', 'link', 'video/webm'],
  ['/live.m3u8', 'media', 'application/vnd.apple.mpegurl'],
  ['/song.mp3', 'link', 'audio/mpeg'],
  ['/song', 'media', 'audio/ogg'],
  ['/own.woff2', 'font', 'font/woff2'],
  ['/price-list.pdf', 'link', 'application/pdf'],
  ['/download', 'link', 'application/octet-stream'],
  ['/data', 'other', 'application/json'],
]

async function kept(input: Filters, htmlOnly = false): Promise<string[]> {
  const { wants, accepts } = await filter(input, htmlOnly)
  return files
    .filter(
      ([path, role, contentType]) =>
        wants(at(path), hint(role)) && accepts({ url: at(path), contentType, contentLength: 9 }, hint(role)),
    )
    .map(([path]) => path)
}
const all = files.map(([path]) => path)
const html = ['/about', '/docs/v1.2', '/buy.php', '/wiki/File:Lake.jpg', '/frame']
const images = ['/photo.jpg', '/photo', '/gallery/large.png', '/drawn.php', '/poster']
const videos = ['/film.mp4', '/film', '/live.m3u8']
const audio = ['/song.mp3', '/song']
const code = ['/main.css', '/styles', '/app.js', '/bundle']
const without = (...groups: string[][]) => all.filter((path) => !groups.flat().includes(path))

describe('presets', () => {
  test.each<[Filters['presets'], string[]]>([
    [[], all],
    [['html_only'], html],
    [['images_only'], [...html, ...images]],
    [['no_images'], without(images)],
    [['no_videos'], without(videos)],
    [['no_media'], without(images, videos, audio)],
    [['essential_only'], [...html, ...code]],
    [['no_tracking'], all],
    [['no_images', 'no_videos'], without(images, videos)],
    [
      ['essential_only', 'no_images'],
      [...html, ...code],
    ],
    [['html_only', 'essential_only'], html],
    [['images_only', 'no_images'], html],
  ])('%j keeps', async (presets, expected) => {
    expect((await kept({ presets })).toSorted()).toEqual(expected.toSorted())
  })

  test('html_only is also a flag', async () => expect(await kept({}, true)).toEqual(html))

  test('images_only does not save the pages it reads', async () => {
    expect((await filter({ presets: ['images_only'] })).savesPages).toBe(false)
    expect((await filter({ presets: ['no_videos'] })).savesPages).toBe(true)
  })

  test.each([
    ['html_only', '/app.js', 'script', false],
    ['html_only', '/photo.jpg', 'image', false],
    ['html_only', '/unknown', 'image', false],
    ['html_only', '/file.pdf', 'link', false],
    ['html_only', '/page.aspx', 'link', true],
    ['html_only', '/embedded', 'other', true],
    ['no_images', '/large.jpg', 'link', false],
    ['no_images', '/favicon', 'icon', false],
    ['no_media', '/stream', 'media', false],
    ['no_videos', '/stream', 'media', true],
    ['no_videos', '/stream.ogv', 'media', false],
    ['no_videos', '/captions.vtt', 'media', true],
    ['no_images', '/wiki/File%3ALake.jpg', 'link', true],
    ['no_videos', '/src/index.ts', 'link', true],
    ['images_only', '/main.css', 'style', false],
    ['images_only', '/own', 'font', false],
    ['essential_only', '/own.woff2', 'style', false],
  ] as const)('%s, before the request, of %s as %s', async (preset, path, role, wanted) => {
    const { wants } = await filter({ presets: [preset] })
    expect(wants(at(path), hint(role))).toBe(wanted)
  })
})

describe('sizes', () => {
  test.each([
    ['500KB', 500 * 1024],
    ['5MB', 5 * 1024 ** 2],
    ['1gb', 1024 ** 3],
    ['2Kb', 2048],
    ['1.5MB', 1.5 * 1024 ** 2],
  ])('%s', async (max_size, bytes) => {
    const { maxBytes, accepts } = await filter({ max_size })
    expect(maxBytes).toBe(bytes)
    const answer = (contentLength: number | null) =>
      accepts({ url: at('/a.jpg'), contentType: 'image/jpeg', contentLength }, hint('image'))
    expect([answer(bytes), answer(bytes + 1), answer(null)]).toEqual([true, false, true])
  })

  test('none without a filter; essential_only brings 5 MB; the smaller of two counts', async () => {
    const limit = async (input: Filters) => (await filter(input)).maxBytes
    expect(await limit({})).toBeNull()
    expect(await limit({ presets: ['essential_only'] })).toBe(5 * 1024 ** 2)
    expect(await limit({ presets: ['essential_only'], max_size: '1MB' })).toBe(1024 ** 2)
    expect(await limit({ presets: ['essential_only'], max_size: '9MB' })).toBe(5 * 1024 ** 2)
  })
})

describe('blocked extensions', () => {
  test.each<[string[], string[]]>([
    [['jpg'], ['/photo.jpg', '/gallery/large.png'].slice(0, 1)],
    [
      ['.JPG', ' mp4 '],
      ['/photo.jpg', '/film.mp4'],
    ],
    [['*.pdf'], ['/price-list.pdf']],
    [
      ['webp', 'svg'],
      ['/photo', '/drawn.php'],
    ],
    [['js'], ['/app.js', '/bundle']],
    [['jpeg', 'xhtml'], ['/buy.php']],
    [['php'], ['/buy.php', '/drawn.php']],
    [['exe', 'bin', 'tar.gz', ''], []],
  ])('%j', async (blocked_extensions, expected) => {
    const left = await kept({ blocked_extensions })
    expect(all.filter((path) => !left.includes(path) && path !== '/wiki/File:Lake.jpg')).toEqual(expected)
  })

  test('several parts', async () => {
    const { wants } = await filter({ blocked_extensions: ['tar.gz'] })
    expect([wants(at('/a.tar.gz'), hint('link')), wants(at('/a.gz'), hint('link'))]).toEqual([false, true])
  })
})

describe('patterns', () => {
  const cases: [pattern: string, matching: string[], other: string[]][] = [
    ['/blog/*', ['/blog/a', '/blog/b.html', '/blog/a/'], ['/blog/', '/blog', '/blog/a/b', '/x/blog/a']],
    ['/blog/**', ['/blog', '/blog/', '/blog/a', '/blog/a/b/c.png'], ['/blogs', '/x/blog/a']],
    ['blog/**', ['/blog/a/b'], ['/x/blog/a']],
    ['**/private/**', ['/private', '/private/a', '/a/b/private/c/d'], ['/privately/a']],
    ['/a/**/z', ['/a/z', '/a/b/z', '/a/b/c/z'], ['/az', '/a/b/y', '/b/a/z']],
    ['/a**', ['/a', '/ab', '/a/b/c'], ['/b/a']],
    ['*.pdf', ['/a.pdf', '/x/y/b.pdf', '/.pdf'], ['/a.pdf/view', '/a.PDF', '/apdf']],
    ['admin', ['/admin', '/x/admin', '/x/admin/'], ['/admin/x', '/administrator']],
    ['*', ['/', '/a', '/a/b'], []],
    ['**', ['/', '/a', '/a/b'], []],
    ['/', ['/'], ['/a']],
    ['/shop/', ['/shop/'], ['/shop', '/shop/a']],
    ['/a?c', ['/abc'], ['/ac', '/a/c', '/abbc']],
    ['/*.{jpg,png}', ['/a.jpg', '/b.png'], ['/a.gif', '/a.{jpg,png}', '/x/a.jpg']],
    ['/{a,b{c,d}}/x', ['/a/x', '/bc/x', '/bd/x'], ['/b/x', '/ac/x']],
    ['/{a}', ['/%7Ba%7D'], ['/a']],
    ['/page-[0-9]', ['/page-7'], ['/page-x', '/page-77']],
    ['/[!a]x', ['/bx'], ['/ax', '//x']],
    ['/[z-a]', [], ['/z']],
    ['/caffè/*', ['/caff%C3%A8/a'], ['/caffe/a']],
    ['/caff%C3%A8/*', ['/caff%C3%A8/a'], []],
    ['/a%', ['/a%'], ['/a']],
    ['/x+(a|b).$', ['/x+(a|b).$'], ['/xa']],
    ['!x', ['/!x'], ['/y']],
  ]
  test.each(cases)('%s', (pattern, matching, other) => {
    const matches = pathGlob(pattern)
    expect(matching.filter((path) => !matches(path))).toEqual([])
    expect(other.filter((path) => matches(path))).toEqual([])
  })

  test('mean the same as to picomatch', () => {
    const random = randomOf(7)
    const any = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)]!
    const joined = (parts: readonly string[], length: number) =>
      Array.from({ length: 1 + Math.floor(random() * length) }, () => any(parts)).join('/')
    let matched = 0
    for (let round = 0; round < 5000; round++) {
      const pattern = joined(['a', 'b', '*', '**', 'a*', '*b', '*a*', '?', '{a,ab}', '[ab]c'], 4)
      const path = joined(['a', 'b', 'ab', 'ba', 'bc', 'aab'], 5)
      // Where a wildcard precedes, and only there, picomatch wants the slash of a final `/**`.
      if (/[*?}\]]\/\*\*$/.test(pattern) || !pattern.includes('/')) continue
      const expected = picomatch.isMatch(path, pattern, { dot: true })
      if (expected) matched++
      expect([pattern, path, pathGlob(pattern)(`/${path}`)]).toEqual([pattern, path, expected])
    }
    expect(matched).toBeGreaterThan(100)
  })

  test('are judged fast, whatever they are', () => {
    const started = performance.now()
    expect(pathGlob('*a*a*a*a*a*a*a*a*b')(`/${'a'.repeat(2000)}`)).toBe(false)
    expect(pathGlob('/**/a/**/a/**/a/**/b')('/a'.repeat(1000))).toBe(false)
    expect(pathGlob('{a,b}'.repeat(90))('/ab')).toBe(false)
    expect(pathGlob(`{${'*a'.repeat(100)},${'*b'.repeat(100)}}`)(`/${'ab'.repeat(1000)}c`)).toBe(false)
    expect(performance.now() - started).toBeLessThan(2000)
  })

  test.each<[Filters, string[]]>([
    [{ exclude_patterns: ['/gallery/**', '*.mp4'] }, without(['/gallery/large.png', '/film.mp4'])],
    [{ include_patterns: ['/gallery/**', '*.css'] }, ['/main.css', '/gallery/large.png']],
    [{ include_patterns: ['*.css', '*.js'], exclude_patterns: ['main*'] }, ['/app.js']],
    [{ include_patterns: ['/film*'], presets: ['no_videos'] }, []],
  ])('%j keeps', async (input, expected) => expect(await kept(input)).toEqual(expected))

  test('the query is not part of the path', async () => {
    const { wants } = await filter({ exclude_patterns: ['*secret*'] })
    expect(wants(at('/list?secret=1'), hint('link'))).toBe(true)
    expect(wants(at('/secrets?a=1'), hint('link'))).toBe(false)
  })
})

describe('no_tracking', () => {
  const trackers = [
    'https://www.google-analytics.com/analytics.js',
    'https://www.googletagmanager.com/gtag/js?id=G-1',
    'https://connect.facebook.net/en_US/fbevents.js',
    'https://www.facebook.com/tr?id=1&ev=PageView',
    'https://static.hotjar.com/c/hotjar-1.js',
    'https://www.clarity.ms/tag/x',
    'https://snap.licdn.com/li.lms-analytics/insight.min.js',
    'https://bat.bing.com/bat.js',
    'https://analytics.tiktok.com/i18n/pixel/events.js',
    'https://mc.yandex.ru/metrika/tag.js',
    'https://stats.wp.com/e-202601.js',
    'https://plausible.io/js/script.js',
    'https://js.hs-scripts.com/1.js',
    'https://securepubads.g.doubleclick.net/tag/js/gpt.js',
    'https://eu-assets.i.posthog.com/static/array.js',
    'https://shop.example/matomo/matomo.js',
    'https://shop.example/piwik.php?idsite=1',
    'https://shop.example/_vercel/insights/script.js',
    'https://shop.example/gtm.js?id=GTM-1',
  ]
  const harmless = [
    'https://shop.example/app.js',
    'https://shop.example/js/analytics-page.js',
    'https://cdn.shop.example/tracker-of-parcels.js',
    'https://cdn.jsdelivr.net/npm/vue@3',
    'https://cdnjs.cloudflare.com/ajax/libs/jquery/3.7.1/jquery.min.js',
    'https://fonts.googleapis.com/css2?family=Inter',
    'https://s.yimg.com/uc/photo.jpg',
    'https://i.ebayimg.com/images/g/x.jpg',
    'https://cdn.jwplayer.com/libraries/x.js',
    'https://js.stripe.com/v3/',
    'https://www.google.com/recaptcha/api.js',
    'https://www.youtube.com/iframe_api',
    'https://notgoogle-analytics.com/a.js',
    'https://example.net.pl/a.js',
    'http://127.0.0.1:8080/a.js',
    'http://localhost/a.js',
  ]
  test.each(trackers)('%s', (url) => expect(isTracker(new URL(url), start)).toBe(true))
  test.each(harmless)('not %s', (url) => expect(isTracker(new URL(url), start)).toBe(false))

  test("a tracking service's own site is not stripped of its files", () => {
    const own = new URL('https://cdn.segment.com/analytics.js/v1/x/analytics.min.js')
    expect(isTracker(own, new URL('https://segment.com/docs/'))).toBe(false)
    expect(isTracker(own, new URL('https://plausible.io/'))).toBe(true)
  })

  test('holds for what a page loads, not for its links, and only when asked for', async () => {
    const url = new URL(trackers[0]!)
    const { wants } = await filter({ presets: ['no_tracking'] })
    expect(
      ['script', 'image', 'frame', 'object'].map((role) =>
        wants(url, { kind: 'requisite', role: role as Role }),
      ),
    ).toEqual([false, false, false, false])
    expect(wants(url, { kind: 'page', role: 'link' })).toBe(true)
    expect((await filter({})).wants(url, { kind: 'requisite', role: 'script' })).toBe(true)
  })
})
