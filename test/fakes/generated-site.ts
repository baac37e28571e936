import { assets, elsewhere } from './generated-site/assets.ts'
import { plantInlinks } from './generated-site/inlinks.ts'
import { addressOf, render } from './generated-site/page.ts'
import { plantLinked } from './generated-site/plants-linked.ts'
import { heavyPlants, markupPlants } from './generated-site/plants-markup.ts'
import { plantRelations } from './generated-site/plants-relations.ts'
import { textPlants } from './generated-site/plants-text.ts'
import { GeneratedSite, type Size } from './generated-site/site.ts'
import { type Answer, type FakeServer, startServer } from './site/server.ts'

export type { Size } from './generated-site/site.ts'

/** `ordinary`: faults of pages that answer with success. `all`: also broken addresses, redirects, orphans, sitemaps, other hosts. */
export type Faults = 'ordinary' | 'all'

/** A site whose addresses begin with `{origin}`, and the codes that an exact audit finds on each page. */
export function generate(size: Size = {}, faults: Faults = 'ordinary') {
  const site = new GeneratedSite(size)
  site.plant([...textPlants, ...markupPlants])
  if (faults === 'all') {
    site.plant(heavyPlants)
    plantRelations(site)
    plantLinked(site)
  }
  plantInlinks(site)
  const readable = site.pages.filter(({ status, body }) => status === 200 && body === null)
  site.expect('https_missing compression_missing', ...readable)
  const pages = new Map<string, Answer>(
    site.pages.map((page) => [
      page.path,
      { status: page.status, headers: page.headers, body: page.body ?? render(page) },
    ]),
  )
  return { pages, expected: site.expected, sitemap: sitemapOf(site) }
}

/** How many pages have each code. */
export function count(expected: ReadonlyMap<string, readonly string[]>): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const codes of expected.values()) for (const code of codes) counts[code] = (counts[code] ?? 0) + 1
  return counts
}

/** The answers of the site at its place, with those every site has: robots.txt, sitemap, assets. */
export function settle({ pages, sitemap }: ReturnType<typeof generate>, origin: string, other: string) {
  const place = ({ body = '', headers = {}, ...rest }: Answer): Answer => ({
    ...rest,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, at(value)])),
    body: typeof body === 'string' ? Buffer.from(at(body)) : body,
  })
  const at = (text: string) => text.replaceAll('{origin}', origin).replaceAll('{other}', other)
  const answers = new Map([...pages].map(([path, answer]) => [path, place(answer)]))
  for (const [path, answer] of Object.entries(assets(sitemap))) answers.set(path, place(answer))
  return answers
}

/** A site of any size, the same for the same numbers, with faults in known number. */
export async function startGenerated(
  size: Size = {},
  faults: Faults = 'ordinary',
): Promise<FakeServer & { expected: Map<string, string[]> }> {
  const made = generate(size, faults)
  const other = await startServer((path) => elsewhere[path])
  let answers = new Map<string, Answer>()
  const server = await startServer((path) => answers.get(path))
  answers = settle(made, server.origin, other.origin)
  const close = async () => void (await Promise.all([server.close(), other.close()]))
  return { ...server, close, expected: made.expected }
}

function sitemapOf(site: GeneratedSite): string {
  const urls = site.pages
    .filter(({ isListed }) => isListed)
    .map((page) => {
      const links = Object.entries(page.listedAlternates).map(
        ([lang, to]) => `<xhtml:link rel="alternate" hreflang="${lang}" href="${addressOf(to)}"/>`,
      )
      return `<url><loc>${addressOf(page).replaceAll('&', '&amp;')}</loc><lastmod>${page.lastmod}</lastmod>${links.join('')}</url>`
    })
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${urls.join('\n')}
</urlset>`
}
