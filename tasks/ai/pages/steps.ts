import type { Source } from '../reading/sources.ts'
import type { Comparison } from './comparison.ts'

type Locale = 'it' | 'en'
export type Step = { id: string; priority: 'high' | 'medium' | 'low'; text: string }
type Situation = {
  keyword: string
  page: URL
  found: { cited: boolean; host_cited: boolean; retrieved: boolean; best_rank: number | null }
  comparison: Comparison
  sources: readonly Source[]
  /** The page of the same host that is cited instead. */
  other: string | null
  locale: Locale
}

/** Hosts named in one step. */
const NAMED = 5

/** What to do so that engines cite the page, the weightiest first. */
export function stepsFor({ keyword, page, found, comparison, sources, other, locale }: Situation): Step[] {
  const say = words[locale]
  const others = sources.filter(({ own }) => !own).slice(0, NAMED)
  const hosts = others.map(({ host }) => host).join(', ')
  const steps: (Step | false)[] = [
    comparison.page === null && step('unreachable', 'high', say.unreachable(page.href)),
    found.host_cited &&
      !found.cited &&
      other !== null &&
      step('other_page', 'high', say.other_page(other, keyword)),
    found.retrieved && !found.host_cited && step('retrieved', 'high', say.retrieved(keyword)),
    !found.retrieved && step('unknown', 'high', say.unknown(keyword)),
    ...comparison.missing.map(({ feature, theirs }) =>
      step(feature, WEIGHTY.has(feature) ? 'high' : 'medium', say.features[feature](keyword, theirs)),
    ),
    comparison.missing_terms.length > 0 &&
      step('terms', 'medium', say.terms(comparison.missing_terms.join(', '))),
    !found.cited && hosts !== '' && step('sources', 'medium', say.sources(hosts)),
    found.cited && (found.best_rank ?? 1) > 1 && step('rank', 'low', say.rank(found.best_rank ?? 1)),
    found.cited && step('keep', 'low', say.keep),
  ]
  const order = ['high', 'medium', 'low']
  return steps
    .filter((one) => one !== false)
    .toSorted((a, b) => order.indexOf(a.priority) - order.indexOf(b.priority))
}

const step = (id: string, priority: Step['priority'], text: string): Step => ({ id, priority, text })
const WEIGHTY = new Set(['title', 'headings_about', 'opening_answer'])

type Wording = Record<
  'unreachable' | 'retrieved' | 'unknown' | 'terms' | 'sources',
  (value: string) => string
> & {
  other_page(url: string, keyword: string): string
  rank(rank: number): string
  keep: string
  features: Record<
    Comparison['missing'][number]['feature'],
    (keyword: string, theirs: readonly number[]) => string
  >
}

