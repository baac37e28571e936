import type { Readable } from 'node:stream'

import type { Agent } from 'undici'

import { config, publicUrl } from '../config.ts'
import manifest from '../package.json' with { type: 'json' }
import { guardedAgent, rules } from './agent.ts'
import { CookieJar } from './cookies.ts'
import { acceptEncoding } from './decode.ts'
import { exchange, type Head, type Opened } from './exchange.ts'
import { FetchFault } from './fault.ts'

export { CookieJar, FetchFault, type Head, type Opened }

const defaultMaxBytes = 10 * 1024 * 1024
const defaultTimeoutMs = 30_000
const redirects = new Set([301, 302, 303, 307, 308])

/** The name robots.txt files know this crawler by. */
export const productToken = 'SeoSuiteBot'
/** The `User-Agent` of every outgoing fetch. */
export const userAgent =
  config.CRAWLER_USER_AGENT ?? `${productToken}/${manifest.version} (+${publicUrl}/docs)`

export type Answer = Head & {
  /** Decoded. */
  body: Buffer
  /** Whether the body is not all there is: cut at `maxBytes`, broken off inside its encoding, or not wanted. */
  truncated: boolean
  totalMs: number
}

export type FetchOptions = {
  method?: 'GET' | 'HEAD' | 'POST'
  headers?: Record<string, string>
  body?: string | Buffer
  userAgent?: string
  cookies?: CookieJar
  /** Decoded bytes after which the body is cut. */
  maxBytes?: number
  /** For everything: DNS, connect, TLS, headers and body. */
  timeoutMs?: number
  /** False: the body is not read. */
  wants?: (head: Head) => boolean
  signal?: AbortSignal
  /** Other connections than this process's own; they come from `guardedAgent`. */
  through?: Agent
}
export type FollowOptions = FetchOptions & { maxRedirects: number }

/** One hop, whole: redirects are never followed, the caller decides. */
export async function fetchOnce(url: URL, options: FetchOptions = {}): Promise<Answer> {
  const startedAt = performance.now()
  return whole(await openOnce(url, options), startedAt)
}

/** One hop as a stream: read its `body`, or destroy it. */
export async function openOnce(url: URL, options: FetchOptions = {}): Promise<Opened> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new FetchFault('forbidden', `${url.protocol} addresses are not fetched`)
  const { method = 'GET', body = null, cookies, through = (agent ??= guardedAgent(rules)) } = options
  const opened = await exchange(
    {
      url,
      // Only origin, path and query: a user name in the address is not sent.
      request: {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        body,
        headers: headersOf(url, options),
      },
      maxBytes: options.maxBytes ?? defaultMaxBytes,
      timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
      wants: options.wants,
      signal: options.signal,
    },
    through,
  )
  if (opened.setCookies.length > 0) cookies?.store(url, opened.setCookies)
  return opened
}

/**
 * Follows redirects; each hop passes the same rules as the first. The answer is a redirect itself when there are too
 * many, or when it leads to no address.
 */
export async function fetchFollowing(
  url: URL,
  options: FollowOptions,
): Promise<{ answer: Answer; hops: URL[] }> {
  const startedAt = performance.now()
  const { opened, hops } = await openFollowing(url, options)
  return { answer: await whole(opened, startedAt), hops }
}

/** The same as a stream. */
export async function openFollowing(
  url: URL,
  { maxRedirects, ...options }: FollowOptions,
): Promise<{ opened: Opened; hops: URL[] }> {
  const hops = [url]
  const wants = (head: Head) => !isRedirect(head) && (options.wants?.(head) ?? true)
  let hop: FetchOptions = { ...options, wants }
  for (let here = url; ; hops.push(here)) {
    const opened = await openOnce(here, hop)
    const next = isRedirect(opened) ? redirectTarget(opened) : null
    if (!next || hops.length > maxRedirects) return { opened, hops }
    hop = optionsAfter(opened, hop, next.origin === here.origin)
    here = next
  }
}

/** Whether an answer sends elsewhere; 300 and 304 do not. */
export const isRedirect = ({ status, headers }: Pick<Head, 'status' | 'headers'>) =>
  redirects.has(status) && Boolean(headers.location)

/** Where a redirect leads; null when its `Location` is no address. */
export function redirectTarget({ url, headers }: Pick<Head, 'url' | 'headers'>): URL | null {
  // Header bytes arrive as Latin-1; what servers put there without escaping is UTF-8.
  const location = Buffer.from(headers.location ?? '', 'latin1').toString()
  return URL.parse(location, url.href)
}

/** Closes the connections of this process. */
export async function closeHttp(): Promise<void> {
  await agent?.destroy()
  agent = undefined
}

let agent: Agent | undefined

const ordinary = {
  'user-agent': userAgent,
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': '*',
  'accept-encoding': acceptEncoding,
}

function headersOf(url: URL, { headers, cookies, userAgent: agentName }: FetchOptions) {
  const sent: Record<string, string> = { ...ordinary }
  if (agentName) sent['user-agent'] = agentName
  const cookie = cookies?.header(url)
  if (cookie) sent.cookie = cookie
  for (const name in headers) sent[name.toLowerCase()] = headers[name] ?? ''
  return sent
}

async function whole(opened: Opened, startedAt: number): Promise<Answer> {
  const chunks = await read(opened.body)
  const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
  return { ...opened, body, totalMs: performance.now() - startedAt }
}

const read = (body: Readable) =>
  new Promise<Buffer[]>((resolve, reject) => {
    const chunks: Buffer[] = []
    if (body.errored) return reject(body.errored)
    body
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => resolve(chunks))
      .on('error', reject)
  })

/** As browsers do it: what was posted is not posted again, and what was meant for one origin stays there. */
function optionsAfter({ status }: Head, options: FetchOptions, sameOrigin: boolean): FetchOptions {
  const { body, headers = {}, ...rest } = options
  const kept = Object.entries(headers).filter(
    ([name]) => sameOrigin || !/^(authorization|cookie|proxy-authorization)$/i.test(name),
  )
  const again = options.method !== 'POST' || status > 303
  return {
    ...rest,
    headers: Object.fromEntries(kept),
    ...(again ? body !== undefined && { body } : { method: 'GET' as const }),
  }
}
