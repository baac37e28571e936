import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { count, type Faults, generate, settle, type Size } from '../../fakes/generated-site.ts'
import { elsewhere } from '../../fakes/generated-site/assets.ts'
import { type Answer, startServer } from '../../fakes/site/server.ts'

/** The benchmark's site in a process of its own, so that serving it counts for nobody. */
let answers = new Map<string, Answer>()
let pages = new Set<string>()
let requests = 0
let first = 0
let last = 0
const asked = new Set<string>()

const server = createServer((request, response) => {
  const path = request.url ?? ''
  const { status = 200, headers = {}, body } = answers.get(path) ?? { status: 404 }
  requests += 1
  // What is asked for besides the pages, or once more, is no part of fetching them.
  if (pages.has(path) && !asked.has(path)) {
    asked.add(path)
    first ||= performance.now()
    response.once('finish', () => (last = performance.now()))
  }
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers })
  response.end(request.method === 'HEAD' ? undefined : body)
})
server.keepAliveTimeout = 60_000

process.on('message', (message: { size?: Size; faults?: Faults }) => {
  if (message.size) return void begin(message.size, message.faults)
  process.send?.({ requests, seconds: (last - first) / 1000 })
  requests = first = last = 0
  asked.clear()
})

async function begin(size: Size, faults?: Faults) {
  const other = await startServer((path) => elsewhere[path])
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const made = generate(size, faults)
  answers = settle(made, origin, other.origin)
  pages = new Set(made.pages.keys())
  process.send?.({ origin, pages: pages.size, expected: count(made.expected) })
}
