/** What a UTF-16 code unit does to the words around it (Unicode Standard Annex 29, word boundaries). */
export const SPACE = 1
export const LETTER = 2
export const DIGIT = 3
/** Belongs to the sign before it: combining marks, soft hyphens, second halves of pairs; and the underscore. */
export const PART = 4
/** Joins letters; joins digits; joins both. */
export const MID_LETTER = 5
export const MID_DIGIT = 6
export const MID_BOTH = 7
/** Written without spaces: Han, kana, Thai, Lao, Khmer, Burmese. */
export const DENSE = 8
/** Hangul: letters, but never in one word with others. */
export const HANGUL = 9
export const OTHER = 10

const kinds = new Uint8Array(1 << 16)
const lowered = new Uint16Array(1 << 16)

/** One of the kinds above. */
export function kindOf(unit: number): number {
  return kinds[unit] || (kinds[unit] = classify(unit))
}

/** In lower case, where that is one code unit too. */
export function lower(unit: number): number {
  if (unit < 0x80) return unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit
  return lowered[unit] || (lowered[unit] = lowerOf(unit))
}

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
