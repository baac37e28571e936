import { describe, expect, test } from 'vitest'

import type { Example } from '../../tasks/crawl/checks/check.ts'
import { pageChecks, registry, responseChecks, siteChecks } from '../../tasks/crawl/checks/index.ts'
import { examine, type Visit } from '../../tasks/crawl/page.ts'
import { scored, scoreOf } from '../../tasks/crawl/score.ts'

/** A plain success at https://example.test/page, and what an example says of it. */
function visit(example: Example): Visit {
  const { url = 'https://example.test/page', ...given } =
    typeof example === 'string' ? { html: example } : example
  return {
    depth: 1,
    inSitemap: false,
    isStart: false,
    status: 200,
    fault: null,
    headers: {},
    contentType: 'text/html',
    bytes: 100,
    truncated: false,
    ttfbMs: 10,
    totalMs: 20,
    html: '',
    rendered: false,
    robotsAllowed: true,
    isInternal: (to) => to.host === 'example.test',
    ...given,
    url: new URL(url),
  }
}

describe.each([...responseChecks, ...pageChecks])('$code', ({ code, examples }) => {
  test.each(examples.bad)('finds %j', (example) => expect(examine(visit(example)).issues).toContain(code))
  test.each(examples.good)('passes %j', (example) =>
    expect(examine(visit(example)).issues).not.toContain(code),
  )
})

test('codes are unique', () => {
  const codes = registry.map(({ code }) => code)
  expect(codes.toSorted()).toEqual([...new Set(codes)].toSorted())
})

test('every check has a bad and a good example', () => {
  for (const { code, examples } of [...responseChecks, ...pageChecks, ...siteChecks])
    expect([code, examples.bad.length > 0, examples.good.length > 0]).toEqual([code, true, true])
})

test('there are more than 100 checks', () => expect(registry.length).toBeGreaterThan(100))

describe('score of a page', () => {
  const codes = (severity: 'major' | 'moderate' | 'minor', n: number) =>
    Array.from({ length: n }, (_, i) => scored[severity][i % scored[severity].length] ?? '')
  const score = (major: number, moderate: number, minor: number) =>
    scoreOf([...codes('major', major), ...codes('moderate', moderate), ...codes('minor', minor)])

  test('one major issue costs 15, one moderate 5, one minor 1', () => {
    expect([score(0, 0, 0), score(1, 0, 0), score(0, 1, 0), score(0, 0, 1)]).toEqual([100, 85, 95, 99])
  })

  test('minor issues alone never cost more than 10, all together never more than 100', () => {
    expect(score(0, 0, 99)).toBe(90)
    expect(score(99, 99, 99)).toBe(0)
  })

  test('another issue never raises it', () => {
    for (let n = 0; n < 500; n++) {
      const [a, b, c] = [n % 7, (n * 3) % 11, (n * 5) % 13]
      const before = score(a, b, c)
      expect(Math.max(score(a + 1, b, c), score(a, b + 1, c), score(a, b, c + 1))).toBeLessThanOrEqual(before)
    }
  })
})
