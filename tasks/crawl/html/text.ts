import { hash } from 'node:crypto'

import * as kind from './characters.ts'
import type { Lexicon } from './lexicon.ts'

/** Texts in scripts without spaces are segmented up to this many characters; beyond it their words are estimated. */
const SEGMENTED = 20_000

/** Ends a block of text: a space that no sentence goes beyond. */
export const BLOCK = '\f'

const PLAIN = /^[!-~]+(?: [!-~]+)*$/

/** One line of text: whitespace collapsed, NFC, well formed, at most `limit` code points. Null when nothing is left. */
export function line(text: string, limit: number): string | null {
  if (text.length <= limit && PLAIN.test(text)) return text
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

export type Measure = {
  words: number
  /** With whitespace collapsed. */
  length: number
  /** Hash of the text in lower case, as signed int64; null when there is none. */
  key: string | null
  damaged: boolean
}

// What a module imports is looked up at each use, and this loop runs once for each letter of each page.
const { kinds, lowered, PART, HANGUL, SPACE, MID_LETTER, MID_BOTH, DENSE } = kind
/** FNV-1a. */
const SEED = 0x811c9dc5 | 0
const PRIME = 0x01000193

/** Counts words as `Intl.Segmenter` does; hashes the text; gives its words to `lexicon`. */
export function measure(text: string, lexicon: Lexicon): Measure {
  const units = unitsOf(text)
  const end = text.length
  let words = 0
  let length = 0
  let dense = ''
  let damaged = false
  let suspicious = false
  let inWord = false
  let isHangul = false
  for (let i = 0; i <= end;) {
    let what = kinds[units[i]!] || kind.kindOf(units[i]!)
    if (what <= HANGUL && what !== PART) {
      if (inWord && isHangul !== (what === HANGUL)) words++
      inWord = true
      isHangul = what === HANGUL
      const first = isHangul ? PART : 0
      const last = isHangul ? HANGUL : PART
      const from = length
      let hash = SEED
      do {
        const unit = lowered[units[i]!] || kind.lower(units[i]!)
        units[length++] = unit
        hash = Math.imul(hash ^ unit, PRIME)
        i++
        what = kinds[units[i]!] || kind.kindOf(units[i]!)
      } while (what >= first && what <= last)
      lexicon.add(units, from, length, hash)
      continue
    }
    const unit = units[i++]!
    if (what !== PART) {
      if (inWord && !(what >= MID_LETTER && what <= MID_BOTH && joins(what, units, length, units[i]!))) {
        inWord = false
        words++
      }
      if (unit > 0x7f) {
        const before = length > 0 ? units[length - 1]! : 0
        if (before === 0xe2 || before === 0xe3) suspicious = true
        if (unit === 0xfffd) damaged = true
      }
      if (what === DENSE) {
        dense += String.fromCharCode(unit)
        lexicon.addSign(unit)
        if (kind.kindOf(units[i]!) !== DENSE) dense += '\n'
      }
    }
    if (what !== SPACE) units[length++] = unit
    else if (length > 0 && units[length - 1] !== 0x20) units[length++] = 0x20
  }
  if (length > 0 && units[length - 1] === 0x20) length--
  if (dense) words += countDense(dense)
  if (suspicious && !damaged) damaged = MOJIBAKE.test(text)
  return { words, length, key: length === 0 ? null : keyOf(length), damaged }
}

let scratch = new Uint16Array(1 << 16)
let bytes = Buffer.from(scratch.buffer)

/** The code units of a text, the end of a block, and a space; to be overwritten. Good until the next call. */
export function unitsOf(text: string): Uint16Array {
  if (scratch.length < text.length + 2) {
    scratch = new Uint16Array(text.length * 2)
    bytes = Buffer.from(scratch.buffer)
  }
  bytes.write(text, 0, 'utf16le')
  scratch[text.length] = 0x0c
  scratch[text.length + 1] = 0x20
  return scratch
}

const keyOf = (length: number) =>
  hash('sha1', bytes.subarray(0, length * 2), 'buffer')
    .readBigInt64BE(0)
    .toString()

/** UTF-8 read as Windows-1252: `Ã©` for é, `â€™` for an apostrophe. */
const MOJIBAKE = /Ã[\u0080-\u00bf]|â€[\u0080-\u00bf\u0152\u0153\u02dc\u2013-\u2122]/

/** Whether a full stop, comma or apostrophe stands within a word or a number, which ends before `end`. */
function joins(what: number, units: Uint16Array, end: number, after: number): boolean {
  let last = end - 1
  while (kind.kindOf(units[last]!) === PART) last--
  const before = kind.kindOf(units[last]!)
  if (kind.kindOf(after) !== before) return false
  return before === kind.LETTER ? what !== kind.MID_DIGIT : before === kind.DIGIT && what !== kind.MID_LETTER
}

let segmenter: Intl.Segmenter | undefined

function countDense(text: string): number {
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' })
  const sample = text.slice(0, SEGMENTED)
  let words = 0
  for (const { isWordLike } of segmenter.segment(sample)) if (isWordLike) words++
  return Math.round((words * text.length) / sample.length)
}
