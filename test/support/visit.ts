import type { Example } from '../../tasks/crawl/checks/check.ts'
import type { Visit } from '../../tasks/crawl/page.ts'

/** A plain success at https://example.test/page, and what an example says of it. */
export function visit(example: Example): Visit {
  const { url = 'https://example.test/page', ...given } =
    typeof example === 'string' ? { html: example } : example
  return {
    depth: 1,
    inSitemap: false,
    isStart: false,
    status: 200,
    fault: null,
    headers: {},
    contentType: 'text/html',
    bytes: 100,
    truncated: false,
    ttfbMs: 10,
    totalMs: 20,
    html: '',
    rendered: false,
    robotsAllowed: true,
    isInternal: (to) => to.host === 'example.test',
    ...given,
    url: new URL(url),
  }
}
