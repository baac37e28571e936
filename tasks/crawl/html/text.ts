import { hash } from 'node:crypto'

import * as kind from './characters.ts'
import type { Lexicon } from './lexicon.ts'

/** Texts in scripts without spaces are segmented up to this many characters; beyond it their words are estimated. */
const SEGMENTED = 20_000
/** Words of a sentence; a label of fewer is none. */
const SENTENCE = 3

/** Ends a block of text: a space that no sentence goes beyond. */
export const BLOCK = '\f'

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

/** What the sentences of a text add up to; what ends without a full stop, such as menus and labels, is none. */
export type Reading = { sentences: number; words: number; letters: number; syllables: number }

export type Measure = {
  words: number
  /** With whitespace collapsed. */
  length: number
  /** Hash of the text in lower case, as signed int64; null when there is none. */
  key: string | null
  damaged: boolean
  reading: Reading
  /** The text in lower case with whitespace collapsed; good until the next text is measured. */
  units: Uint16Array
}

let scratch = new Uint16Array(1 << 16)

/** Counts words as `Intl.Segmenter` does, and sentences; hashes the text; gives its words to `lexicon`. */
export function measure(text: string, lexicon: Lexicon): Measure {
  if (scratch.length < text.length) scratch = new Uint16Array(text.length * 2)
  const out = scratch
  const end = text.length
  const reading: Reading = { sentences: 0, words: 0, letters: 0, syllables: 0 }
  let [words, length, dense, damaged, suspicious] = [0, 0, '', false, false]
  // The word that is open: its letters and groups of vowels; the kind of its last sign.
  let [inWord, last, letters, groups, wasVowel, final] = [false, 0, 0, 0, false, 0]
  let [ofSentence, lettersOfSentence, syllablesOfSentence] = [0, 0, 0]
  for (let i = 0; i <= end; i++) {
    const unit = i < end ? text.charCodeAt(i) : 0x0c
    const c = kind.lower(unit)
    const what = kind.kindOf(unit)
    if (what === kind.LETTER || what === kind.DIGIT || what === kind.HANGUL) {
      if (inWord && (what === kind.HANGUL) !== (last === kind.HANGUL)) words++
      inWord = true
      last = what
      letters++
      const isVowel = c < 0x80 && (VOWELS & (1 << (c - 0x61))) !== 0 && c >= 0x61
      if (isVowel && !wasVowel) groups++
      wasVowel = isVowel
      if (c === 0xe3 || c === 0xe2) suspicious = true
      lexicon.add(c, what !== kind.DIGIT)
      final = c
    } else if (what !== kind.PART) {
      const joins = inWord && what >= kind.MID_LETTER && what <= kind.MID_BOTH && joined(text, i, what, last)
      if (inWord && !joins) {
        inWord = false
        words++
        ofSentence++
        lettersOfSentence += letters
        syllablesOfSentence += Math.max(1, final === 0x65 && groups > 1 ? groups - 1 : groups)
        letters = groups = 0
        wasVowel = false
      }
      lexicon.end()
      if (what === kind.DENSE) {
        dense += text[i]
        lexicon.addSign(c)
        if (i + 1 === end || kind.kindOf(text.charCodeAt(i + 1)) !== kind.DENSE) dense += '\n'
      } else if (c === 0xfffd) damaged = true
      const isStopped = isStop(c) && (i + 1 >= end || kind.kindOf(text.charCodeAt(i + 1)) === kind.SPACE)
      if (ofSentence > 0 && (isStopped || c === 0x0c)) {
        if (isStopped && ofSentence >= SENTENCE) {
          reading.sentences++
          reading.words += ofSentence
          reading.letters += lettersOfSentence
          reading.syllables += syllablesOfSentence
        }
        ofSentence = lettersOfSentence = syllablesOfSentence = 0
      }
      if (what === kind.SPACE) {
        if (length > 0 && out[length - 1] !== 0x20) out[length++] = 0x20
        continue
      }
    }
    out[length++] = c
  }
  if (length > 0 && out[length - 1] === 0x20) length--
  if (dense) words += countDense(dense)
  if (suspicious && !damaged) damaged = MOJIBAKE.test(text)
  const units = out.subarray(0, length)
  const bytes = new Uint8Array(out.buffer, 0, length * 2)
  const key = length === 0 ? null : hash('sha1', bytes, 'buffer').readBigInt64BE(0).toString()
  return { words, length, key, damaged, reading, units }
}

/** UTF-8 read as Windows-1252: `Ã©` for é, `â€™` for an apostrophe. */
const MOJIBAKE = /Ã[\u0080-\u00bf]|â€[\u0080-\u00bf\u0152\u0153\u02dc\u2013-\u2122]/

/** a, e, i, o, u and y as bits. */
const VOWELS = 0b1_0001_0000_0100_0001_0001_0001

/** Full stop, exclamation and question mark, ellipsis. */
const isStop = (c: number) => c === 0x2e || c === 0x21 || c === 0x3f || c === 0x2026

/** Whether a full stop, comma or apostrophe at `i` stands within a word or a number. */
function joined(text: string, i: number, what: number, last: number): boolean {
  const next = i + 1 < text.length ? kind.kindOf(text.charCodeAt(i + 1)) : kind.SPACE
  if (next !== last || last === kind.HANGUL) return false
  return last === kind.LETTER ? what !== kind.MID_DIGIT : what !== kind.MID_LETTER
}

let segmenter: Intl.Segmenter | undefined

function countDense(text: string): number {
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' })
  const sample = text.slice(0, SEGMENTED)
  let words = 0
  for (const { isWordLike } of segmenter.segment(sample)) if (isWordLike) words++
  return Math.round((words * text.length) / sample.length)
}
