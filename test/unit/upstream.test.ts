import { afterEach, expect, test, vi } from 'vitest'

import { faultOf } from '../../tasks/upstream/dataforseo/faults.ts'
import { isOn } from '../../tasks/upstream/keyword-data.ts'

afterEach(() => void vi.useRealTimers())

test.each([
  [40102, 'empty', false],
  [40100, 'auth', false],
  [40204, 'auth', false],
  [40200, 'funds', false],
  [40210, 'funds', false],
  [40202, 'rate', true],
  [40209, 'rate', true],
  [40205, 'rate', false],
  [40101, 'temporary', true],
  [50301, 'temporary', true],
  [59999, 'temporary', true],
  [40602, 'pending', false],
  [40501, 'input', false],
  [40403, 'input', false],
])('%i is a fault of the kind %s, tried again: %j', (code, kind, isTriedAgain) => {
  const fault = faultOf(code, 'What the source says.')
  expect([fault.kind, fault.retryAfterMs !== undefined]).toEqual([kind, isTriedAgain])
  expect(fault.message).toBe(`${code} What the source says.`)
})

test.each([0, 10, 29, 31, 59])(
  'too many calls at second %i: in the next minute at the second wait',
  (second) => {
    vi.useFakeTimers({ now: second * 1000 })
    for (let wait = 0; wait < 2; wait++) {
      const { retryAfterMs = Infinity } = faultOf(40202, '')
      expect(retryAfterMs).toBeLessThanOrEqual(30_000)
      vi.advanceTimersByTime(retryAfterMs)
    }
    expect(Date.now()).toBeGreaterThanOrEqual(60_000)
  },
)

test.each([
  ['https://shop.example/a', true],
  ['https://www.SHOP.example:8443', true],
  ['http://a.b.shop.example./', false],
  ['https://notshop.example/', false],
  ['https://shop.example.evil.test/', false],
  ['https://other.test/?u=shop.example', false],
  ['https://shop.example@other.test/', false],
  ['', false],
  [null, false],
])('%s lies on shop.example: %j', (url, expected) => {
  expect(isOn('shop.example', url)).toBe(expected)
})
