import * as kind from './characters.ts'
import { unitsOf } from './text.ts'

/** Words of a sentence; a label of fewer is none. */
const SENTENCE = 3
const VOWELS = new Uint8Array(0x80)
for (const vowel of 'aeiouyAEIOUY') VOWELS[vowel.charCodeAt(0)] = 1

/** What the sentences of a text add up to; what ends without a full stop, such as menus and labels, is none. */
export type Reading = { sentences: number; words: number; letters: number; syllables: number }

// As in text.ts, looked up once.
const { kinds, DIGIT, PART, SPACE } = kind

/** Counts the sentences of a text, and what is in them; syllables as in English, by groups of vowels. */
export function read(text: string): Reading {
  const units = unitsOf(text)
  const end = text.length
  const all: Reading = { sentences: 0, words: 0, letters: 0, syllables: 0 }
  let words = 0
  let letters = 0
  let syllables = 0
  for (let i = 0; i <= end;) {
    let what = kinds[units[i]!] || kind.kindOf(units[i]!)
    if (what <= DIGIT) {
      const from = i
      let groups = 0
      let wasVowel = 0
      do {
        const isVowel = VOWELS[units[i]!] ?? 0
        groups += isVowel & ~wasVowel
        wasVowel = isVowel
        i++
        what = kinds[units[i]!] || kind.kindOf(units[i]!)
      } while (what <= PART)
      words++
      letters += i - from
      // The last e of a word is silent.
      syllables += groups > 1 && units[i - 1] === 0x65 ? groups - 1 : groups || 1
      continue
    }
    const unit = units[i++]!
    const isStopped = isStop(unit) && kind.kindOf(units[i]!) === SPACE
    if (words === 0 || !(isStopped || unit === 0x0c)) continue
    if (isStopped && words >= SENTENCE) {
      all.sentences++
      all.words += words
      all.letters += letters
      all.syllables += syllables
    }
    words = letters = syllables = 0
  }
  return all
}

/** Full stop, exclamation and question mark, ellipsis. */
const isStop = (unit: number) => unit === 0x2e || unit === 0x21 || unit === 0x3f || unit === 0x2026
