import type { Reading } from './html/reading.ts'

/**
 * How easy a text is to read, about 0 to 100: in English Flesch's reading ease, in Italian the Gulpease index. Null for
 * any other language, and for a text without sentences.
 */
export function readability({ sentences, words, letters, syllables }: Reading, lang: string | undefined) {
  if (sentences === 0) return null
  if (lang === 'en') return 206.835 - (1.015 * words) / sentences - (84.6 * syllables) / words
  return lang === 'it' ? 89 + (300 * sentences - 10 * letters) / words : null
}
