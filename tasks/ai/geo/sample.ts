import { isWwwTwin } from '../../crawl/scope.ts'
import type { GeoPage } from './page.ts'

const NO_PAGE =
  /\.(avif|bmp|css|csv|docx?|gif|gz|ico|jpe?g|js|json|mp[34]|pdf|png|pptx?|rss|svg|webm|webp|xlsx?|xml|zip)$/i
/** Pages that tell nothing of what a site knows. */
const DUTIES =
  /\/(account|admin|author|basket|carrello|cart|cassa|category|categoria|checkout|cookies?|feed|imprint|legal|log-?in|log-?out|my-account|note-legali|page|privacy|register|registrati|search|cerca|tag|terms|termini|wp-admin|wp-json|wp-login)([/._-]|$)/i
const ABOUT = /(about|chi-?siamo|azienda|company|la-nostra-storia|our-story)([/._-]|$)/i
/** A name of several words: an article, a guide, a product. */
const SUBJECT = /[^/]+[-_][^/]+[-_][^/]+\/?$/

/**
 * Which other pages of the site to look at, best first: what it says of itself, then pages with a subject, those that the
 * page links to before those that only a sitemap lists (newest first).
 */
export function choosePages(
  page: GeoPage,
  listed: readonly { url: URL; lastmod: string | null }[],
  most: number,
): URL[] {
  const linked = page.facts.links.flatMap(({ to, source, nofollow }) =>
    source === 'a' && !nofollow ? [to] : [],
  )
  const newest = listed.toSorted((a, b) => (b.lastmod ?? '').localeCompare(a.lastmod ?? ''))
  const own = addressOf(page.url)
  const candidates = new Map<string, URL>()
  for (const url of [...linked, ...newest.map(({ url }) => url)]) {
    const address = addressOf(url)
    if (address !== own && isCandidate(url, page.url) && !candidates.has(address))
      candidates.set(address, url)
  }
  return [...candidates.values()].toSorted((a, b) => rank(a) - rank(b)).slice(0, most)
}

function isCandidate(url: URL, page: URL) {
  const isInternal = url.host === page.host || isWwwTwin(url.host, page.host)
  return isInternal && url.search === '' && !NO_PAGE.test(url.pathname) && !DUTIES.test(url.pathname)
}

const rank = ({ pathname }: URL) => (ABOUT.test(pathname) ? 0 : SUBJECT.test(pathname) ? 1 : 2)

/** By http or https, with `www.` or without, with a slash at the end or not: one page. */
export const addressOf = ({ host, pathname, search }: URL) =>
  `${host.replace(/^www\./, '')}${pathname.replace(/\/$/, '')}${search}`
