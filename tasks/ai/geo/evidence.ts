import { isWwwTwin } from '../../crawl/scope.ts'

/** Examples kept of what was found. */
const KEPT = 20

/** Numbers that say something: with a unit, a currency, or of how many. */
const STATISTIC = new RegExp(
  [
    String.raw`(?<![\w.,])\d[\d.,' ]{0,15}\s?(%|‰|€|\$|£|(per cento|per mille|percent|euro|eur|usd|dollars?|km²?|kg|mq|m²|m2|ms|kwh|mwh|gb|tb|mb|million[ei]?|miliard[oi]|billions?|thousand|mila|ann[oi]|years?|mes[ei]|months?|giorn[oi]|days?|ore|hours?|minut[oi]|minutes?|client[ei]|customers?|utent[ei]|users?|person[ae]|people|aziende|companies|student[ei]|students|ettari|hectares|gradi|degrees)\b)`,
    String.raw`[€$£]\s?\d[\d.,]*`,
    String.raw`\b\d+\s(su|out of|in)\s\d+\b`,
  ].join('|'),
  'gi',
)

/** Phrases that say where a statement comes from. */
const ATTRIBUTION =
  /\b(secondo (uno|una|un|il|lo|la|i|gli|le|l['’]|quanto|i dati)|in base ai dati|stando a|come (riporta|riferisce|spiega|afferma|dichiara)|(fonte|fonti|source|sources):|dati (dell['’]|del|della|di|istat|eurostat)|according to|(study|survey|report|research) (by|from|published)|(studio|ricerca|indagine|rapporto) (del|della|dell['’]|di|pubblicat[oa])|as reported by|data from)/gi

/** Hosts that pages link to in order to be shared or followed, not to name a source. */
const SOCIAL =
  /(^|\.)(facebook|instagram|linkedin|pinterest|tiktok|twitter|x|youtube|whatsapp|telegram|threads|snapchat)\.(com|net|org|me)$|^(t\.me|wa\.me|bit\.ly|youtu\.be|g\.page|maps\.app\.goo\.gl)$/

export const statisticsIn = (text: string): string[] => found(text, STATISTIC)
export const attributionsIn = (text: string): string[] => found(text, ATTRIBUTION)

const found = (text: string, pattern: RegExp) => {
  const matches = new Set<string>()
  for (const [match] of text.matchAll(pattern)) {
    matches.add(match.replace(/\s+/g, ' ').trim().toLowerCase())
    if (matches.size >= KEPT) break
  }
  return [...matches]
}

/** The hosts outside the site that a text points to, each once. */
export function sourcesIn(links: readonly string[], page: URL): string[] {
  const hosts = links.flatMap((href) => {
    const url = URL.parse(href, page.href)
    const isOutside =
      url && /^https?:$/.test(url.protocol) && url.host !== page.host && !isWwwTwin(url.host, page.host)
    return isOutside && !SOCIAL.test(url.hostname) ? [url.host] : []
  })
  return [...new Set(hosts)].slice(0, KEPT)
}

const OPENINGS =
  /^(come|cosa|che cosa|che|perché|perche|quando|quanto|quanta|quanti|quante|quale|quali|qual è|dove|chi|how|what|why|when|where|which|who|whose)\s/i
/** A question without its mark has so many words at least: “Chi siamo” asks nothing. */
const WORDS = 4

/** Whether a heading asks what people ask, in Italian or English, or in any language with a question mark. */
export const isQuestion = (text: string): boolean =>
  /[?？؟]\s*$/.test(text) || (OPENINGS.test(text) && text.split(/\s+/).length >= WORDS)
