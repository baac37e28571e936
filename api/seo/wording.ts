import type { Locale } from '../titles.ts'
import italian from './checks.it.json' with { type: 'json' }

type Worded = { code: string; about: string; fix: string }

const translated: Record<string, readonly string[] | undefined> = italian

/** A check in words of a locale, in English where there are none; `lang` is the language they are in. */
export function worded<C extends Worded>(check: C, locale: Locale): C & { lang: Locale } {
  const [about, fix] = (locale === 'it' && translated[check.code]) || []
  if (about === undefined || fix === undefined) return { ...check, lang: 'en' }
  return { ...check, about, fix, lang: 'it' }
}
