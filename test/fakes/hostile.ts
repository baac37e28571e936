import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import {
  brotliCompressSync,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'

const dripMs = 200
const bombBytes = 200 * 1024 * 1024
const nestedDivs = 10_000
const endlessChunk = Buffer.alloc(64 * 1024, '<p>and on and on</p>\n')

export const okPage = '<!doctype html><title>Fine</title><p>Nothing wrong here: città, naïve, 東京.'

const certificate = {
  key: readFileSync(new URL('self-signed.key.pem', import.meta.url)),
  cert: readFileSync(new URL('self-signed.cert.pem', import.meta.url)),
}

export type Hostile = {
  url: string
  /** The same pages behind a certificate that nobody trusts, for 127.0.0.1 and hostile.test. */
  tlsUrl: string
  ca: string
  /** Requests by path with query. */
  hits: Map<string, number>
  /** Headers of the latest request by path with query. */
  headers: Map<string, IncomingMessage['headers']>
  /** Connections made so far, and those still open. */
  connections: () => { made: number; open: number }
  close: () => Promise<void>
}

/** A server on loopback ports of its own whose every path misbehaves in one way. */
export async function startHostile(): Promise<Hostile> {
  const hits = new Map<string, number>()
  const headers = new Map<string, IncomingMessage['headers']>()
  const timers = new Set<NodeJS.Timeout>()
  let made = 0
  let open = 0
  const listener: RequestListener = (request, response) => {
    const path = request.url ?? '/'
    hits.set(path, (hits.get(path) ?? 0) + 1)
    headers.set(path, request.headers)
    misbehave(path, request, response, timers)
  }
  const servers = [createServer(listener), createTlsServer(certificate, listener)]
  for (const server of servers) {
    server.keepAliveTimeout = 60_000
    server.on('connection', (socket) => {
      made += 1
      open += 1
      socket.on('close', () => (open -= 1))
    })
    server.on('clientError', (_error, socket) => socket.destroy())
  }
  const [port, tlsPort] = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return (server.address() as AddressInfo).port
    }),
  )

  return {
    url: `http://127.0.0.1:${port}`,
    tlsUrl: `https://127.0.0.1:${tlsPort}`,
    ca: certificate.cert.toString(),
    hits,
    headers,
    connections: () => ({ made, open }),
    async close() {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(
        servers.map((server) => {
          const closed = new Promise((resolve) => server.close(resolve))
          server.closeAllConnections()
          return closed
        }),
      )
    },
  }
}

/** Answers as the first segment of the path says. */
export function misbehave(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  timers: Set<NodeJS.Timeout>,
) {
  const { pathname } = new URL(path, 'http://hostile.test')
  const [, name = '', ...rest] = pathname.split('/')
  const behave = behaviours[name]
  if (behave) behave(response, rest, timers, request)
  else html(response, '<title>Not here</title>', { status: 404 })
}

type Behaviour = (
  response: ServerResponse,
  rest: string[],
  timers: Set<NodeJS.Timeout>,
  request: IncomingMessage,
) => void

function html(
  response: ServerResponse,
  body: string | Buffer,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string | string[]> } = {},
) {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers })
  response.end(body)
}

const encoded =
  (encoding: string, body: Buffer): Behaviour =>
  (response) =>
    html(response, body, { headers: { 'content-encoding': encoding } })

const redirect =
  (location: string): Behaviour =>
  (response) =>
    html(response, '', { status: 302, headers: { location } })

const inCharset =
  (charset: string, body: Buffer): Behaviour =>
  (response) =>
    html(response, body, { headers: { 'content-type': `text/html; charset=${charset}` } })

