import { countryOf } from '../languages.ts'

type Locale = 'it' | 'en'

/** The two languages that the product speaks; any other gets English. */
const localeOf = (language: string): Locale => (language === 'it' ? 'it' : 'en')

/** Prompts about a brand when no engine proposes any: the topic's, without the name, then those that name it. */
export function visibilityTemplates(brand: string, topic: string | null, language: string): string[] {
  const locale = localeOf(language)
  return [...(topic ? topics[locale](topic) : []), ...brands[locale](brand)]
}

const topics: Record<Locale, (topic: string) => string[]> = {
  it: (topic) => [
    `Quali sono le migliori aziende per ${topic}?`,
    `Chi sono i leader di mercato per ${topic} in Italia?`,
    `A chi mi posso rivolgere per ${topic}?`,
    `Come si sceglie un fornitore affidabile per ${topic}?`,
    `Quanto costa ${topic} e chi ha il miglior rapporto qualità-prezzo?`,
    `Confronta le principali marche per ${topic}`,
  ],
  en: (topic) => [
    `What are the best companies for ${topic}?`,
    `Who are the market leaders in ${topic}?`,
    `Who can I turn to for ${topic}?`,
    `How do I choose a reliable provider for ${topic}?`,
    `How much does ${topic} cost, and who gives the best value for money?`,
    `Compare the main brands for ${topic}`,
  ],
}

const brands: Record<Locale, (brand: string) => string[]> = {
  it: (brand) => [
    `Che cos'è ${brand} e che cosa offre?`,
    `${brand} è affidabile? Opinioni e recensioni`,
    `Quali sono le migliori alternative a ${brand}?`,
    `Conviene scegliere ${brand}? Vantaggi e svantaggi`,
  ],
  en: (brand) => [
    `What is ${brand} and what does it offer?`,
    `Is ${brand} reliable? Reviews and opinions`,
    `What are the best alternatives to ${brand}?`,
    `Is ${brand} worth it? Pros and cons`,
  ],
}

/** Prompts that treat all participants alike, when no engine proposes any. */
export function comparisonTemplates(names: readonly string[], language: string): string[] {
  const locale = localeOf(language)
  const all = new Intl.ListFormat(locale, { type: 'disjunction' }).format(names)
  return locale === 'it'
    ? [
        `${all}: quale scegliere?`,
        `Chi è il migliore tra ${all}?`,
        ...names.map((name) => `Quali sono le migliori alternative a ${name}?`),
      ]
    : [
        `${all}: which one to choose?`,
        `Which is the best: ${all}?`,
        ...names.map((name) => `What are the best alternatives to ${name}?`),
      ]
}

/** Ways to ask for a keyword; the first is the keyword itself. */
export function keywordTemplates(keyword: string, language: string): string[] {
  return localeOf(language) === 'it'
    ? [keyword, `Che cosa devo sapere su «${keyword}»?`, `Quali siti e pagine consigli per «${keyword}»?`]
    : [
        keyword,
        `What should I know about “${keyword}”?`,
        `Which sites and pages do you recommend for “${keyword}”?`,
      ]
}

/** Asks an engine what people ask. */
export const ideaTemplate = (seed: string, language: string): string =>
  localeOf(language) === 'it'
    ? `Quali domande fanno le persone agli assistenti AI su «${seed}»? Elencane 20, una per riga, complete, di intento informativo, commerciale, di confronto e d'acquisto.`
    : `What do people ask AI assistants about “${seed}”? List 20 prompts, one a line, complete, of informational, commercial, comparison and transactional intent.` +
      (language === 'en'
        ? ''
        : ` Write them in the language of “${seed}” (${language}, ${countryOf(language)}).`)

/** Prompts around a seed that need no engine. */
export function seedTemplates(seed: string, language: string): string[] {
  return localeOf(language) === 'it'
    ? [
        `Che cos'è ${seed}?`,
        `Come funziona ${seed}?`,
        `Quali sono i vantaggi e gli svantaggi di ${seed}?`,
        `Qual è il miglior ${seed}?`,
        `Quanto costa ${seed}?`,
        `Quali sono le alternative a ${seed}?`,
        `Dove acquistare ${seed}?`,
      ]
    : [
        `What is ${seed}?`,
        `How does ${seed} work?`,
        `What are the pros and cons of ${seed}?`,
        `What is the best ${seed}?`,
        `How much does ${seed} cost?`,
        `What are the alternatives to ${seed}?`,
        `Where to buy ${seed}?`,
      ]
}
