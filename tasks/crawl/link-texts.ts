/** Vague texts are shorter, with all that is taken off their ends. */
const LONGEST = 40

/** Link texts that say nothing about where they lead, by language; compared as a whole, in lower case. */
const vague: Record<string, string> = {
  de: 'hier|hier klicken|klicken sie hier|klick hier|mehr|mehr erfahren|mehr lesen|mehr infos|weiterlesen|weiter lesen|lesen sie mehr|link|diese seite|details',
  en: 'click here|click this|click|go|here|information|learn more|more|more info|more information|read more|right here|see more|start|this|this page|link|continue|continue reading|details|find out more',
  es: 'aquí|aqui|haz clic aquí|haga clic aquí|clic aquí|pincha aquí|click aquí|más|mas|leer más|leer mas|más información|ver más|saber más|enlace|esta página|continuar leyendo|este',
  fr: "ici|cliquez ici|cliquer ici|clic ici|en savoir plus|lire plus|lire la suite|plus|plus d’infos|plus d'infos|voir plus|suite|lien|cette page|détails",
  it: 'qui|clicca qui|clicca|fai clic qui|premi qui|leggi|leggi tutto|leggi di più|leggi ancora|continua|continua a leggere|scopri|scopri di più|scopri di piu|di più|altro|vai|vedi|vedi tutto|maggiori informazioni|più informazioni|approfondisci|questa pagina|questo|link|dettagli',
  nl: 'hier|klik hier|lees meer|meer|meer lezen|meer informatie|link|deze pagina|lees verder',
  pl: 'tutaj|tu|kliknij tutaj|kliknij|więcej|czytaj więcej|czytaj dalej|dowiedz się więcej|link',
  pt: 'aqui|clique aqui|clica aqui|mais|leia mais|ler mais|saiba mais|mais informações|ver mais|link|esta página|continuar lendo',
  sv: 'här|klicka här|läs mer|mer|mer information|länk',
}

const byLanguage = new Map(Object.entries(vague).map(([lang, texts]) => [lang, new Set(texts.split('|'))]))
const english = byLanguage.get('en')!
const all = new Set([...byLanguage.values()].flatMap((texts) => [...texts]))

/** The vague link texts of a page in this language: its own and the English ones, or all when it is not known. */
export function vagueTexts(lang: string | null): (text: string) => boolean {
  const primary = lang?.split('-', 1)[0]!.toLowerCase()
  const own = primary ? byLanguage.get(primary) : all
  return (text) => {
    if (text.length > LONGEST) return false
    const short = tidy(text)
    return english.has(short) || (own?.has(short) ?? false)
  }
}

const tidy = (text: string) => text.toLowerCase().replace(/[\s.…»>→:!]+$|^[\s«<←]+/g, '')
