import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Answer = {
  status?: number
  headers?: Record<string, string>
  /** HTML unless a `content-type` header says otherwise. */
  body?: string | Buffer
  /** Instead: answers by itself, and is called when the answer is due. */
  respond?: RequestListener
}

export type FakeServer = {
  origin: string
  /** Requests per path with query. */
  hits: Map<string, number>
  /** When each request arrived, in milliseconds of a monotonic clock. */
  log: { method: string; path: string; at: number; headers: IncomingMessage['headers'] }[]
  inFlight: () => number
  inFlightMax: () => number
  /** From now on requests for the matching paths wait; returns what lets them go on. */
  hold: (matches: (path: string) => boolean) => () => void
  forget: () => void
  close: () => Promise<void>
}

/** A site on a loopback port of its own, whose answers are a function of path and query; undefined is a 404. */
export async function startServer(
  answer: (path: string, request: IncomingMessage) => Answer | undefined,
  latency = 0,
): Promise<FakeServer> {
  const hits = new Map<string, number>()
  const log: FakeServer['log'] = []
  const gates = new Set<{ matches: (path: string) => boolean; open: Promise<void> }>()
  let inFlight = 0
  let inFlightMax = 0

  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    hits.set(path, (hits.get(path) ?? 0) + 1)
    log.push({ method: request.method ?? '', path, at: performance.now(), headers: request.headers })
    inFlight += 1
    inFlightMax = Math.max(inFlightMax, inFlight)
    response.once('close', () => (inFlight -= 1))
    const waits = [...gates].filter(({ matches }) => matches(path)).map(({ open }) => open)
    const send = () => {
      const { status = 200, headers = {}, body = '', respond } = answer(path, request) ?? missing
      if (respond) return respond(request, response)
      response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers })
      response.end(request.method === 'HEAD' ? undefined : body)
    }
    if (latency > 0) waits.push(sleep(latency))
    if (waits.length === 0) send()
    else void Promise.all(waits).then(send)
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    origin: `http://127.0.0.1:${port}`,
    hits,
    log,
    inFlight: () => inFlight,
    inFlightMax: () => inFlightMax,
    hold(matches) {
      const { promise: open, resolve } = Promise.withResolvers<void>()
      const gate = { matches, open }
      gates.add(gate)
      return () => {
        gates.delete(gate)
        resolve()
      }
    },
    forget() {
      hits.clear()
      log.length = 0
      inFlightMax = inFlight
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}

const missing: Answer = { status: 404, body: '<!doctype html><title>Not found</title><h1>Not found</h1>' }
