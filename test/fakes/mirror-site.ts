import { addresses } from './mirror-site/addresses.ts'
import {
  asset,
  type Definition,
  type Definitions,
  linksTo,
  page,
  type Sort,
} from './mirror-site/definition.ts'
import { faulty } from './mirror-site/faults.ts'
import { references } from './mirror-site/references.ts'
import { words } from './site/html.ts'
import { type Answer, type FakeServer, startServer } from './site/server.ts'

/** Pages below `/many/`. */
export const MANY = 300

export type Resource = {
  url: string
  /** With query, as requested. */
  path: string
  kind: 'page' | 'resource'
  sort: Sort
  /** MIME type. */
  type: string
  body: Buffer
  /** A phrase that a reader of the page sees. */
  marker: string | null
}

export type Expected = {
  /** Each once; of those with the same body any one. */
  saved: Resource[]
  /** Those with a body that another one has: each group of addresses is stored once. */
  duplicates: string[][]
  redirected: string[]
  failed: string[]
}

export type MirrorSite = {
  origin: string
  /** Of the other host that serves requisites. */
  cdn: string
  server: FakeServer
  /** What a job must fetch and save; `keeps` is its filter, of which the start page is exempt. */
  expected: (job: { start?: string; depth: number; keeps?: (resource: Resource) => boolean }) => Expected
  close: () => Promise<void>
}

const sections = [
  '/references',
  '/charsets/',
  '/names/',
  '/queries',
  '/base',
  '/base/abroad',
  '/duplicates',
  '/redirects',
  '/refresh',
  '/broken',
  '/blog/',
  '/files',
  '/manifest.json',
  '/deep/1',
]
const many = Array.from({ length: MANY }, (_, index) => `/many/${index + 1}`)

const declared: Definitions = {
  '/': page('The front page of the mirrored site', `${linksTo(sections)}<img src="/img/logo.png" alt="">`, {
    links: sections,
    needs: ['/img/logo.png'],
  }),
  ...references,
  ...addresses,
  '/many/': page('Many pages', linksTo(many), { links: many }),
  ...Object.fromEntries(
    many.map((path) => [
      path,
      page(
        `Number ${path}`,
        `<p>${words(150, path)}</p><a href="/many/">Up</a><img src="/img/shared.png" alt="">`,
        {
          links: ['/many/'],
          needs: ['/img/shared.png'],
        },
      ),
    ]),
  ),
  // Its only link is put in by its script.
  '/shell': page('', '<div id="root"></div><script src="/js/shell.js"></script>', {
    links: ['/rendered'],
    needs: ['/js/shell.js', '/img/rendered.png'],
  }),
  '/js/shell.js': {
    sort: 'script',
    type: 'text/javascript',
    body: `document.getElementById('root').innerHTML = '<h2>Drawn by a script</h2><p>${words(80, 'shell')}</p>' +
  '<a href="/rendered">On</a><img src="/img/rendered.png" alt="">'`,
  },
  '/rendered': page('Linked by a script', ''),
}

/** Whatever is referred to and not declared is a file made up from its name. */
const definitions: Definitions = { ...declared }
for (const { links = [], needs = [], redirectsTo = '' } of Object.values(declared))
  for (const path of [...links, ...needs, redirectsTo])
    if (/^(?:cdn:)?\//.test(path)) definitions[path] ??= asset(path)
definitions['/img/fine.png'] = asset('/img/fine.png')

/** A site on two hosts of which it is known what an archive of it must hold. */
export async function startMirrorSite(): Promise<MirrorSite> {
  const answers = new Map<string, Answer>()
  const server = await startServer((path) => answers.get(path) ?? faulty(path))
  const other = await startServer((path) => answers.get(`cdn:${path}`))
  const cdn = other.origin.replace('127.0.0.1', 'localhost')
  const addressOf = (path: string) =>
    path.startsWith('cdn:') ? cdn + path.slice(4) : new URL(path, server.origin).href
  const filled = ({ body }: Definition) =>
    typeof body === 'string'
      ? Buffer.from(body.replaceAll('{site}', server.origin).replaceAll('{cdn}', cdn))
      : body

  for (const [path, definition] of Object.entries(definitions)) {
    const location = definition.redirectsTo ? { location: addressOf(definition.redirectsTo) } : {}
    answers.set(path, {
      status: definition.status ?? 200,
      headers: { 'content-type': definition.type, ...definition.headers, ...location },
      body: filled(definition),
    })
  }

  const resourceOf = (path: string, definition: Definition, kind: Resource['kind']): Resource => ({
    url: addressOf(path),
    path: path.replace(/^cdn:/, ''),
    kind: definition.sort === 'html' ? kind : 'resource',
    sort: definition.sort,
    type: definition.type.split(';')[0]!,
    body: filled(definition),
    marker: definition.marker ?? null,
  })

  return {
    origin: server.origin,
    cdn,
    server,
    expected({ start = '/', depth, keeps = () => true }) {
      const seen = new Set<string>()
      const found: Expected & { saved: Resource[] } = {
        saved: [],
        duplicates: [],
        redirected: [],
        failed: [],
      }
      /** Level by level, since what is reached twice counts as reached by the shorter way. */
      let level = [start]
      const visit = (path: string, kind: Resource['kind']): string[] => {
        const definition = definitions[path]
        if (!definition || seen.has(path)) return []
        const resource = resourceOf(path, definition, kind)
        // What is filtered out as the one may be wanted as the other.
        if (path !== start && !definition.redirectsTo && !keeps(resource)) return []
        seen.add(path)
        if (definition.redirectsTo) {
          const leaves =
            /^(?!\/|cdn:)/.test(definition.redirectsTo) ||
            (kind === 'page' && definition.redirectsTo.startsWith('cdn:'))
          found.redirected.push(resource.url)
          return leaves ? [] : visit(definition.redirectsTo, kind)
        }
        if ((definition.status ?? 200) >= 400) {
          found.failed.push(resource.url)
          return []
        }
        found.saved.push(resource)
        for (const needed of definition.needs ?? []) visit(needed, 'resource')
        return (definition.links ?? []).filter((link) => !link.startsWith('cdn:'))
      }
      for (let at = 0; at <= depth && level.length > 0; at++)
        level = level.flatMap((path) => visit(path, 'page'))

      const byBody = Map.groupBy(found.saved, ({ body }) => body.toString('latin1'))
      found.duplicates = [...byBody.values()]
        .filter(({ length }) => length > 1)
        .map((group) => group.map(({ url }) => url))
      found.saved = [...byBody.values()].map(([first]) => first!)
      return found
    },
    async close() {
      await Promise.all([server.close(), other.close()])
    },
  }
}
