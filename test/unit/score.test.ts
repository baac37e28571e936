import { describe, expect, test } from 'vitest'

import { explainScore, explainSite, prices } from '../../sql/scores.ts'
import { registry } from '../../tasks/crawl/checks/index.ts'
import { pageScore, scored } from '../../tasks/crawl/score.ts'
import { randomOf } from '../support/random.ts'

const codes = registry.map(({ code }) => code)
const pick = (random: () => number, share: number) => codes.filter(() => random() < share)
const readable = { visit: { status: 200 } as never, isHtml: true, isBlocked: false }
const scoreOf = (issues: readonly string[]) => pageScore(readable, issues)!
const first = (severity: 'major' | 'moderate' | 'minor', count: number) => scored[severity].slice(0, count)

describe('score of a page', () => {
  test('one major issue costs 15, one moderate 5, one minor 1', () => {
    expect([
      scoreOf([]),
      scoreOf(first('major', 1)),
      scoreOf(first('moderate', 1)),
      scoreOf(first('minor', 1)),
    ]).toEqual([100, 85, 95, 99])
  })

  test('a severity costs 60, 30 and 10 at most', () => {
    expect([first('major', 4), first('major', 5)].map(scoreOf)).toEqual([40, 40])
    expect([first('moderate', 6), first('moderate', 7)].map(scoreOf)).toEqual([70, 70])
    expect([first('minor', 10), first('minor', 50)].map(scoreOf)).toEqual([90, 90])
    expect(scoreOf(codes)).toBe(0)
  })

  test('codes that only inform, or that nobody knows, cost nothing', () => {
    expect(scoreOf(['noindex', 'canonicalized', 'redirect_internal', 'unheard_of'])).toBe(100)
  })

  test('it stays within 0 and 100, another issue never raises it, order is nothing', () => {
    const random = randomOf(7)
    for (let n = 0; n < 1000; n++) {
      const issues = pick(random, random() * 0.3)
      const score = scoreOf(issues)
      expect(score).toBeGreaterThanOrEqual(0)
      expect(score).toBeLessThanOrEqual(100)
      const more = codes[Math.floor(random() * codes.length)]!
      expect(scoreOf([...issues, more])).toBeLessThanOrEqual(score)
      expect(scoreOf(issues.toReversed())).toBe(score)
    }
  })

  test('what cannot be read is 0, what is no page has none', () => {
    const score = (status: number, { isHtml = true, isBlocked = false } = {}) =>
      pageScore({ visit: { status } as never, isHtml, isBlocked }, [])
    expect([score(0), score(404), score(503, { isHtml: false }), score(200, { isBlocked: true })]).toEqual([
      0, 0, 0, 0,
    ])
    expect([score(301), score(200, { isHtml: false })]).toEqual([null, null])
    expect(score(200)).toBe(100)
  })
})

test('a page explains its score: points of each code, sums and limits of each severity', () => {
  const minor = (code: string) => ({ code, severity: 'minor' as const, points: 1 })
  const informs = { ...minor('informs'), points: 0 }
  const issues = [
    { code: 'a', severity: 'major' as const, points: 15 },
    informs,
    ...Array.from({ length: 12 }, (_, i) => minor(`m${i}`)),
  ]
  const page = { status: 200, isHtml: true, isBlocked: false }
  expect(explainScore(page, issues)).toEqual({
    score: 75,
    reason: 'issues',
    issues: issues.filter((issue) => issue !== informs),
    lost: {
      major: { points: 15, most: prices.major.most, counted: 15 },
      moderate: { points: 0, most: prices.moderate.most, counted: 0 },
      minor: { points: 12, most: 10, counted: 10 },
    },
  })
  expect(explainScore({ ...page, status: 500 }, issues)).toMatchObject({ score: 0, reason: 'unreadable' })
  expect(explainScore({ ...page, isBlocked: true }, issues)).toMatchObject({ score: 0, reason: 'blocked' })
  expect(explainScore({ ...page, status: 301 }, issues)).toMatchObject({ score: null, reason: 'no_page' })
})

describe('score of a site', () => {
  const score = (sums: Parameters<typeof explainSite>[0]) => explainSite(sums).score

  test('the mean, rounded; none of nothing', () => {
    expect(score({ pages: 0, points: 0, closed: ['https_missing'] })).toBe(null)
    // Two pages with a major issue each, three with two moderate ones, five clean.
    expect(score({ pages: 10, points: 2 * 85 + 3 * 90 + 500, closed: [] })).toBe(94)
    expect(score({ pages: 2, points: 199, closed: [] })).toBe(100)
    expect(score({ pages: 3, points: 0, closed: [] })).toBe(0)
  })

  test('faults of the whole multiply, unknown ones do not', () => {
    expect(score({ pages: 1, points: 100, closed: ['noindex_sitewide'] })).toBe(50)
    expect(score({ pages: 1, points: 100, closed: ['https_missing', 'noindex_sitewide'] })).toBe(40)
    expect(score({ pages: 1, points: 100, closed: ['title_missing'] })).toBe(100)
    expect(explainSite({ pages: 4, points: 350, closed: ['sitemap_missing', 'title_missing'] })).toEqual({
      score: 85,
      pages: 4,
      mean: 87.5,
      gates: [{ code: 'sitemap_missing', factor: 0.97 }],
    })
  })
})
