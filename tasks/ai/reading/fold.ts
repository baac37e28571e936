/** Words are written together with these alone where a script has no spaces between words. */
const DENSE =
  '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]'
/** What a word is made of; next to it no other word begins or ends. Of a `v` regular expression. */
export const PART = `[[\\p{L}\\p{N}\\p{M}_]--${DENSE}]`

/** Accents, soft hyphens and the like, which one writer sets and another leaves out. */
const DROPPED = /[\u0300-\u036f\p{Cf}]/gu
/** Signs whose compatibility form would grow onto the word before: ™ would make `AcmeTM`, a note's number `Acme1`. */
const SIGNS = /[\u00b2\u00b3\u00b9\u2070-\u209f\u2120\u2122\u00a9\u00ae\u24c5\u2117]/g

/** A text as it is compared: without case, accents and variants of width, apostrophe and hyphen. */
export const fold = (text: string): string =>
  text
    .replace(SIGNS, ' ')
    .normalize('NFKD')
    .replace(DROPPED, '')
    .replace(/[\u2018\u2019\u02bc`\u00b4]/g, "'")
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .toUpperCase()
    .toLowerCase()

/** What tells two texts apart: their words alone, one space between them. */
export const keyOf = (text: string): string =>
  fold(text)
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim()
