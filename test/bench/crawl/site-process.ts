import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { generate, type Size } from '../../fakes/generated-site.ts'

/** The benchmark's site in a process of its own, so that serving it counts for nobody. */
let pages = new Map<string, Buffer>()
let requests = 0
let first = 0
let last = 0
const asked = new Set<string>()

const server = createServer((request, response) => {
  const path = request.url ?? ''
  const body = pages.get(path)
  requests += 1
  // What is asked for besides the pages, or once more, is no part of fetching them.
  if (body && !asked.has(path)) {
    asked.add(path)
    first ||= performance.now()
    response.once('finish', () => (last = performance.now()))
  }
  response.writeHead(body ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' })
  response.end(body)
})
server.keepAliveTimeout = 60_000

process.on('message', (message: { size?: Size }) => {
  if (message.size) {
    const made = generate(message.size)
    pages = made.pages
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      process.send?.({ origin: `http://127.0.0.1:${port}`, expected: made.expected })
    })
    return
  }
  process.send?.({ requests, seconds: (last - first) / 1000 })
  requests = first = last = 0
  asked.clear()
})
