import { Shingles } from '../simhash.ts'
import { stopWords } from './stop-words.ts'

/** Shorter words say little. */
const LETTERS = 3
/** Words that agree so far are forms of one: shoe and shoes, scarpa and scarpe. */
const SHORT_STEM = 4
const STEM = 5
/** A word that occurs this often is repeated. */
const REPEATED = 5
/** Different words counted of one text; the rest are known, but not counted. */
const COUNTED = 1 << 15

/** FNV-1a. */
const SEED = 0x811c9dc5 | 0
const PRIME = 0x01000193
/** Of the code units of a word. */
const hashOf = (word: string) => {
  let hash = SEED
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), PRIME)
  return hash
}
const stops = new Set(stopWords.map(hashOf))

// One page is read at a time, so all share these.
const USUAL = 1 << 13
let words = new Int32Array(USUAL)
let counts = new Uint32Array(USUAL)
const stems = new Uint8Array(1 << 13)

/** The words of one page: which there are, and how often the main text repeats them. */
export class Lexicon {
  #different = 0
  /** Slots of words that are repeated. */
  #repeated: number[] = []
  /** Words are counted until this is false; then they are only remembered. */
  counts = true
  readonly shingles = new Shingles()

  constructor() {
    if (words.length > USUAL) {
      words = new Int32Array(USUAL)
      counts = new Uint32Array(USUAL)
    }
    words.fill(0)
    counts.fill(0)
    stems.fill(0)
  }

  /** The next word of the text: where its lower-case code units are, and their hash. */
  add(units: Uint16Array, from: number, to: number, hash: number) {
    if (this.counts) this.shingles.add(hash)
    if (to - from < LETTERS || (isDigit(units[from]!) && isDigit(units[to - 1]!))) return
    let stem = SEED
    const end = Math.min(to, from + SHORT_STEM)
    for (let i = from; i < end; i++) stem = Math.imul(stem ^ units[i]!, PRIME)
    learn(stem)
    if (to > end) learn(Math.imul(stem ^ units[end]!, PRIME))
    if (this.counts) this.#count(hash)
  }

  /** A sign that is a word by itself. */
  addSign(unit: number) {
    if (this.counts) this.shingles.add(unit)
  }

  /** How often the most frequent word occurs that is no stop word; 0 when none is repeated. */
  get mostRepeated(): number {
    return this.#repeated.reduce(
      (most, at) => (stops.has(words[at]!) ? most : Math.max(most, counts[at]!)),
      0,
    )
  }

  has(word: string) {
    return knows(hashOf(word.slice(0, word.length > STEM ? STEM : SHORT_STEM)))
  }

  /** The share of a text's words that the page has too, in some form; null when it has fewer than two that say something. */
  shareOf(text: string): number | null {
    let [all, known] = [0, 0]
    for (const [word] of text.toLowerCase().matchAll(WORD)) {
      if (word.length < LETTERS || !LETTER.test(word) || stops.has(hashOf(word))) continue
      all++
      if (this.has(word)) known++
    }
    return all < 2 ? null : known / all
  }

  #count(word: number): void {
    const mask = words.length - 1
    let at = (word ^ (word >>> 15)) & mask
    while (words[at] !== word) {
      if (words[at] === 0) {
        if (this.#different >= COUNTED) return
        if (++this.#different * 2 > words.length) {
          this.#grow()
          return this.#count(word)
        }
        words[at] = word
        break
      }
      at = (at + 1) & mask
    }
    if (++counts[at]! === REPEATED) this.#repeated.push(at)
  }

  #grow() {
    const [oldWords, oldCounts] = [words, counts]
    words = new Int32Array(oldWords.length * 2)
    counts = new Uint32Array(words.length)
    const mask = words.length - 1
    this.#repeated = []
    this.#different = 0
    for (let i = 0; i < oldWords.length; i++) {
      const word = oldWords[i]!
      if (word === 0) continue
      let at = (word ^ (word >>> 15)) & mask
      while (words[at] !== 0) at = (at + 1) & mask
      words[at] = word
      counts[at] = oldCounts[i]!
      this.#different++
      if (counts[at]! >= REPEATED) this.#repeated.push(at)
    }
  }
}

const WORD = /[\p{Alphabetic}\p{M}\p{Nd}]+/gu
const LETTER = /\D/

const isDigit = (unit: number) => unit >= 0x30 && unit <= 0x39

function learn(stem: number) {
  stems[stem >>> 19]! |= 1 << ((stem >>> 16) & 7)
}

const knows = (stem: number) => (stems[stem >>> 19]! & (1 << ((stem >>> 16) & 7))) !== 0
