import { describe, expect, test } from 'vitest'

import {
  clamped,
  clampedQuery,
  datetime,
  id,
  name,
  oneOf,
  reference,
  text,
  truthy,
} from '../../api/fields.ts'

const REFUSED = Symbol('refused')
type Schema = { safeParse(value: unknown): { success: boolean; data?: unknown } }
const read = (schema: Schema, value: unknown) => {
  const { success, data } = schema.safeParse(value)
  return success ? data : REFUSED
}

test.each([
  ['1', 1],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ['9007199254740993', REFUSED],
  ['99999999999999999999', REFUSED],
  ['0', REFUSED],
  ['-1', REFUSED],
  ['01', REFUSED],
  ['1.5', REFUSED],
  ['1e3', REFUSED],
  ['abc', REFUSED],
  [' 1', REFUSED],
  ['1\0', REFUSED],
])('id %j', (given, wanted) => expect(read(id, given)).toBe(wanted))

test.each([
  ['7', 7],
  [' 7 ', 7],
  [7, 7],
  ['abc', 0],
  ['-3', 0],
  ['0x10', 0],
  ['1e1', 0],
  ['1.0', 0],
  ['99999999999999999999', 0],
  [undefined, REFUSED],
  ['', REFUSED],
  [['7'], REFUSED],
])('reference %j', (given, wanted) => expect(read(reference, given)).toBe(wanted))

describe('clamped', () => {
  test.each([
    [5, 5],
    ['5', 5],
    [5.9, 5],
    ['5.9', 5],
    [' 5 ', 5],
    [0, 1],
    [-4, 1],
    ['1e2', 50],
    [1e308, 50],
    ['9'.repeat(400), 50],
    [undefined, 10],
    [null, 10],
    ['', 10],
    ['abc', REFUSED],
    ['5x', REFUSED],
    [true, REFUSED],
    [[5], REFUSED],
    [{}, REFUSED],
  ])('%j in a body', (given, wanted) => expect(read(clamped(1, 50, 10), given)).toBe(wanted))

  test('without a default, absent is undefined', () =>
    expect(read(clamped(1, 50), undefined)).toBeUndefined())

  test.each([
    ['5', 5],
    ['0', 1],
    ['1000', 50],
    [['5', '6'], 6],
    ['abc', 10],
    ['', 10],
    [undefined, 10],
    [{ a: '1' }, 10],
  ])('%j in a query', (given, wanted) => expect(read(clampedQuery(1, 50, 10), given)).toBe(wanted))
})

test.each([
  [true, true],
  [1, true],
  ['1', true],
  ['TRUE', true],
  ['On', true],
  [' yes ', true],
  [false, false],
  [0, false],
  ['0', false],
  ['False', false],
  ['off', false],
  ['NO', false],
  ['', false],
  [null, false],
  ['maybe', REFUSED],
  [2, REFUSED],
  [[], REFUSED],
  [{}, REFUSED],
])('truthy %j', (given, wanted) => expect(read(truthy(true), given)).toBe(wanted))

test('an absent boolean is its default', () => {
  expect(read(truthy(), undefined)).toBe(false)
  expect(read(truthy(true), undefined)).toBe(true)
})

test.each([
  ['  a  ', 'a'],
  ['x'.repeat(300), 'x'.repeat(255)],
  ['😀'.repeat(300), '😀'.repeat(255)],
  ['   ', REFUSED],
  ['', REFUSED],
  [undefined, REFUSED],
  [null, REFUSED],
  [5, REFUSED],
  [['a'], REFUSED],
])('name %j', (given, wanted) => expect(read(name, given)).toBe(wanted))

test.each([
  [' a ', 'a'],
  ['abcdef', 'abcd'],
  [undefined, ''],
  [null, ''],
  [5, REFUSED],
])('text %j', (given, wanted) => expect(read(text(4), given)).toBe(wanted))

test.each([
  ['turbo', 'turbo'],
  ['Turbo', 'fast'],
  [7, 'fast'],
  [undefined, 'fast'],
])('oneOf %j', (given, wanted) => expect(read(oneOf(['fast', 'turbo'], 'fast'), given)).toBe(wanted))

test('times are UTC', () =>
  expect(datetime.parse(Date.UTC(2026, 6, 1, 9, 5, 7, 999))).toBe('2026-07-01 09:05:07'))
