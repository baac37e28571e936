import { hash } from 'node:crypto'

/** Texts in scripts without spaces are segmented up to this many characters; beyond it their words are estimated. */
const SEGMENTED = 20_000

/** One line of text: whitespace collapsed, NFC, well formed, at most `limit` code points. Null when nothing is left. */
export function line(text: string, limit: number): string | null {
  const whole = text.length > limit * 8 ? text.slice(0, limit * 8) : text
  const tidy = whole.replace(/\s+/g, ' ').trim().toWellFormed().normalize('NFC')
  if (tidy.length <= limit) return tidy || null
  const points = [...tidy]
  return points.length <= limit ? tidy : points.slice(0, limit).join('')
}

export const length = (text: string | null) => {
  let points = 0
  // oxlint-disable-next-line no-unused-vars
  for (const _ of text ?? '') points++
  return points
}

export type Measure = { words: number; length: number; key: string | null; damaged: boolean }

let scratch = new Uint16Array(1 << 16)

/** Counts the words of a text and hashes it (as signed int64) with whitespace collapsed and ASCII in lower case. */
export function measure(text: string): Measure {
  if (scratch.length < text.length) scratch = new Uint16Array(text.length * 2)
  const out = scratch
  const end = text.length
  let words = 0
  let length = 0
  let inWord = false
  let damaged = false
  let suspicious = false
  let dense = ''
  for (let i = 0; i < end; i++) {
    let c = text.charCodeAt(i)
    if (c <= 0x20 || (c >= 0xa0 && isSpace(c))) {
      if (inWord) words++
      inWord = false
      if (length > 0 && out[length - 1] !== 0x20) out[length++] = 0x20
      continue
    }
    if (c < 0x80) {
      if (c >= 0x41 && c <= 0x5a) c |= 0x20
      if ((c >= 0x61 && c <= 0x7a) || (c >= 0x30 && c <= 0x39)) inWord = true
    } else if (isDense(c)) {
      if (inWord) words++
      inWord = false
      dense += text[i]
      if (i + 1 === end || !isDense(text.charCodeAt(i + 1))) dense += '\n'
    } else {
      if (c === 0xfffd) damaged = true
      else if (c === 0xc3 || c === 0xe2) suspicious = true
      if (isLetter(c)) inWord = true
    }
    out[length++] = c
  }
  if (inWord) words++
  if (length > 0 && out[length - 1] === 0x20) length--
  if (dense) words += countDense(dense)
  if (suspicious && !damaged) damaged = MOJIBAKE.test(text)
  const bytes = new Uint8Array(out.buffer, 0, length * 2)
  const key = length === 0 ? null : hash('sha1', bytes, 'buffer').readBigInt64BE(0).toString()
  return { words, length, key, damaged }
}

/** UTF-8 read as Windows-1252: `Ã©` for é, `â€™` for an apostrophe. */
const MOJIBAKE = /Ã[\u0080-\u00bf]|â€[\u0080-\u00bf\u0152\u0153\u02dc\u2013-\u2122]/

const isSpace = (c: number) =>
  c === 0xa0 ||
  c === 0x1680 ||
  (c >= 0x2000 && c <= 0x200b) ||
  c === 0x2028 ||
  c === 0x2029 ||
  c === 0x202f ||
  c === 0x205f ||
  c === 0x3000 ||
  c === 0xfeff

/** Han, kana, Thai, Lao, Khmer, Burmese: written without spaces. */
const isDense = (c: number) =>
  c >= 0x0e00 &&
  ((c >= 0x3041 && c <= 0x30ff) ||
    (c >= 0x3400 && c <= 0x9fff) ||
    c <= 0x0eff ||
    (c >= 0x1000 && c <= 0x109f) ||
    (c >= 0x1780 && c <= 0x17ff) ||
    (c >= 0xf900 && c <= 0xfaff) ||
    (c >= 0xff66 && c <= 0xff9f))

/** Neither punctuation, symbols, emoji nor the second half of a pair. */
const isLetter = (c: number) =>
  c < 0x2010
    ? c >= 0xc0
      ? c !== 0xd7 && c !== 0xf7
      : c === 0xaa || c === 0xb5 || c === 0xba
    : c >= 0x2c00 &&
      !(c >= 0x2e00 && c <= 0x303f) &&
      !(c >= 0xd83c && c <= 0xd83e) &&
      !(c >= 0xdc00 && c <= 0xf8ff) &&
      !(c >= 0xfe10 && c <= 0xfe6f) &&
      !(c >= 0xff00 && c <= 0xff0f) &&
      c !== 0xfffd

let segmenter: Intl.Segmenter | undefined

function countDense(text: string): number {
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' })
  const sample = text.slice(0, SEGMENTED)
  let words = 0
  for (const { isWordLike } of segmenter.segment(sample)) if (isWordLike) words++
  return Math.round((words * text.length) / sample.length)
}
