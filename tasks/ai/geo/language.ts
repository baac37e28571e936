import { detectLanguage } from '../languages.ts'
import type { Passages } from './passages.ts'

export type Language = 'it' | 'en'

/** Characters looked at of a page that does not say its language. */
const TEXT = 5_000

/** Italian or English, as the page says or else as its text reads; null for any other language. */
export function languageOf(lang: string | null, { blocks }: Passages): Language | null {
  const said = lang?.split('-', 1)[0]?.trim().toLowerCase()
  const found =
    said ||
    detectLanguage(
      blocks
        .map(({ text }) => text)
        .join(' ')
        .slice(0, TEXT),
    )
  return found === 'it' || found === 'en' ? found : null
}
