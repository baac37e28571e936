import { html } from './site/html.ts'
import { type Answer, type FakeServer, startServer } from './site/server.ts'

/**
 * A site given by which page links to which; `extras` are answered as they are, all after `latency` ms. The front page
 * sets the cookie `session`.
 */
export function startGraph(
  links: Record<string, string[]>,
  extras: (origin: string) => Record<string, Answer> = () => ({}),
  latency = 0,
): Promise<FakeServer> {
  return startServer((path, request) => {
    const origin = `http://${request.headers.host}`
    const targets = links[path]
    if (!targets) return extras(origin)[path]
    const body = targets.map((target) => `<a href="${target}">To ${target}</a>`).join('\n')
    const headers: Record<string, string> = path === '/' ? { 'set-cookie': 'session=1; Path=/' } : {}
    return { headers, body: html(path, origin, { body }) }
  }, latency)
}

/** So many pages, all linked from the front page. */
export function star(pages: number): Record<string, string[]> {
  const leaves = Array.from({ length: pages - 1 }, (_, index) => `/leaf/${index + 1}`)
  return Object.fromEntries([['/', leaves], ...leaves.map((leaf) => [leaf, []] as [string, string[]])])
}
