import { createHash } from 'node:crypto'

import { describe, expect, test } from 'vitest'

import { checksPage } from '../../api/checks-page.ts'
import { documentHeaders } from '../../api/document.ts'
import { address, cut } from '../../api/seo/report/address.ts'
import { gradeOf } from '../../api/seo/report/grade.ts'
import { reportPage } from '../../api/seo/report/page.ts'
import type { Finding, Report } from '../../sql/report.ts'

const DAY_MS = 86_400_000
const AT = Date.UTC(2026, 6, 1, 9, 30)

const finding = (more: Partial<Finding> = {}): Finding => ({
  code: 'title_missing',
  severity: 'major',
  about: 'The head has no title.',
  fix: 'Write a `<title>`.',
  points: 15,
  pages: 7,
  examples: ['https://shop.example/a'],
  ...more,
})

const page = (url: string) => ({ url, title: 'Shop', bytes: 20_480, ttfb_ms: 85, total_ms: 1200 })

/** A completed crawl of 42 pages; `crawl` and `totals` as they differ from it. */
function report({
  crawl,
  totals,
  ...more
}: Partial<Omit<Report, 'crawl' | 'totals'>> & {
  crawl?: Partial<Report['crawl']>
  totals?: Partial<Report['totals']>
} = {}): Report {
  return {
    deepest: 12,
    crawl: {
      id: 9,
      name: 'The shop',
      host: 'shop.example',
      start_url: 'https://shop.example/',
      max_pages: 200,
      max_depth: 10,
      include_subdomains: false,
      respect_robots: true,
      use_sitemap: true,
      excludes: false,
      status: 'completed',
      failure: null,
      rendered: false,
      score: 87,
      robots_status: 200,
      sitemap_urls: 40,
      started: AT - 130_000,
      finished: AT,
      newest_status: 'completed',
      newest_failure: null,
      ...crawl,
    },
    totals: { pages: 42, indexable: 38, documents: 40, failed: 1, s2: 39, s3: 1, s4: 1, s5: 0, ...totals },
    depths: [
      { depth: 0, pages: 1 },
      { depth: 12, pages: 41 },
    ],
    findings: [finding()],
    slowest: [page('https://shop.example/slow')],
    heaviest: [page('https://shop.example/heavy')],
    history: [
      { score: 80, version: 2, finished: AT - DAY_MS },
      { score: 87, version: 2, finished: AT },
    ],
    sums: { pages: 40, points: 3588, closed: ['sitemap_missing'] },
    ...more,
  }
}

