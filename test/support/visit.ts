import type { Example } from '../../tasks/crawl/checks/check.ts'
import type { Visit } from '../../tasks/crawl/page.ts'
import { parse } from '../../tasks/crawl/parse.ts'

/** A plain success at https://example.test/page, and what an example says of it. */
export function visit(example: Example): Visit {
  const {
    url: address = 'https://example.test/page',
    plain,
    ...given
  } = typeof example === 'string' ? { html: example, plain: undefined } : example
  const url = new URL(address)
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
    ...(plain === undefined ? {} : { rendered: true, plain: parse(plain, url) }),
    ...given,
    url,
  }
}
