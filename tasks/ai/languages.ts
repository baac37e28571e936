import { stopWordLists } from '../crawl/html/stop-words.ts'
import { fold } from './reading/fold.ts'

/** Short words, and those that prompts are made of; the lists for whole texts have neither. */
const more: Record<string, string> = {
  it: 'il lo la le gli un e o di da in su al ai ed è i miglior migliore migliori qual quale quali cosa cos costa prezzo prezzi economico economici vicino confronto recensioni opinioni conviene consigliato differenza significato scegliere comprare acquistare quanti quante posso devo',
  en: 'a an the of to in on is it my do i or and best top cheap cheapest near me price prices review reviews compare vs versus buy between difference should affordable',
  de: 'der im am an zu es wo was wer beste besten bester günstig vergleich kaufen kosten preis welche welcher welches warum',
  fr: 'le la un du de et ou en au à meilleur meilleure meilleurs meilleures quel quelle quels quelles prix avis comment pourquoi acheter combien',
  es: 'el la un y o de en al mejor mejores cuál cual qué precio barato opiniones cómo comprar dónde cuánto cuesta',
  pt: 'o a um e ou de em no na melhor melhores qual quais preço barato comprar onde quanto custa',
  nl: 'de en of in op te is beste goedkoop welke prijs kopen hoe waar waarom vergelijken',
}
const words = Object.entries(stopWordLists).map(([language, list]) => ({
  language,
  words: new Set(`${list} ${more[language] ?? ''}`.split(' ').map(fold)),
}))

/** What people and forms call languages. */
const names: Record<string, RegExp> = {
  it: /^(italian[oa]?|ita)$/,
  en: /^(english|inglese|eng)$/,
  de: /^(german|deutsch|tedesc[oa]|ger|deu)$/,
  fr: /^(french|francais|francese|fra|fre)$/,
  es: /^(spanish|espanol|spagnol[oa]|spa)$/,
  pt: /^(portuguese|portugues|portoghese|por)$/,
  nl: /^(dutch|nederlands|olandese|nld|dut)$/,
}
const english = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** The ISO 639-1 code of a language by its code, tag or name; null for what is none. */
export function languageOf(given: string): string | null {
  const name = fold(given).trim()
  const known = Object.keys(names).find((code) => names[code]?.test(name))
  const code = known ?? /^([a-z]{2})(?:[-_]\w+)*$/.exec(name)?.[1]
  return code !== undefined && english.of(code) !== undefined ? code : null
}

/** The language of a text by the words that every text of it is full of; null when they do not tell. */
export function detectLanguage(text: string): string | null {
  const own = fold(text).match(/[\p{L}\p{M}]+/gu) ?? []
  const counts = words
    .map(({ language, words }) => ({ language, count: own.filter((word) => words.has(word)).length }))
    .toSorted((a, b) => b.count - a.count)
  const [best, second] = counts
  return best && best.count > (second?.count ?? 0) ? best.language : null
}

/** ISO 3166-1 alpha-2: where most of those live who write a language. */
export function countryOf(language: string): string {
  const region = new Intl.Locale(language).maximize().region
  // Esperanto is the whole world's, which has a number.
  return region !== undefined && /^[A-Z]{2}$/.test(region) ? region : 'US'
}

/** A language's English name, for instructions. */
export const nameOf = (language: string): string => english.of(language) ?? 'English'
