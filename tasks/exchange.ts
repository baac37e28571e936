import { Readable } from 'node:stream'

import { context, createContextKey, ROOT_CONTEXT } from '@opentelemetry/api'
import type { Dispatcher } from 'undici'

import { isStale } from './agent.ts'
import { decoder } from './decode.ts'
import { FetchFault, faultOf } from './fault.ts'

/** An unwanted body is read to its end when that is cheaper than a new connection. */
const drainBytes = 64 * 1024

export type Head = {
  url: URL
  status: number
  /** Names in lower case, repeated ones joined by `, `; without `set-cookie`. */
  headers: Record<string, string>
  setCookies: string[]
  /** MIME type in lower case, without parameters. */
  contentType: string | null
  /** From the call, so with DNS and connect, until the headers were there. */
  ttfbMs: number
}
/** An answer whose body is still to be read, or destroyed. */
export type Opened = Head & {
  /** Decoded. */
  body: Readable
  /** Whether the body is not all there is: cut at `maxBytes`, broken off inside its encoding, or not wanted. */
  truncated: boolean
}

export type Order = {
  url: URL
  request: Dispatcher.DispatchOptions
  maxBytes: number
  timeoutMs: number
  wants: ((head: Head) => boolean) | undefined
  signal: AbortSignal | undefined
}

/** One request and its answer, as soon as the headers are there. Every failure is a `FetchFault`, or the signal's reason. */
export function exchange(order: Order, through: Dispatcher): Promise<Opened> {
  return new Promise((resolve, reject) => new Exchange(order, through, resolve, reject).start())
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #order: Order
  readonly #through: Dispatcher
  readonly #resolve: (opened: Opened) => void
  readonly #reject: (reason: Error) => void
  readonly #startedAt = performance.now()
  #deadline: NodeJS.Timeout | undefined
  #controller: Dispatcher.DispatchController | undefined
  #opened: Opened | undefined
  #decoder: ReturnType<typeof decoder> | undefined
  /** Decoded bytes handed on, or bytes of an unwanted body thrown away. */
  #bytes = 0
  #unwanted = false
  #retried = false
  #over = false

  constructor(
    order: Order,
    through: Dispatcher,
    resolve: (opened: Opened) => void,
    reject: (reason: Error) => void,
  ) {
    this.#order = order
    this.#through = through
    this.#resolve = resolve
    this.#reject = reject
  }

  start() {
    const { signal, timeoutMs } = this.#order
    if (signal?.aborted) return this.#fail(signal.reason as Error)
    signal?.addEventListener('abort', this.#onAbort)
    this.#deadline = setTimeout(
      () => this.#fail(new FetchFault('timeout', `not done within ${timeoutMs / 1000} s`)),
      timeoutMs,
    )
    this.#dispatch()
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller
    // The deadline can pass while the connection is being made; undici asks only now.
    if (this.#over) controller.abort(new Error('no longer wanted'))
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ) {
    if (status < 200 || this.#over) return
    const head = headOf(this.#order.url, status, headers, performance.now() - this.#startedAt)
    this.#unwanted = this.#order.wants?.(head) === false
    this.#opened = { ...head, body: this.#body(), truncated: this.#unwanted }
    this.#resolve(this.#opened)
    if (!this.#unwanted) return
    this.#opened.body.push(null)
    if (Number(head.headers['content-length'] ?? 0) > drainBytes) this.#finish()
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#over || !this.#opened) return
    if (this.#unwanted) {
      this.#bytes += chunk.length
      if (this.#bytes > drainBytes) this.#finish()
      return
    }
    if (this.#decoder === undefined) this.#decoder = this.#openDecoder(this.#opened, chunk)
    const more = this.#decoder ? this.#decoder.input.write(chunk) : this.#deliver(chunk)
    if (!more) controller.pause()
  }

  onResponseEnd() {
    if (this.#over) return
    clearTimeout(this.#deadline)
    if (this.#unwanted) this.#finish()
    else if (this.#decoder) this.#decoder.input.end()
    else this.#opened?.body.push(null)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error) {
    const { method } = this.#order.request
    const again = !this.#opened && !this.#retried && !this.#over && isStale(error) && method !== 'POST'
    if (!again) return this.#fail(faultOf(error))
    this.#retried = true
    this.#dispatch()
  }

  /** Crawled sites are told nothing of our traces, and a crawl's fetches would flood them. */
  #dispatch() {
    context.with(untraced, () => this.#through.dispatch(this.#order.request, this))
  }

  #body(): Readable {
    const body = new Readable({
      read: () => {
        if (this.#decoder) this.#decoder.output.resume()
        else this.#controller?.resume()
      },
      destroy: (error, done) => {
        this.#finish()
        done(error)
      },
    })
    // Without a listener an error would end the process; whoever reads later is told by the stream's state.
    return body.on('error', () => {})
  }

  /** Passes decoded bytes on; false when the reader has enough for now, or for good. */
  #deliver(chunk: Buffer): boolean {
    if (this.#over || !this.#opened) return false
    const room = this.#order.maxBytes - this.#bytes
    this.#bytes += chunk.length
    if (chunk.length <= room) return this.#opened.body.push(chunk)
    this.#opened.body.push(chunk.subarray(0, room))
    this.#cut()
    return false
  }

  #cut() {
    if (!this.#opened || this.#over) return
    this.#opened.truncated = true
    this.#opened.body.push(null)
    this.#finish()
  }

  #openDecoder({ headers, body }: Opened, firstBytes: Buffer) {
    const encoding = headers['content-encoding']
    const stages = encoding ? decoder(encoding, firstBytes) : null
    stages?.input.on('drain', () => this.#controller?.resume())
    stages?.output
      .on('data', (chunk: Buffer) => {
        if (!this.#deliver(chunk)) stages.output.pause()
      })
      .on('end', () => body.push(null))
      // What was decoded before the corruption is shown, as browsers do.
      .on('error', (error) => {
        if (this.#bytes > 0) this.#cut()
        else this.#fail(new FetchFault('encoding', `the ${encoding} encoding is corrupt`, { cause: error }))
      })
    return stages
  }

  readonly #onAbort = () => this.#fail(this.#order.signal?.reason as Error)

  #fail(reason: Error) {
    if (this.#over) return
    this.#finish()
    if (this.#opened) this.#opened.body.destroy(reason)
    else this.#reject(reason)
  }

  #finish() {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#deadline)
    this.#order.signal?.removeEventListener('abort', this.#onAbort)
    this.#decoder?.output.destroy()
    this.#controller?.abort(new Error('no longer wanted'))
  }
}

const untraced = ROOT_CONTEXT.setValue(
  createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING'),
  true,
)

function headOf(
  url: URL,
  status: number,
  received: Record<string, string | string[] | undefined>,
  ttfbMs: number,
): Head {
  const headers: Record<string, string> = {}
  let setCookies: string[] = []
  for (const name in received) {
    const value = received[name] ?? ''
    if (name === 'set-cookie') setCookies = [value].flat()
    else headers[name] = typeof value === 'string' ? value : value.join(', ')
  }
  const type = /^[^;,]+/
    .exec(headers['content-type'] ?? '')?.[0]
    .trim()
    .toLowerCase()
  return { url, status, headers, setCookies, contentType: type?.includes('/') ? type : null, ttfbMs }
}