const behaviours: Record<string, Behaviour> = {
  '': (response) => html(response, '<title>Start</title><a href="/ok">ok</a>'),
  ok: (response) => html(response, okPage),
  empty: (response) => html(response, ''),
  gzip: encoded('gzip', gzipSync(okPage)),
  br: encoded('br', brotliCompressSync(okPage)),
  zstd: encoded('zstd', zstdCompressSync(okPage)),
  deflate: encoded('deflate', deflateSync(okPage)),
  'deflate-raw': encoded('deflate', deflateRawSync(okPage)),
  'gzip-twice': encoded('gzip, gzip', gzipSync(gzipSync(okPage))),
  'gzip-thrice': encoded('gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(okPage)))),
  'unknown-encoding': encoded('utf-8', Buffer.from(okPage)),
  'bad-gzip': encoded('gzip', Buffer.from(okPage)),
  'half-gzip': encoded('gzip', halved(gzipSync(Buffer.concat(Array.from({ length: 20 }, randomText))))),
  bomb: (response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
    const bomb = createGzip({ level: 9 })
    bomb.pipe(response)
    response.on('close', () => bomb.destroy())
    const zeros = Buffer.alloc(1024 * 1024)
    let left = bombBytes / zeros.length
    const feed = () => {
      while (left > 0 && !bomb.destroyed) {
        left -= 1
        if (!bomb.write(zeros)) return void bomb.once('drain', feed)
      }
      bomb.end()
    }
    feed()
  },
  endless: (response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    const feed = () => {
      while (!response.destroyed && response.write(endlessChunk));
    }
    response.on('drain', feed)
    feed()
  },
  drip: (response, _rest, timers) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.flushHeaders()
    const timer = setInterval(() => response.write('.'), dripMs)
    timers.add(timer)
    response.on('close', () => clearInterval(timer))
  },
  hang: () => {},
  'hang-after-headers': (response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': '100' })
    response.flushHeaders()
  },
  reset: (response, _rest, _timers, { socket }) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': '100000' })
    response.write('<title>Half', () => socket.resetAndDestroy())
  },
  'reset-at-once': (_response, _rest, _timers, { socket }) => socket.resetAndDestroy(),
  garbage: (_response, _rest, _timers, { socket }) => socket.end('not HTTP at all\r\n\r\n'),
  'huge-header': (response) => html(response, okPage, { headers: { 'x-huge': 'x'.repeat(200 * 1024) } }),
  'no-length': (_response, _rest, _timers, { socket }) =>
    socket.end(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n${okPage}`),
  'wrong-length': (_response, _rest, _timers, { socket }) =>
    socket.end(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n${okPage}`),
  'loop-a': redirect('/loop-b'),
  'loop-b': redirect('/loop-a'),
  'self-loop': redirect('/self-loop'),
  chain: (response, [left = '0']) =>
    Number(left) > 0
      ? html(response, '', { status: 301, headers: { location: `/chain/${Number(left) - 1}` } })
      : html(response, okPage),
  'redirect-private': redirect('http://169.254.169.254/'),
  'redirect-file': redirect('file:///etc/passwd'),
  'redirect-to': (response, _rest, _timers, request) =>
    html(response, '', {
      status: 302,
      headers: { location: decodeURIComponent(request.url?.split('?')[1] ?? '') },
    }),
  'bad-location': redirect('http://[not-an-address'),
  cookies: (response) =>
    html(response, okPage, {
      headers: {
        'set-cookie': ['session=1; Path=/', 'other=2; Path=/elsewhere', 'foreign=3; Domain=example.com'],
      },
    }),
  latin1: inCharset('iso-8859-1', Buffer.from('<title>Città</title>', 'latin1')),
  utf16: inCharset('utf-16le', Buffer.from('\ufeff<title>Città 東京</title>', 'utf16le')),
  shift_jis: inCharset(
    'shift_jis',
    Buffer.concat([Buffer.from('<title>'), Buffer.of(0x93, 0x8c, 0x8b, 0x9e), Buffer.from('</title>')]),
  ),
  deep: (response) =>
    html(response, `<title>Deep</title>${'<div>'.repeat(nestedDivs)}bottom${'</div>'.repeat(nestedDivs)}`),
  links: (response, [count = '0']) =>
    html(
      response,
      `<title>Links</title>${Array.from({ length: Number(count) }, (_, n) => `<a href="/links/0?n=${n}">${n}</a>`).join('\n')}`,
    ),
  calendar: (response, [year = '2000', month = '1']) => {
    const next = new Date(Date.UTC(Number(year), Number(month), 1))
    html(
      response,
      `<title>${year}-${month}</title><a href="/calendar/${next.getUTCFullYear()}/${next.getUTCMonth() + 1}">next</a>`,
    )
  },
  'binary.pdf': (response) =>
    html(response, Buffer.from('%PDF-1.7\n\0\u00ff\u00fe', 'latin1'), {
      headers: { 'content-type': 'application/pdf' },
    }),
  'large.pdf': (response) => {
    const body = Buffer.alloc(4 * 1024 * 1024, 'pdf')
    html(response, body, {
      headers: { 'content-type': 'application/pdf', 'content-length': String(body.length) },
    })
  },
  status: (response, [code = '500']) => html(response, `<title>${code}</title>`, { status: Number(code) }),
}

function halved(body: Buffer) {
  return body.subarray(0, body.length / 2)
}

/** Text that does not compress, the same in every run. */
function randomText(_: unknown, seed: number): Buffer {
  const text = Buffer.alloc(4096)
  for (let at = 0, state = seed + 1; at < text.length; at++) {
    state = (state * 48_271) % 2_147_483_647
    text[at] = 97 + (state % 26)
  }
  return text
}
