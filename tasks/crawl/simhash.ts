/** Words of a shingle. */
const SHINGLE = 3
/** A text with fewer shingles is like many others by chance. */
const SHINGLES = 30
/** Shingles read of one text. */
const MOST = 50_000
/** Hashes of one text by which others are looked for. */
export const SAMPLE = 24
/** The signature: so many permutations of the shingles, each cut into so many bins. */
const PERMUTATIONS = [0x9e3779b1, 0x85ebca77]
const BINS = 512
export const SIGNATURE = PERMUTATIONS.length * BINS

/** What is kept of a text to find others like it. */
export type Likeness = {
  /** Charikar's 64-bit simhash of its shingles, as signed int64: texts that are alike differ in few bits. */
  simhash: string
  /** The smallest distinct hashes of its shingles, as signed int32, ascending. */
  sample: number[]
  /**
   * 1-bit minwise hashes (Li and König 2010; one permutation hashing, Shrivastava and Li 2014) as 1024 bits in hex: two
   * texts of Jaccard similarity J differ in (1 - J) / 2 of them, which tells it to ±0.02.
   */
  signature: string
}

// One page is read at a time, so all share these: the two halves of each shingle's hash, counters of their bits, and the
// smallest hash of each bin.
let high = new Int32Array(1 << 12)
let low = new Int32Array(1 << 12)
const counters = new Int32Array(17)
const smallest = new Uint32Array(SIGNATURE)
const EMPTY = 2 ** 32 - 1

/** Gathers the runs of three words of one text, given one word after the other. */
export class Shingles {
  #before = 0
  #last = 0
  #words = 0

  /** The next word: its hash, or the code unit of a sign that is a word by itself. */
  add(word: number) {
    const hash = mix(word)
    const at = ++this.#words - SHINGLE
    if (at >= 0 && at < MOST) {
      if (at === high.length) grow()
      const whole = Math.imul(this.#before, 0x9e3779b1) + Math.imul(this.#last, 0x85ebca77) + hash
      low[at] = mix(whole)
      high[at] = mix(Math.imul(whole ^ this.#last, 0x27d4eb2f))
    }
    this.#before = this.#last
    this.#last = hash
  }

  /** Null when the text is too short. */
  likeness(): Likeness | null {
    const count = Math.min(MOST, this.#words - SHINGLE + 1)
    return count < SHINGLES
      ? null
      : { simhash: simhash(count), sample: sample(count), signature: signature(count) }
  }
}

const simhash = (count: number) =>
  ((BigInt(majority(high, count)) << 32n) | BigInt(majority(low, count) >>> 0)).toString()

/** Each bit is that of most hashes. The 32 counters are kept bit by bit, so that one addition serves them all. */
function majority(hashes: Int32Array, count: number): number {
  counters.fill(0)
  for (let i = 0; i < count; i += 2) {
    const one = hashes[i]!
    const two = i + 1 < count ? hashes[i + 1]! : 0
    const zero = counters[0]!
    counters[0] = zero ^ one ^ two
    let carry = (zero & one) | (zero & two) | (one & two)
    for (let n = 1; carry !== 0; n++) {
      const both = counters[n]! & carry
      counters[n]! ^= carry
      carry = both
    }
  }
  let bits = 0
  for (let bit = 0; bit < 32; bit++) {
    let ones = 0
    for (let n = 0; n < counters.length; n++) ones += ((counters[n]! >>> bit) & 1) << n
    if (ones * 2 > count) bits |= 1 << bit
  }
  return bits
}

/** Hashes are evenly spread, so the smallest are looked for below a bound that leaves a few times as many. */
function sample(count: number): number[] {
  const bound = count <= SAMPLE * 4 ? 2 ** 31 : -(2 ** 31) + ((SAMPLE * 4) / count) * 2 ** 32
  const few: number[] = []
  for (let i = 0; i < count; i++) if (low[i]! < bound) few.push(low[i]!)
  const found = distinct(Int32Array.from(few))
  // A text that repeats itself has fewer distinct ones.
  return found.length === SAMPLE || few.length === count ? found : distinct(low.slice(0, count))
}

function distinct(hashes: Int32Array): number[] {
  const found: number[] = []
  for (const hash of hashes.toSorted())
    if (found.length === SAMPLE) break
    else if (hash !== found.at(-1)) found.push(hash)
  return found
}

function signature(count: number): string {
  smallest.fill(EMPTY)
  for (const [n, factor] of PERMUTATIONS.entries()) {
    const first = n * BINS
    for (let i = 0; i < count; i++) {
      const hash = Math.imul(high[i]! ^ (low[i]! >>> n), factor)
      const bin = first + (hash >>> 23)
      const value = (hash << 9) >>> 9
      if (value < smallest[bin]!) smallest[bin] = value
    }
  }
  const bits = new Uint8Array(SIGNATURE / 8)
  for (let bin = 0; bin < SIGNATURE; bin++) if (bitOf(bin)) bits[bin >> 3]! |= 0x80 >> (bin & 7)
  return Buffer.from(bits).toString('hex')
}

/** An empty bin takes the bit of the next that is not, told apart by how far that is. */
function bitOf(bin: number): number {
  const first = bin & -BINS
  let steps = 0
  while (smallest[first + ((bin + steps) & (BINS - 1))] === EMPTY) steps++
  return mix(smallest[first + ((bin + steps) & (BINS - 1))]! + Math.imul(steps, 0x85ebca77)) & 1
}

function grow() {
  const [longerHigh, longerLow] = [new Int32Array(high.length * 2), new Int32Array(low.length * 2)]
  longerHigh.set(high)
  longerLow.set(low)
  high = longerHigh
  low = longerLow
}

/** MurmurHash3's finalizer. */
function mix(hash: number): number {
  let h = hash
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
