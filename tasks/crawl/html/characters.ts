/** What a UTF-16 code unit does to the words around it (Unicode Standard Annex 29, word boundaries). */
export const LETTER = 1
export const DIGIT = 2
/** Belongs to the sign before it: combining marks, soft hyphens, second halves of pairs; and the underscore. */
export const PART = 3
/** Letters, but never in one word with others. */
export const HANGUL = 4
export const SPACE = 5
/** Joins letters; joins digits; joins both. */
export const MID_LETTER = 6
export const MID_DIGIT = 7
export const MID_BOTH = 8
/** Written without spaces: Han, kana, Thai, Lao, Khmer, Burmese. */
export const DENSE = 9
export const OTHER = 10

/** The kind of each code unit that has been met; 0 for others. Loops read it themselves: that is twice as fast. */
export const kinds = new Uint8Array(1 << 16)
/** The code unit in lower case; 0 likewise. */
export const lowered = new Uint16Array(1 << 16)

/** The kind of a code unit. */
export const kindOf = (unit: number) => kinds[unit] || (kinds[unit] = classify(unit))

/** A code unit in lower case; itself, where that is not one code unit. */
export const lower = (unit: number) => lowered[unit] || (lowered[unit] = lowerOf(unit))

function classify(unit: number): number {
  const sign = String.fromCharCode(unit)
  if (unit <= 0x20 || unit === 0x200b || /\s/.test(sign)) return SPACE
  if (unit >= 0xd800 && unit <= 0xdfff) return classifyHalf(unit)
  if (/[:\u00b7\u0387\u055f\u05f4\u2027\ufe13\ufe55\uff1a]/.test(sign)) return MID_LETTER
  if (/[,;\u037e\u0589\u060c\u060d\u066c\u07f8\u2044\ufe10\ufe14\ufe50\ufe54\uff0c\uff1b]/.test(sign))
    return MID_DIGIT
  if (/['.\u2018\u2019\u2024\ufe52\uff07\uff0e]/.test(sign)) return MID_BOTH
  if (/[\p{M}\p{Cf}\p{Pc}]/u.test(sign)) return PART
  if (/\p{Nd}/u.test(sign)) return DIGIT
  if (isDense(unit)) return DENSE
  if (/\p{Script=Hangul}/u.test(sign)) return HANGUL
  return /\p{Alphabetic}/u.test(sign) ? LETTER : OTHER
}

/** First halves decide for their pair: historic scripts and mathematical letters, emoji, rare Han. */
function classifyHalf(unit: number): number {
  if (unit >= 0xdc00) return PART
  if (unit >= 0xd840 && unit <= 0xd88d) return DENSE
  return unit >= 0xd83c && unit <= 0xd83e ? OTHER : LETTER
}

const isDense = (unit: number) =>
  (unit >= 0x0e00 && unit <= 0x0eff) ||
  (unit >= 0x1000 && unit <= 0x109f) ||
  (unit >= 0x1780 && unit <= 0x17ff) ||
  (unit >= 0x3041 && unit <= 0x30ff) ||
  (unit >= 0x3400 && unit <= 0x9fff) ||
  (unit >= 0xf900 && unit <= 0xfaff) ||
  (unit >= 0xff66 && unit <= 0xff9f)

function lowerOf(unit: number): number {
  const small = String.fromCharCode(unit).toLowerCase()
  return small.length === 1 ? small.charCodeAt(0) : unit
}
