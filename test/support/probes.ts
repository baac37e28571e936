import type { SiteFacts } from '../../sql/probes.ts'
import type { ProbeExample } from '../../tasks/crawl/probes/checks/check.ts'

/** A site at https://example.test/ of which nothing is known but an empty robots.txt, and what an example says of it. */
export function siteFacts({ robots = '', start, ...given }: ProbeExample): SiteFacts {
  return {
    at: '2026-06-01T00:00:00.000Z',
    start: { url: 'https://example.test/', status: 200, title: 'Example', canonical: null, ...start },
    robots: { status: 200, text: robots },
    sitemaps: null,
    certificate: null,
    oldTls: null,
    http: null,
    twin: null,
    nowhere: null,
    icon: null,
    llms: null,
    visits: null,
    ...given,
  }
}