const words: Record<Locale, Wording> = {
  it: {
    unreachable: (url) =>
      `La pagina ${url} non si può leggere: deve rispondere 200 con HTML, senza login e senza bloccare i crawler.`,
    other_page: (url, keyword) =>
      `I motori citano ${url} invece di questa pagina: unisci i contenuti, o collegala da lì con «${keyword}» nel testo del link.`,
    retrieved: (keyword) =>
      `I motori trovano il sito ma non lo citano: metti all'inizio una risposta diretta a «${keyword}», di 40-80 parole, che si capisca da sola.`,
    unknown: (keyword) =>
      `I motori non trovano il sito per «${keyword}»: verifica che la pagina sia indicizzata, che robots.txt ammetta i crawler AI e che altre pagine la colleghino.`,
    terms: (terms) => `Tratta gli aspetti che le risposte e le pagine citate nominano e la tua no: ${terms}.`,
    sources: (hosts) => `Fatti citare dove i motori si informano: ${hosts}.`,
    rank: (rank) =>
      `La pagina è citata, ma al più in posizione ${rank}: aggiorna i dati e rendi la risposta più breve e verificabile.`,
    keep: 'La pagina è citata: mantienila aggiornata, con la data di modifica visibile, e ripeti il test tra qualche settimana.',
    features: {
      title: (keyword) => `Il titolo non nomina «${keyword}»: mettilo all'inizio del <title>.`,
      headings_about: (keyword) =>
        `Nessun titolo di sezione riguarda «${keyword}»: aggiungi un H2 che lo nomini.`,
      opening_answer: (keyword) =>
        `Manca una risposta in apertura: un paragrafo di 20-120 parole su «${keyword}» tra i primi della pagina.`,
      question_headings: () =>
        'Scrivi alcuni titoli di sezione come le domande che fanno le persone, con la risposta subito sotto.',
      headings: () => 'Dividi il testo in sezioni con titoli H2 e H3: i motori citano passaggi, non pagine.',
      lists: () => 'Aggiungi elenchi per passi, criteri o opzioni: le pagine citate ne hanno.',
      tables: () => 'Aggiungi una tabella di confronto o di dati: le pagine citate ne hanno.',
      structured_data: () =>
        'Aggiungi dati strutturati JSON-LD (Article, Product, FAQPage o Organization, secondo la pagina).',
      dates: () => 'Mostra la data di pubblicazione e di modifica, anche nei dati strutturati.',
      author: () => "Indica l'autore con nome e pagina, nel testo e nei dati strutturati.",
      statistics: () => 'Porta numeri verificabili: misure, prezzi, percentuali, con la fonte.',
      source_links: () => 'Cita e collega le fonti di ciò che affermi.',
      length: (_, theirs) =>
        `La pagina è molto più corta di quelle citate (${theirs.join(', ')} parole): approfondisci l'argomento.`,
    },
  },
  en: {
    unreachable: (url) =>
      `The page ${url} cannot be read: it must answer 200 with HTML, without a login and without blocking crawlers.`,
    other_page: (url, keyword) =>
      `Engines cite ${url} instead of this page: merge the two, or link it from there with “${keyword}” in the link text.`,
    retrieved: (keyword) =>
      `Engines find the site but do not cite it: open with a direct answer to “${keyword}”, 40 to 80 words that stand alone.`,
    unknown: (keyword) =>
      `Engines do not find the site for “${keyword}”: check that the page is indexed, that robots.txt lets AI crawlers in, and that other pages link to it.`,
    terms: (terms) => `Cover what the answers and the cited pages speak of and yours does not: ${terms}.`,
    sources: (hosts) => `Get mentioned where engines inform themselves: ${hosts}.`,
    rank: (rank) =>
      `The page is cited, but at best in place ${rank}: bring its facts up to date, and make the answer shorter and verifiable.`,
    keep: 'The page is cited: keep it up to date with a visible date of change, and test again in some weeks.',
    features: {
      title: (keyword) => `The title does not name “${keyword}”: put it at the beginning of the <title>.`,
      headings_about: (keyword) => `No section heading is about “${keyword}”: add an H2 that names it.`,
      opening_answer: (keyword) =>
        `There is no answer at the beginning: put a paragraph of 20 to 120 words on “${keyword}” among the first.`,
      question_headings: () =>
        'Word some section headings as the questions people ask, with the answer right below.',
      headings: () => 'Divide the text into sections with H2 and H3: engines cite passages, not pages.',
      lists: () => 'Add lists of steps, criteria or options: the cited pages have them.',
      tables: () => 'Add a table that compares or gives data: the cited pages have one.',
      structured_data: () =>
        'Add JSON-LD structured data (Article, Product, FAQPage or Organization, as fits the page).',
      dates: () => 'Show the dates of publication and change, in the structured data too.',
      author: () => 'Name the author, with a page about them, in the text and in the structured data.',
      statistics: () => 'Give numbers that can be checked: measures, prices, percentages, with their source.',
      source_links: () => 'Name and link the sources of what you state.',
      length: (_, theirs) =>
        `The page is much shorter than the cited ones (${theirs.join(', ')} words): go deeper.`,
    },
  },
}
