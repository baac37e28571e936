import { describe, expect, test } from 'vitest'

import { windowOf } from '../../api/seo/account-reports.ts'
import { percentage, rounded } from '../../tasks/reports/rounding.ts'
import { countryCode } from '../../tasks/upstream/google/countries.ts'
import { faultOf } from '../../tasks/upstream/google/faults.ts'

test.each([
  [1.005, 2, 1.01],
  [2.5, 0, 3],
  [-2.5, 0, -3],
  [7.45, 1, 7.5],
  [7.449999, 1, 7.4],
  [0.05, 1, 0.1],
  [1.4999999999999999e-7, 2, 0],
  [1.5e21, 1, 1.5e21],
  [12, 0, 12],
  [0, 1, 0],
])('%d to %i decimals is %d', (value, decimals, expected) => {
  expect(rounded(value, decimals)).toBe(expected)
})

test.each([
  [0.12345, 2, 12.35],
  [0.035_294_117_647, 2, 3.53],
  [0.10005, 2, 10.01],
  [0.6135, 1, 61.4],
  [1, 2, 100],
  [1e-7, 2, 0],
  [0.000_05, 2, 0.01],
])('the fraction %d in percent, to %i decimals, is %d', (fraction, decimals, expected) => {
  expect(percentage(fraction, decimals)).toBe(expected)
})

test.each([
  ['2026-11-21T10:00:00Z', 28, 3, '2026-10-22', '2026-11-18'],
  ['2026-11-21T10:00:00Z', 28, 1, '2026-10-24', '2026-11-20'],
  ['2026-11-21T10:00:00Z', 7, 1, '2026-11-14', '2026-11-20'],
  ['2026-11-21T10:00:00Z', 90, 3, '2026-08-21', '2026-11-18'],
  ['2027-01-01T00:00:00Z', 7, 1, '2026-12-25', '2026-12-31'],
  ['2026-12-31T23:59:59.999Z', 7, 1, '2026-12-24', '2026-12-30'],
  ['2027-01-02T12:00:00Z', 7, 3, '2026-12-24', '2026-12-30'],
  ['2028-03-03T00:00:00Z', 7, 3, '2028-02-23', '2028-02-29'],
  ['2027-03-03T00:00:00Z', 7, 3, '2027-02-22', '2027-02-28'],
  // Where clocks are put forward or back, a day has not 24 hours; in UTC it has.
  ['2026-03-30T00:30:00+02:00', 7, 1, '2026-03-22', '2026-03-28'],
  ['2026-10-26T00:30:00+01:00', 7, 1, '2026-10-18', '2026-10-24'],
])('at %s the %i days that ended %i days ago are %s to %s', (now, days, ago, start, end) => {
  expect(windowOf(days, ago, Date.parse(now))).toEqual({ start, end })
})

test.each([
  ['IT', 'ita'],
  ['it', 'ita'],
  ['ITA', 'ita'],
  ['gb', 'gbr'],
  ['ZW', 'zwe'],
  ['AD', 'and'],
  ['qq', 'qq'],
  ['zzz', 'zzz'],
])('the country %s is %s', (given, expected) => {
  expect(countryCode(given)).toBe(expected)
})

describe('faults of Google', () => {
  const envelope = (message: string, reason?: string) =>
    JSON.stringify({ error: { code: 0, message, ...(reason && { errors: [{ reason, domain: 'x' }] }) } })
  const waits: [string, number, string, string | undefined, string, boolean][] = [
    ['a wrong token', 401, envelope('Invalid Credentials', 'authError'), undefined, 'auth', false],
    ['a site of others', 403, envelope('No permission', 'forbidden'), undefined, 'auth', false],
    [
      'too many in a second',
      429,
      envelope('QPS quota exceeded', 'rateLimitExceeded'),
      undefined,
      'rate',
      true,
    ],
    ['the same as 403', 403, envelope('Too fast', 'userRateLimitExceeded'), undefined, 'rate', true],
    ['with a short wait', 429, envelope('Too fast'), '2', 'rate', true],
    ['with a long wait', 429, envelope('Too fast'), '3600', 'rate', false],
    ['concurrent requests', 429, envelope('Exhausted concurrent requests quota.'), undefined, 'rate', true],
    ['tokens of the hour', 429, envelope('Exhausted property tokens per hour.'), undefined, 'rate', false],
    ['the load', 429, envelope('Search Analytics load quota exceeded.', 'x'), undefined, 'rate', false],
    ['the day', 403, envelope('Daily Limit Exceeded', 'dailyLimitExceeded'), undefined, 'rate', false],
    ['a quota', 403, envelope('Quota exceeded', 'quotaExceeded'), undefined, 'rate', false],
    ['a bad question', 400, envelope('Bad dimension', 'invalidParameter'), undefined, 'input', false],
    ['nothing there', 404, '<html>Not Found</html>', undefined, 'input', false],
    ['its own failure', 500, envelope('Internal'), undefined, 'temporary', true],
    ['a gateway', 502, '<html>Bad Gateway</html>', undefined, 'temporary', true],
    ['away', 503, '', '120', 'temporary', false],
    ['what no envelope is', 429, '{"error":"rate"}', undefined, 'rate', true],
  ]

  test.each(waits)('%s', (_what, status, text, retryAfter, kind, isTriedAgain) => {
    const fault = faultOf({ status, text, retryAfter }, 1)
    expect([fault.kind, fault.retryAfterMs !== undefined]).toEqual([kind, isTriedAgain])
    const { message } =
      (JSON.parse(text.startsWith('{') ? text : '{}') as { error?: { message?: string } }).error ?? {}
    expect(fault.message).toBe(message ?? `HTTP ${status}`)
  })

  test('pauses grow', () => {
    const pause = (run: number) =>
      faultOf({ status: 500, text: '', retryAfter: undefined }, run).retryAfterMs ?? 0
    expect(pause(1)).toBeLessThan(800)
    expect(pause(2)).toBeGreaterThan(800)
  })

  test('what PostgreSQL cannot hold, and what never ends, is not in a message', () => {
    const text = envelope(`a\0b\uD800${'c'.repeat(10_000)}`)
    const { message } = faultOf({ status: 400, text, retryAfter: undefined }, 1)
    expect(message).toMatch(/^ab\uFFFDc+$/)
    expect(message).toHaveLength(300)
  })

  test('who has not consented to it is told to', () => {
    const text = envelope('Request had insufficient authentication scopes.', 'insufficientPermissions')
    const fault = faultOf({ status: 403, text, retryAfter: undefined }, 1)
    expect(fault.message).toContain('insufficient authentication scopes. Connect the account again')
    expect(fault.kind).toBe('auth')
  })
})
