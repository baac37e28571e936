/** Words that questions begin with, as regular expressions of RE2 and JavaScript alike; lower case. */
const words: Record<string, string> = {
  it: 'come|cosa|cos|che cosa|perch[eé]|quando|dove|chi|qual|quale|quali|quanto|quanta|quanti|quante|a cosa|in che|si pu[oò]',
  en: 'how|what|what.s|why|when|where|who|whose|which|can|could|is|are|do|does|did|should|will|would',
  de: 'wie|was|warum|wieso|weshalb|wann|wo|woher|wohin|wer|wem|wen|welche|welcher|welches|wieviel|kann|ist|sind',
  fr: 'comment|quoi|pourquoi|quand|o[uù]|qui|quel|quelle|quels|quelles|combien|est-ce|qu.est|peut-on|que',
  es: 'c[oó]mo|qu[eé]|por qu[eé]|cu[aá]ndo|d[oó]nde|qui[eé]n|qui[eé]nes|cu[aá]l|cu[aá]les|cu[aá]nto|cu[aá]nta|cu[aá]ntos|cu[aá]ntas',
  pt: 'como|o que|que|por que|porque|quando|onde|quem|qual|quais|quanto|quanta|quantos|quantas',
  nl: 'hoe|wat|waarom|wanneer|waar|wie|welke|welk|hoeveel|kan|is',
  pl: 'jak|co|dlaczego|kiedy|gdzie|kto|kt[oó]ry|kt[oó]ra|kt[oó]re|ile|czy',
}

/** Matches a keyword, in lower case, that is a question in this language, or in English. */
export function questionPattern(languageCode: string): string {
  const own = words[languageCode.split('-')[0] ?? '']
  const all = own && own !== words['en'] ? `${own}|${words['en']}` : words['en']
  return `^(${all})(\\s|$)`
}

export function isQuestion(keyword: string, languageCode: string): boolean {
  return keyword.includes('?') || new RegExp(questionPattern(languageCode), 'u').test(keyword.toLowerCase())
}