const en = (...parts: Parameters<typeof report>) => reportPage(report(...parts), 12, 'en')
/** What a reader sees of it. */
const text = (page: string) =>
  page
    .replace(/<style>[^]*<\/style>/, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')

test('a report says what was found', () => {
  const seen = text(en())
  for (const part of [
    'SEO report · The shop',
    'Crawl that ended on 1 July 2026 at 09:30 UTC',
    '87 B',
    'Major 7 Moderate 0 Minor 0',
    '2xx 39 3xx, redirects 1 4xx 1 5xx 0 no answer 1',
    '0 1 12 and more 41',
    '30 June 2026: 80 1 July 2026: 87',
    'mean score of 40 pages (those that may be indexed, and the broken ones) is 89.7',
    'multiplied by 0.97: sitemap_missing',
    'Rounded, this makes 87.',
    'Major title_missing · Pages: 7 · Points a page: 15',
    'How to fix it: Write a &lt;title&gt;',
    '6 more at GET /spider/12/issues/title_missing',
    'https://shop.example/slow 85 ms 1,200 ms 20.5 kB',
    'Duration 2 mins 10 secs',
  ])
    expect(seen).toContain(part)
})

test('in Italian too', () => {
  const page = reportPage(report(), 12, 'it')
  expect(page).toContain('<html lang="it">')
  expect(text(page)).toContain('Scansione terminata il 1 luglio 2026 alle ore 09:30 UTC')
  expect(text(page)).toContain('è 89,7')
  expect(page).toContain('<h3 lang="it">L’head non ha il titolo, o ne ha uno vuoto.</h3>')
})

test('a check that has no Italian words keeps its English ones, marked as such', () => {
  const page = reportPage(report({ findings: [finding({ code: 'x_new' })] }), 12, 'it')
  expect(page).toContain('<h3 lang="en">The head has no title.</h3>')
})

test('where findings are many, the dearest are told and the others listed', () => {
  const findings = Array.from({ length: 30 }, (_, at) => finding({ code: `code_${at}`, pages: 30 - at }))
  const page = en({ findings })
  expect(page.match(/class="finding /g)).toHaveLength(20)
  expect(page.match(/#code_\d+"/g)).toHaveLength(30)
})

describe('the state of the crawl', () => {
  const none = { pages: 0, indexable: 0, documents: 0, failed: 0, s2: 0, s3: 0, s4: 0, s5: 0 }
  const bare = { findings: [], depths: [], slowest: [], heaviest: [], history: [] }

  test('running, with pages: what there is, and no score', () => {
    const seen = text(
      en({ crawl: { status: 'crawling', newest_status: 'crawling', score: null, finished: null } }),
    )
    expect(seen).toContain('The crawl is still running')
    expect(seen).toContain('What to fix first')
    expect(seen).not.toContain('How the score is made')
    expect(seen).not.toContain('Crawl that ended')
  })

  test('running, without any page yet', () => {
    const crawl = {
      status: 'crawling',
      newest_status: 'crawling',
      score: null,
      started: null,
      finished: null,
    } as const
    const seen = text(en({ ...bare, crawl, totals: none }))
    expect(seen).toContain('No page has been read yet.')
    expect(seen).not.toContain('What to fix first')
    expect(seen).toContain('Start page https://shop.example/')
  })

  test('failed, with the reason', () => {
    const failure = 'No page answered: https://shop.example/<b> failed with dns.'
    const page = en({ ...bare, crawl: { status: 'failed', newest_status: 'failed', score: null, failure } })
    expect(text(page)).toContain(
      'The crawl failed. No page answered: https://shop.example/&lt;b&gt; failed with dns.',
    )
    expect(text(page)).toContain('No page could be judged')
  })

  test('crawled anew meanwhile', () =>
    expect(text(en({ crawl: { newest_status: 'crawling' } }))).toContain('A new crawl is running'))

  test('crawled anew without success', () => {
    const seen = text(en({ crawl: { newest_status: 'failed', newest_failure: 'No page answered.' } }))
    expect(seen).toContain('The newest crawl failed; the report is about the one before. No page answered.')
    expect(seen).toContain('Rounded, this makes 87.')
  })

  test('scored by other prices than today’s: nothing is explained wrongly', () => {
    const seen = text(en({ crawl: { score: 55 } }))
    expect(seen).toContain('made by an earlier version of the checks')
    expect(seen).not.toContain('mean score of')
  })
})

test('scores of different formulas are not joined by a line', () => {
  const history = [60, 70, null, 80, 90].map((score, at) => ({
    score,
    version: at < 2 ? 1 : 2,
    finished: AT + at * DAY_MS,
  }))
  const lines = [...en({ history }).matchAll(/points="([^"]*)"/g)].map(
    ([, points]) => points?.split(' ').length,
  )
  expect(lines).toEqual([2, 2])
})

describe('hostile sites', () => {
  const evil = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`
  const strange = {
    crawl: { name: evil, host: evil, failure: evil, start_url: `javascript:alert(1)//${evil}` },
    findings: [finding({ about: evil, fix: evil, examples: [evil, `https://shop.example/${evil}`] })],
    slowest: [{ ...page(`data:text/html,${evil}`), title: evil }],
    heaviest: [{ ...page('https://shop.example/'), title: evil }],
  }

  test.each(['it', 'en'] as const)('bring no markup of theirs into the report (%s)', (locale) => {
    const page = reportPage(report(strange), 12, locale)
    expect(page).not.toMatch(/<(script|img|iframe|object|form|base)\b/i)
    // Every attribute is one of ours: within a tag, text of theirs stands between double quotes.
    expect(page.replaceAll(/"[^"]*"/g, '')).not.toMatch(/<[^>]*\bon\w+=/i)
    expect(page).not.toMatch(/href="(?!https?:|data:,|#)/i)
  })

  test('make it no larger than a megabyte', () => {
    const long = `https://shop.example/${'&"'.repeat(5000)}`
    const findings = Array.from({ length: 300 }, (_, at) =>
      finding({ code: `code_${at}`, examples: Array.from({ length: 5 }, () => long) }),
    )
    const extremes = Array.from({ length: 10 }, () => ({ ...page(long), title: '&'.repeat(10_000) }))
    expect(en({ findings, slowest: extremes, heaviest: extremes }).length).toBeLessThan(1_000_000)
  })

  test.each([
    ['https://shop.example/?a=1&b="2"', '<a href="https://shop.example/?a=1&amp;b=&quot;2&quot;"'],
    ['javascript:alert(1)', '<bdi>javascript:alert(1)</bdi>'],
    ['data:text/html,x', '<bdi>data:text/html,x</bdi>'],
    [`https://shop.example/${'x'.repeat(600)}`, '<bdi>https://shop.example/xxx'],
  ])('%j is shown as what it is', (url, start) =>
    expect(address(url).text.slice(0, start.length)).toBe(start),
  )

  test('texts are cut by code points', () => {
    expect(cut('🦊'.repeat(160))).toBe('🦊'.repeat(160))
    expect(cut('🦊'.repeat(161))).toBe(`${'🦊'.repeat(159)}…`)
  })
})

test('the policy allows the style sheet that is there, and nothing else', () => {
  const [, style = ''] = /<style>([^]*)<\/style>/.exec(en()) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  expect(documentHeaders['Content-Security-Policy']).toContain(`style-src 'sha256-${hash}'`)
  expect(documentHeaders['Content-Security-Policy']).toContain(`default-src 'none'`)
  // What no style sheet of a hash covers would be blocked.
  expect(en()).not.toMatch(/\sstyle="/)
  expect(style).not.toMatch(/url\(|@import/)
})

test.each([
  [100, 'A'],
  [90, 'A'],
  [89, 'B'],
  [80, 'B'],
  [70, 'C'],
  [60, 'D'],
  [59, 'F'],
  [0, 'F'],
])('a score of %i is %s', (score, grade) => expect(gradeOf(score)).toBe(grade))

describe('the page of checks', () => {
  const check = {
    code: 'x_y',
    severity: 'minor',
    about: 'A <b>.',
    fix: 'Use `<i>`.',
    points: 0,
    scope: 'site',
  } as const

  test('has a place for each', () => {
    const page = checksPage([check, { ...check, code: 'z', points: 1 }])
    expect(page).toContain('<tr id="x_y">')
    expect(text(page)).toContain('x_y minor only informs A &lt;b&gt;. Use &lt;i&gt; . all pages together')
    expect(text(page)).toContain('z minor A &lt;b&gt;.')
  })

  test('says so while no worker has published any', () =>
    expect(text(checksPage([]))).toContain('No worker has run on this database yet'))

  test('has the formula', () => {
    const seen = text(checksPage([]))
    expect(seen).toContain('major 15 60 moderate 5 30 minor 1 10')
    expect(seen).toContain('sitemap_missing 0.97')
    expect(seen).toContain('A from 90')
  })
})
