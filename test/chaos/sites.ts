import { html } from '../fakes/site/html.ts'
import { startServer } from '../fakes/site/server.ts'
import { randomOf } from '../support/random.ts'

const SITES = 8
const MOST_PAGES = 120
const LINKS = 3
const LATENCY_MS = 40
/** Archives of this site go to the bucket in parts. */
const IMAGE_BYTES = 3 * 1024 * 1024
const IMAGES = 3

export type Site = { origin: string; paths: string[] }

/** Small sites whose pages are linked at random, always the same; the last one has large images. */
export async function startSites() {
  const random = randomOf(7)
  const servers = await Promise.all(
    Array.from({ length: SITES }, async (_, index) => {
      const paths = pathsOf(20 + Math.floor(random() * (MOST_PAGES - 20)))
      const images = index === SITES - 1 ? IMAGES : 0
      const links = linksOf(paths, random)
      const server = await startServer((path, request) => {
        const image = /^\/image\/(\d+)\.png$/.exec(path)?.[1]
        if (image) return { headers: { 'content-type': 'image/png' }, body: noise(Number(image)) }
        const targets = links.get(path)
        if (!targets) return undefined
        const shown =
          path === '/' ? Array.from({ length: images }, (_, n) => `<img src="/image/${n}.png">`) : []
        const body = [...shown, ...targets.map((to) => `<a href="${to}">To ${to}</a>`)].join('\n')
        return { body: html(path, `http://${request.headers.host}`, { body }) }
      }, LATENCY_MS)
      return { server, site: { origin: server.origin, paths } satisfies Site }
    }),
  )
  return {
    all: servers.map(({ site }) => site),
    of: (url: string) => servers.find(({ site }) => url.startsWith(`${site.origin}/`))?.site,
    async close() {
      await Promise.all(servers.map(({ server }) => server.close()))
    },
  }
}

const pathsOf = (count: number) => ['/', ...Array.from({ length: count - 1 }, (_, n) => `/page/${n + 1}`)]

/** Each page is linked from one before it, so that all can be reached, and links to some others. */
function linksOf(paths: readonly string[], random: () => number) {
  const links = new Map(paths.map((path) => [path, new Set<string>()]))
  const any = (below: number) => paths[Math.floor(random() * below)]!
  for (const [index, path] of paths.entries()) {
    if (index > 0) links.get(any(index))!.add(path)
    for (let n = 0; n < LINKS; n++) links.get(path)!.add(any(paths.length))
  }
  return new Map([...links].map(([path, targets]) => [path, [...targets]]))
}

/** Bytes that do not compress. */
function noise(seed: number): Buffer {
  const bytes = Buffer.alloc(IMAGE_BYTES)
  for (let at = 0, state = seed + 1; at < bytes.length; at += 4)
    bytes.writeInt32LE((state = Math.imul(state, 48_271) | 0), at)
  return bytes
}
