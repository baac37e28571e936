import { expect, test } from 'vitest'

import { hashKey, looksLikeKey, makeKey, maskKey } from '../../sql/keys.ts'

test('a key has its prefix, its length and its checksum', () => {
  const key = makeKey()
  expect(key).toMatch(/^seo_[0-9A-Za-z]{33}$/)
  expect(looksLikeKey(key)).toBe(true)
})

test('keys differ', () => {
  expect(new Set(Array.from({ length: 1000 }, makeKey)).size).toBe(1000)
})

test('every key of many passes its own check', () => {
  expect(Array.from({ length: 1000 }, makeKey).every(looksLikeKey)).toBe(true)
})

test('any one changed character is noticed', () => {
  const key = makeKey()
  const changed = Array.from(
    key,
    (character, at) => key.slice(0, at) + (character === 'a' ? 'b' : 'a') + key.slice(at + 1),
  )
  expect(changed.filter(looksLikeKey)).toEqual([])
})

test.each(['', 'seo_', 'Bearer', 'x'.repeat(37), `seo_${'0'.repeat(33)}`, `seo_${'é'.repeat(33)}`, '\0'])(
  'junk is refused: %j',
  (junk) => expect(looksLikeKey(junk)).toBe(false),
)

test('a key with something around it is no key', () => {
  const key = makeKey()
  const texts = [` ${key}`, `${key} `, `${key}\n`, key.slice(1), key.slice(0, -1)]
  expect(texts.filter(looksLikeKey)).toEqual([])
})

test('the hash is SHA-256', () => {
  expect(hashKey('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})

test('the mask keeps four characters at either end', () => {
  expect(maskKey('seo_ABCDEFGHwxyz')).toBe('seo_••••••••wxyz')
  const key = makeKey()
  expect(maskKey(key)).toHaveLength(key.length)
})
