import { setTimeout as sleep } from 'node:timers/promises'

import type { Verdict } from '../../../sql/targets.ts'
import { FetchFault } from '../../fault.ts'
import type { Answer, FetchOptions } from '../../http.ts'
import { isChallengeHeader } from '../challenge.ts'
import { follow } from '../follow.ts'
import { imageSize } from './image-size.ts'
import { ICON, IMAGE, LINK, SOCIAL, STYLE } from './uses.ts'

/** For one request and its answer. */
const TIMEOUT_MS = 10_000
const RETRY_AFTER_MS = 500
const REDIRECTS = 5
/** Read of a resource that does not say how large it is, and of an image to learn its size. */
const RESOURCE_BYTES = 1024 * 1024
const IMAGE_BYTES = 256 * 1024

type Asking = { signal: AbortSignal; through?: NonNullable<FetchOptions['through']> }

/**
 * Looks at an address as gently as it tells what is asked: HEAD, then GET where HEAD is refused or says too little.
 * A fault is tried once more. It rejects only on abort.
 */
export async function look(url: URL, uses: number, asking: Asking): Promise<Verdict> {
  const first = await attempt(url, uses & SOCIAL ? 'GET' : 'HEAD', uses, asking)
  if (isEnough(first, uses)) return first
  if (first.status === 0) await sleep(RETRY_AFTER_MS, undefined, { signal: asking.signal })
  const second = await attempt(url, 'GET', uses, asking)
  return second.status === 0 && isFine(first) ? first : second
}

const isFine = ({ status }: Verdict) => status > 0 && status < 400

function isEnough(verdict: Verdict, uses: number): boolean {
  // Whoever is told that it asks too often asks no more.
  if (verdict.fault === 'forbidden' || verdict.status === 429) return true
  return isFine(verdict) && ((uses & SOCIAL) !== 0 || !saysTooLittle(verdict, uses))
}

/** Links need no more than a status. */
const saysTooLittle = ({ bytes, contentType }: Verdict, uses: number) =>
  (uses & ~LINK) !== 0 && (bytes === null || bytes === 0 || contentType === null)

async function attempt(url: URL, method: 'HEAD' | 'GET', uses: number, asking: Asking): Promise<Verdict> {
  try {
    const { answer, redirects, next } = await follow(url, {
      ...asking,
      method,
      most: REDIRECTS,
      timeoutMs: TIMEOUT_MS,
      headers: { accept: acceptOf(uses) },
      maxBytes: uses & SOCIAL ? IMAGE_BYTES : RESOURCE_BYTES,
      wants: ({ status }) => status < 300 && uses !== LINK,
    })
    const fault = next ? 'redirects' : isChallengeHeader(answer.headers) ? 'challenge' : null
    return { ...verdictOf(answer, method, uses), fault, redirect: redirects[0] ?? null }
  } catch (error) {
    asking.signal.throwIfAborted()
    if (!(error instanceof FetchFault)) throw error
    return { ...nothing, fault: error.kind }
  }
}

const nothing: Verdict = {
  status: 0,
  fault: null,
  redirect: null,
  contentType: null,
  bytes: null,
  width: null,
  height: null,
  lifetime: null,
}

function verdictOf(
  { status, headers, contentType, body }: Answer,
  method: 'HEAD' | 'GET',
  uses: number,
): Verdict {
  const told = Number(headers['content-length'] ?? Number.NaN)
  const plain = headers['content-encoding'] === undefined
  // Of an encoded body without a length nobody knows how much was transferred.
  const read = method === 'GET' && plain && body.length > 0 ? body.length : null
  const bytes = told > 0 ? told : read
  const size = uses & SOCIAL && method === 'GET' ? imageSize(body) : null
  return {
    ...nothing,
    status,
    contentType: contentType?.slice(0, 200).replaceAll('\0', '') ?? null,
    bytes: bytes === null ? null : Math.min(bytes, 2 ** 31 - 1),
    width: size?.width ?? null,
    height: size?.height ?? null,
    lifetime: lifetimeOf(headers),
  }
}

/** How long a cache may keep an answer, in seconds (RFC 9111 §4.2.1); 0 when nothing is said. */
function lifetimeOf(headers: Record<string, string>): number {
  const control = headers['cache-control'] ?? ''
  if (/\bno-(store|cache)\b/i.test(control)) return 0
  const age = /\bmax-age\s*=\s*"?(\d+)/i.exec(control)?.[1]
  if (age !== undefined) return Math.min(Number(age), 2 ** 31 - 1)
  const seconds = (Date.parse(headers['expires'] ?? '') - Date.parse(headers['date'] ?? '')) / 1000
  return seconds > 0 ? Math.min(Math.floor(seconds), 2 ** 31 - 1) : 0
}

/** Servers that negotiate send browsers another format than robots; what browsers get is what counts. */
function acceptOf(uses: number): string {
  if (uses & (IMAGE | ICON | SOCIAL)) return 'image/avif,image/webp,image/*,*/*;q=0.8'
  if (uses & STYLE) return 'text/css,*/*;q=0.1'
  return uses & LINK ? 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' : '*/*'
}
