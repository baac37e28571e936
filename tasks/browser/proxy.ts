import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import http from 'node:http'
import net from 'node:net'
import { type Duplex, pipeline } from 'node:stream'

import type { Guard } from '../address.ts'

/** Connections a browser may have open through the proxy. */
const MAX_CONNECTIONS = 512
/** Bytes of one plain answer, and of one tunnel, in either direction. */
const MAX_ANSWER_BYTES = 64 * 2 ** 20
const MAX_TUNNEL_BYTES = 256 * 2 ** 20
const CONNECT_MS = 10_000
const IDLE_MS = 30_000
const LIFE_MS = 600_000

const USER = 'browser'
/** Answered by the proxy itself: a browser that opens it has shown its password, and keeps it for what follows. */
export const READY_URL = 'http://ready.invalid/'
/** On every answer that is the proxy's own and not the site's (RFC 9209). */
export const PROXY_STATUS = 'proxy-status'

export type Proxy = { server: string; username: string; password: string; close(): Promise<void> }

/**
 * A forward proxy on loopback that holds a browser to the rules of our own HTTP door: every name is resolved and
 * checked here, and the connection goes to the address that was checked. A secret keeps other local processes out.
 */
export async function startProxy(rules: Guard): Promise<Proxy> {
  const password = randomBytes(24).toString('hex')
  const expected = digest(`Basic ${Buffer.from(`${USER}:${password}`).toString('base64')}`)
  const isOurs = ({ headers }: http.IncomingMessage) =>
    timingSafeEqual(digest(headers['proxy-authorization'] ?? ''), expected)

  const open = new Set<Duplex>()
  const track = <Socket extends Duplex>(socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    return socket
  }
  const dial: Dial = async (host, port) => track(await connect(host, port, rules))

  const server = http.createServer({ keepAliveTimeout: IDLE_MS }, (request, response) => {
    if (!isOurs(request)) return refuse(response, 407, 'secret needed')
    if (request.url === READY_URL) return void response.setHeader('Content-Type', 'text/html').end('ready')
    forward(request, response, dial).catch((error: Error) => refuse(response, 502, error.message))
  })
  server.maxConnections = MAX_CONNECTIONS
  server.on('connection', track)
  server.on('connect', (request, client, head) => {
    client.on('error', () => client.destroy())
    if (!isOurs(request)) return refuseTunnel(client, 407, 'secret needed')
    tunnel(request.url ?? '', client, head, dial).catch((error: Error) =>
      refuseTunnel(client, 502, error.message),
    )
  })
  server.on('clientError', (_error, client) => client.destroy())

  await new Promise<void>((ready, fail) => server.once('error', fail).listen(0, '127.0.0.1', ready))
  const { port } = server.address() as net.AddressInfo
  return {
    server: `http://127.0.0.1:${port}`,
    username: USER,
    password,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        for (const socket of open) socket.destroy()
      }),
  }
}

type Dial = (host: string, port: number) => Promise<net.Socket>

const digest = (text: string) => createHash('sha256').update(text).digest()

async function connect(host: string, port: number, rules: Guard) {
  rules.admit(host, port)
  const addresses = await rules.addresses(host)
  const socket = net.connect({
    host,
    port,
    lookup: (_host, _options, done) => done(null, addresses),
    autoSelectFamily: true,
  })
  const limit = setTimeout(() => socket.destroy(new Error(`no connection to ${host} in time`)), CONNECT_MS)
  try {
    await new Promise<void>((connected, fail) => socket.once('connect', connected).once('error', fail))
    rules.admit(socket.remoteAddress ?? '')
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(limit)
  }
  socket.on('error', () => socket.destroy())
  socket.setTimeout(IDLE_MS, () => socket.destroy())
  const life = setTimeout(() => socket.destroy(), LIFE_MS)
  socket.once('close', () => clearTimeout(life))
  return socket
}

/** One plain HTTP request. Encrypted ones, and WebSockets, come as tunnels. */
async function forward(request: http.IncomingMessage, response: http.ServerResponse, dial: Dial) {
  const url = URL.parse(request.url ?? '')
  if (url?.protocol !== 'http:') return refuse(response, 400, 'only absolute http addresses')
  const socket = await dial(bare(url.hostname), Number(url.port || 80))
  if (response.destroyed) return void socket.destroy()
  response.once('close', () => socket.destroy())
  const outgoing = http.request({
    createConnection: () => socket,
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: ['Host', url.host, ...endToEnd(request.rawHeaders, ['host']), 'Connection', 'close'],
  })
  pipeline(request, outgoing, () => {})
  const answer = await new Promise<http.IncomingMessage>((answered, fail) =>
    outgoing.once('response', answered).once('error', fail),
  )
  bound(answer, MAX_ANSWER_BYTES, socket)
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders))
  pipeline(answer, response, () => socket.destroy())
}

async function tunnel(authority: string, client: Duplex, head: Buffer, dial: Dial) {
  const target = URL.parse(`http://${authority}/`)
  const port = /:(\d+)$/.exec(authority)?.[1]
  if (!target || !port) return refuseTunnel(client, 400, 'host and port needed')
  const upstream = await dial(bare(target.hostname), Number(port))
  if (client.destroyed) return void upstream.destroy()
  client.write('HTTP/1.1 200 Connected\r\n\r\n')
  upstream.write(head)
  bound(upstream, MAX_TUNNEL_BYTES, upstream)
  bound(client, MAX_TUNNEL_BYTES, upstream)
  pipeline(client, upstream, client, () => upstream.destroy())
}

/** Ends the connection when more than so many bytes have come out of a stream. */
function bound(stream: NodeJS.ReadableStream, limit: number, connection: net.Socket) {
  let seen = 0
  stream.on('data', (chunk: Buffer) => {
    seen += chunk.length
    if (seen > limit) connection.destroy()
  })
}

const bare = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1')

const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  PROXY_STATUS,
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Raw headers, name and value in turn, without those that concern one connection alone. */
function endToEnd(raw: readonly string[], drop: readonly string[] = []) {
  return raw.filter((_, index) => {
    const name = raw[index - (index % 2)]?.toLowerCase() ?? ''
    return !hopByHop.includes(name) && !drop.includes(name)
  })
}

const ownHeaders = (status: number, why: string) => ({
  [PROXY_STATUS]: `door; details=${JSON.stringify(why.replace(/[^\x20-\x7e]/g, '?'))}`,
  ...(status === 407 && { 'Proxy-Authenticate': 'Basic realm="door"' }),
})

function refuse(response: http.ServerResponse, status: number, why: string) {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { ...ownHeaders(status, why), Connection: 'close' }).end()
}

function refuseTunnel(client: Duplex, status: number, why: string) {
  const headers = Object.entries(ownHeaders(status, why)).map(([name, value]) => `${name}: ${value}\r\n`)
  client.end(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${headers.join('')}Content-Length: 0\r\n\r\n`,
  )
}
