import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type FakeSearXng = {
  url: string
  /** Addresses by page, from 1. */
  pages: string[][]
  /** What it answers instead of 200. */
  status: number
  blocked: boolean
  queries: URLSearchParams[]
  close: () => Promise<void>
}

/** SearXNG's JSON API (https://docs.searxng.org/dev/search_api.html). */
export async function startSearXng(): Promise<FakeSearXng> {
  const server = createServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://searxng')
    fake.queries.push(query)
    const isKnown = pathname === '/search' && query.get('format') === 'json'
    response.writeHead(isKnown ? fake.status : 404, { 'content-type': 'application/json' })
    const found = fake.blocked ? [] : (fake.pages[Number(query.get('pageno')) - 1] ?? [])
    response.end(
      JSON.stringify({
        query: query.get('q'),
        results: found.map((url, index) => ({
          url,
          title: url,
          engines: ['google'],
          positions: [index + 1],
        })),
        answers: [],
        suggestions: [],
        unresponsive_engines: fake.blocked ? [['google', 'CAPTCHA']] : [],
      }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const fake: FakeSearXng = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages: [],
    status: 200,
    blocked: false,
    queries: [],
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
  return fake
}
