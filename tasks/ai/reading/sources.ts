import type { KeptAnswer } from '../../../sql/ai-answers.ts'
import { liesOn } from './brands.ts'
import { proseOf } from './prose.ts'

/** Hosts told of one analysis. */
const TOLD = 50

/** Marks of where visitors come from. */
const TRACKING = /^(utm_\w+|gclid|fbclid|msclkid|srsltid)$/i

export type Link = { url: string; host: string }
export type Source = {
  host: string
  /** Pages of it that answers cite or link, once for each answer. */
  citations: number
  answers: number
  own: boolean
}

/** What an answer cites, and what its text links to besides; each address once. */
export function linksOf({ text, citations }: Pick<KeptAnswer, 'text' | 'citations'>): Link[] {
  const cited: Link[] = citations.map(({ url, host }) => ({ url, host }))
  const written = proseOf(text).urls.flatMap((url) => {
    const host = URL.parse(url)?.hostname.replace(/^www\./, '')
    return host ? [{ url, host }] : []
  })
  const once = new Map([...written, ...cited].map((link) => [pageKey(link.url), link]))
  const order = [...new Set([...cited, ...written].map(({ url }) => pageKey(url)))]
  return order.flatMap((key) => once.get(key) ?? [])
}

/** The same page under other schemes, with `www.`, a slash more, a fragment or marks of where visitors come from. */
export function pageKey(address: string): string {
  const url = URL.parse(address)
  if (!url) return address
  const query = new URLSearchParams([...url.searchParams].filter(([name]) => !TRACKING.test(name)))
  query.sort()
  const port = url.port && `:${url.port}`
  return (
    url.hostname.replace(/^www\./, '') +
    port +
    url.pathname.replace(/\/+$/, '') +
    (query.size > 0 ? `?${query.toString()}` : '')
  )
}

/** The hosts that answers rely on, the most cited first. */
export function sourcesOf(answers: readonly KeptAnswer[], ownHosts: readonly string[]): Source[] {
  const counts = new Map<string, { citations: number; answers: number }>()
  for (const answer of answers) {
    for (const [host, links] of Map.groupBy(linksOf(answer), (link) => link.host)) {
      const count = counts.get(host) ?? { citations: 0, answers: 0 }
      counts.set(host, { citations: count.citations + links.length, answers: count.answers + 1 })
    }
  }
  return [...counts]
    .map(([host, count]) => ({ host, ...count, own: liesOn(host, ownHosts) }))
    .toSorted((a, b) => b.citations - a.citations || (a.host < b.host ? -1 : 1))
    .slice(0, TOLD)
}
