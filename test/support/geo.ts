import type { GeoExample } from '../../tasks/ai/geo/checks/check.ts'
import { crawlersOf } from '../../tasks/ai/geo/crawlers.ts'
import { readPage } from '../../tasks/ai/geo/page.ts'
import type { GeoSite } from '../../tasks/ai/geo/site.ts'
import { visit } from './visit.ts'

/** A plain site at https://example.test/page of which nothing else is known, and what an example says of it. */
export function geoSite(example: GeoExample): GeoSite {
  const {
    html = '',
    url = 'https://example.test/page',
    ...given
  } = typeof example === 'string' ? { html: example } : example
  const {
    headers = {},
    ms = 20,
    truncated = false,
    rendered,
    robots = '',
    robotsStatus = 200,
    visits = null,
  } = given
  const page = readPage(visit({ url, html, headers, totalMs: ms, truncated }))
  const others = Object.entries(given.others ?? {}).map(([path, html]) =>
    readPage(visit({ url: `https://example.test${path}`, html })),
  )
  return {
    pages: [page, ...others],
    rendered: rendered === undefined ? null : readPage(visit({ url, html: rendered, rendered: true })),
    robotsStatus,
    crawlers: crawlersOf({ robots: { status: robotsStatus, text: robots }, visits }, page.url),
    llms: given.llms ?? null,
    sitemaps: given.sitemaps ?? null,
    now: new Date('2026-06-01T00:00:00Z'),
  }
}
