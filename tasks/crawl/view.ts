import { isChallenge } from './challenge.ts'
import type { Alternate, Facts } from './facts.ts'
import { directives, reference } from './html/head.ts'
import type { Visit } from './page.ts'
import { isSoft404 } from './soft-404.ts'
import { type Survey, surveyLinks } from './survey.ts'
import { normalise } from './url.ts'

/** One answer as checks see it. */
export type Answer = {
  visit: Visit
  /** Null when the answer is not HTML, or not a success. */
  facts: Facts | null
  ok: boolean
  isHtml: boolean
  /** A bot challenge or a refusal instead of the page. */
  isBlocked: boolean
  redirect: string | null
  /** Robots directives of `X-Robots-Tag` for all robots or for Googlebot. */
  headerRobots: string[]
  /** `Link: rel=canonical`. */
  headerCanonical: string | null
  canonical: string | null
  /** Language versions, of the head and of `Link` headers. */
  alternates: Alternate[]
  /** The canonical address is another than the page's own. */
  isCanonicalised: boolean
  isNoindex: boolean
  isIndexable: boolean
}

/** An HTML page that answered with success and is what it should be, as checks see it. */
export type Page = Answer & {
  facts: Facts
  links: Survey
  h1s: string[]
  words: number
  /** It says that it is not there. */
  isMissing: boolean
}

const HTML = /^(text\/html|application\/xhtml\+xml)$/i
/** Language versions read of `Link` headers. */
const ALTERNATES = 500
const REFUSALS = [401, 403, 407, 429]

export function viewAnswer(visit: Visit, facts: Facts | null): Answer {
  const { status, headers, url } = visit
  const ok = status >= 200 && status < 300
  const isHtml = visit.html !== null || HTML.test(visit.contentType ?? '')
  const isBlocked = REFUSALS.includes(status) || isChallenge(visit, facts)
  const location = status >= 300 && status < 400 ? headers['location'] : undefined
  const headerRobots = robotsHeader(headers['x-robots-tag'] ?? '')
  const headerCanonical = ok ? canonicalHeader(headers['link'] ?? '', url) : null
  const canonical = facts?.canonicals.find((canonical) => canonical.url !== null)?.url ?? headerCanonical
  const isCanonicalised = canonical !== null && canonical !== url.href
  const isNoindex = ok && [...headerRobots, ...(facts?.robots ?? [])].some(forbidsIndex)
  return {
    visit,
    facts,
    ok,
    isHtml,
    isBlocked,
    redirect: location === undefined ? null : (normalise(location, url)?.href ?? null),
    headerRobots,
    headerCanonical,
    canonical,
    alternates: [...(facts?.alternates ?? []), ...(ok ? alternatesHeader(headers['link'] ?? '', url) : [])],
    isCanonicalised,
    isNoindex,
    isIndexable: ok && isHtml && !isBlocked && !isNoindex && visit.robotsAllowed && !isCanonicalised,
  }
}

/** The page of an answer; null when there is nothing to judge: no success, no HTML, an empty body, a challenge. */
export function viewPage(answer: Answer): Page | null {
  const { visit, facts, ok, isBlocked } = answer
  if (!facts || !ok || isBlocked || visit.html === null || visit.html.trim() === '') return null
  const h1s = facts.headings.filter(({ level, text }) => level === 1 && text !== '').map(({ text }) => text)
  return {
    ...answer,
    facts,
    h1s,
    links: surveyLinks(facts, visit.url, visit.isInternal),
    words: facts.text.words,
    isMissing: isSoft404(facts, h1s, answer.isNoindex),
  }
}

const forbidsIndex = (directive: string) => directive === 'noindex' || directive === 'none'

/** `googlebot: noindex, otherbot: nofollow`: a name holds until the next; directives with values are no names. */
function robotsHeader(value: string): string[] {
  if (value === '') return []
  let concerns = true
  return directives(value).flatMap((directive) => {
    const [, agent, rest = ''] = /^([a-z][\w-]*)\s*:\s*(.*)$/.exec(directive) ?? []
    if (agent === undefined || /^(max-|unavailable_after)/.test(agent)) return concerns ? [directive] : []
    concerns = agent === 'googlebot' || agent === 'robots'
    return concerns && rest ? [rest] : []
  })
}

function alternatesHeader(value: string, url: URL): Alternate[] {
  if (!value.includes('hreflang')) return []
  return [...value.matchAll(/<([^>]*)>([^<]*)/g)]
    .slice(0, ALTERNATES)
    .flatMap(([, href = '', parameters = '']) => {
      const [, lang] = /;\s*hreflang\s*=\s*"?([^";,\s]*)/i.exec(parameters) ?? []
      if (lang === undefined || !/;\s*rel\s*=\s*"?[^";,]*\balternate\b/i.test(parameters)) return []
      return [{ lang, ...reference(href, url) }]
    })
}

function canonicalHeader(value: string, url: URL): string | null {
  for (const [, href = '', parameters = ''] of value.matchAll(/<([^>]*)>([^<]*)/g))
    if (/;\s*rel\s*=\s*"?[^";,]*\bcanonical\b/i.test(parameters)) return normalise(href, url)?.href ?? null
  return null
}
