import { createHash, hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

import { type CookieJar, FetchFault, type Head, openOnce } from '../http.ts'
import type { Content } from './archive.ts'
import type { Workspace } from './workspace.ts'

/** For one file with all its attempts, milliseconds. */
const FILE_MS = 60_000
/** Waits before an attempt that a broken connection calls for, milliseconds. */
const RETRY_AFTER = [200, 1000]
/** A body that is no larger waits in memory, any other in a file. */
const MEMORY_BYTES = 256 * 1024

export type Body = {
  content: Content
  size: number
  /** SHA-256 of the decoded body, in base64url. */
  hash: string
}
/** Why an answer has no body: it is no success, the job does not want it, it is too large, or not all of it came. */
type Lack = 'unsuccessful' | 'unwanted' | 'too large' | 'broken off'
export type Download = { head: Head; body: Body } | { head: Head; lacks: Lack } | FetchFault

export type Order = {
  cookies: CookieJar
  signal: AbortSignal
  workspace: Workspace
  /** Whether the body of a success is to be had. */
  wants: (head: Head) => boolean
  /** Of the decoded body. */
  maxBytes: (head: Head) => number
  /** Told of every piece of a body. */
  onBytes: (bytes: number) => void
}

/** One hop. Faults of the server are the result; it rejects on abort and when the disk fails. */
export async function download(url: URL, order: Order): Promise<Download> {
  const until = performance.now() + FILE_MS
  for (let attempt = 0; ; attempt++) {
    try {
      return await once(url, order, until - performance.now())
    } catch (error) {
      order.signal.throwIfAborted()
      if (!(error instanceof FetchFault)) throw error
      const wait = RETRY_AFTER[attempt]
      const mayPass = error.kind === 'dns' || error.kind === 'connection'
      if (wait === undefined || !mayPass || performance.now() + wait > until) return error
      await sleep(wait, undefined, { signal: order.signal }).catch(() => order.signal.throwIfAborted())
    }
  }
}

async function once(url: URL, order: Order, timeoutMs: number): Promise<Download> {
  const { cookies, signal } = order
  let lacks: Lack | undefined
  const opened = await openOnce(url, {
    cookies,
    signal,
    timeoutMs,
    maxBytes: Number.MAX_SAFE_INTEGER,
    wants(head) {
      if (head.status < 200 || head.status > 299) lacks = 'unsuccessful'
      else if (!order.wants(head)) lacks = 'unwanted'
      else if ((declaredBytes(head) ?? 0) > order.maxBytes(head)) lacks = 'too large'
      return lacks === undefined
    },
  })
  if (lacks) return { head: opened, lacks }
  const body = await new Reader(opened.body, order.maxBytes(opened), order).read()
  if (!body) return { head: opened, lacks: 'too large' }
  // A file that is broken off is no file.
  return opened.truncated ? { head: opened, lacks: 'broken off' } : { head: opened, body }
}

/** Of the decoded body, where that is known before it is there. */
export function declaredBytes({ headers }: Head): number | null {
  const length = headers['content-encoding'] ? undefined : headers['content-length']
  return length === undefined ? null : Number(length)
}

class Reader {
  readonly #stream: Readable
  readonly #limit: number
  readonly #order: Order
  #size = 0

  constructor(stream: Readable, limit: number, order: Order) {
    this.#stream = stream
    this.#limit = limit
    this.#order = order
  }

  /** Null when there is more than there may be. */
  async read(): Promise<Body | null> {
    const { chunks, ended } = await this.#intoMemory()
    if (!ended) return await this.#intoFile(chunks)
    const content = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
    return { content, size: content.length, hash: hash('sha256', content, 'base64url') }
  }

  #count(chunk: Buffer): boolean {
    this.#size += chunk.length
    this.#order.onBytes(chunk.length)
    return this.#size <= this.#limit
  }

  /** By events: half the cost of iterating, for bodies that come in one piece. */
  async #intoMemory() {
    const stream = this.#stream
    const chunks: Buffer[] = []
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    if (stream.errored) throw stream.errored
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      if (this.#count(chunk) && this.#size <= MEMORY_BYTES) return
      stream.pause()
      resolve(false)
    }
    stream
      .on('data', take)
      .on('end', () => resolve(true))
      .on('error', reject)
    const ended = await promise
    stream.off('data', take)
    return { chunks, ended: ended && this.#size <= this.#limit }
  }

  async #intoFile(begun: Buffer[]): Promise<Body | null> {
    const stream = this.#stream
    if (this.#size > this.#limit) {
      stream.destroy()
      return null
    }
    const file = this.#order.workspace.path()
    const whole = createHash('sha256')
    const handle = await open(file, 'wx')
    try {
      const write = async (chunk: Buffer) => {
        whole.update(chunk)
        await handle.writeFile(chunk)
      }
      for (const chunk of begun) await write(chunk)
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        // Leaving the loop destroys the stream.
        if (!this.#count(chunk)) return null
        await write(chunk)
      }
    } finally {
      await handle.close()
    }
    return { content: { file }, size: this.#size, hash: whole.digest('base64url') }
  }
}
