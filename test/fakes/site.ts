import { gzipSync } from 'node:zlib'

import { definitions, hubs } from './site/pages.ts'
import { type FakeServer, startServer } from './site/server.ts'
import { type Definition, type Route, route, type Truth } from './site/truth.ts'

export type Site = FakeServer & {
  /** Another site, for links that leave this one. */
  other: FakeServer
  /** What a crawl from the front page must list. */
  truth: (options?: { sitemap?: boolean; robots?: boolean }) => Truth[]
  /** Changes the site as `changes` says. */
  change: () => void
}

/** What is different after `change()`. The front page gains a broken link. */
export const changes = {
  added: ['/fresh'],
  removed: ['/old'],
  changed: ['/', '/about', '/flips', '/later'],
}

/** A hand-made site of which everything is known. */
export async function startSite(): Promise<Site> {
  const other = await startServer((path) => ({
    body: `<!doctype html><title>Elsewhere</title><h1>${path}</h1>`,
  }))
  let changed = false
  let routes = new Map<string, Route>()
  const server = await startServer(
    (path) => extras(server.origin, other.origin)[path] ?? routes.get(path)?.answer,
  )
  const build = () => {
    const all = new Map([...front(changed), ...definitions()])
    routes = new Map([...all].map(([path, it]) => [path, route(path, it, server.origin, other.origin)]))
  }
  build()

  return {
    ...server,
    other,
    truth: ({ sitemap = false, robots = false } = {}) =>
      [...routes.values()]
        .map(({ truth }) => truth)
        .filter(
          ({ listed }) =>
            listed === undefined ||
            (listed === 'with sitemap' && sitemap) ||
            (listed === 'without robots' && !robots),
        ),
    change() {
      changed = true
      build()
    },
    async close() {
      await Promise.all([server.close(), other.close()])
    },
  }
}

function front(changed: boolean): [string, Definition][] {
  const paths = ['/about', '/flips', '/later', changed ? '/fresh' : '/old', ...hubs]
  const body = paths.map((path) => `<a href="${path}">The page ${path.replaceAll('/', ' ')}</a>`).join('\n')
  return [
    [
      '/',
      {
        doc: { title: 'The front page of the fixture site', body },
        has: changed ? ['link_internal_broken'] : [],
      },
    ],
    ['/about', changed ? { doc: { title: null }, has: ['title_missing'] } : { doc: {} }],
    [
      '/flips',
      changed
        ? {
            doc: { head: '<meta name="robots" content="noindex">' },
            has: ['noindex'],
            fields: { is_noindex: true, is_indexable: false },
          }
        : { doc: {} },
    ],
    ['/later', changed ? { answer: { status: 500 }, has: ['http_5xx'] } : { doc: {} }],
    changed ? ['/fresh', { doc: {} }] : ['/old', { doc: {} }],
  ]
}

const robotsTxt = (origin: string) => `# Rules of the fixture site
User-agent: *
Disallow: /only-star/

User-agent: OtherBot
Disallow: /

User-agent: seosuitebot
Crawl-delay: 3600
Disallow: /private/
Allow: /private/open
Disallow: /*.cgi$

Sitemap: ${origin}/sitemaps/index.xml
`

const xml = '<?xml version="1.0" encoding="UTF-8"?>\n'
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const urlset = (urls: string[]) =>
  `${xml}<urlset ${namespace}>${urls.map((url) => `<url><loc> ${url} </loc></url>`).join('\n')}</urlset>`

/** Answers that are no pages: a crawl reads them but does not list them. */
function extras(
  origin: string,
  other: string,
): Record<string, ReturnType<Parameters<typeof startServer>[0]>> {
  const sitemaps = ['pages.xml.gz', 'more.xml', 'gone.xml']
  return {
    '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: robotsTxt(origin) },
    '/sitemaps/index.xml': {
      headers: { 'content-type': 'application/xml' },
      body: `${xml}<sitemapindex ${namespace}>${sitemaps
        .map((name) => `<sitemap><loc>${origin}/sitemaps/${name}</loc></sitemap>`)
        .join('')}</sitemapindex>`,
    },
    '/sitemaps/pages.xml.gz': {
      headers: { 'content-type': 'application/gzip' },
      body: gzipSync(urlset([`${origin}/`, `${origin}/about`, `${origin}/sitemap-only/one`])),
    },
    '/sitemaps/more.xml': {
      headers: { 'content-type': 'text/xml' },
      body: urlset([
        `${origin}/sitemap-only/two`,
        `${origin}/sitemap-only/three?a=1&amp;b=2`,
        `${origin}/private/secret`,
        `${other}/offsite`,
        'not an address',
      ]),
    },
  }
}
