import type { CDPSession } from 'playwright'

import { PROXY_STATUS } from './proxy.ts'

/** What a page waits for before it shows its content. */
const awaited = ['Document', 'Script', 'Fetch', 'XHR']

/** What a page asks the network for during one visit, as its debugging session tells it. */
export class Traffic {
  /** Those that were let out. */
  requests = 0
  /** Bytes received, as they came over the network. */
  bytes = 0
  /** Bytes received, decoded, or read from the cache. */
  decoded = 0
  /** Of the last document in the main frame. */
  status = 0
  /** The last document is an answer of our proxy: the site could or may not be reached. */
  isOurs = false
  readonly #pending = new Set<string>()
  #quietSince = 0

  constructor(cdp: CDPSession, mainFrame: string, onMore: () => void) {
    cdp.on('Network.requestWillBeSent', ({ requestId, type, frameId, request }) => {
      if (!/^https?:/.test(request.url)) return
      this.requests++
      if (type === 'Document' && frameId === mainFrame) this.#pending.clear()
      const isAwaited = awaited.includes(type ?? '') && (type !== 'Document' || frameId === mainFrame)
      if (isAwaited) this.#pending.add(requestId)
      onMore()
    })
    cdp.on('Network.responseReceived', ({ type, frameId, response }) => {
      if (type !== 'Document' || frameId !== mainFrame) return
      this.status = response.status
      this.isOurs = Object.keys(response.headers).some((name) => name.toLowerCase() === PROXY_STATUS)
    })
    cdp.on('Network.dataReceived', ({ dataLength }) => {
      this.decoded += dataLength
      onMore()
    })
    cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      this.bytes += encodedDataLength
      this.#end(requestId)
    })
    cdp.on('Network.loadingFailed', ({ requestId, blockedReason }) => {
      if (blockedReason) this.requests--
      this.#end(requestId)
    })
  }

  /** Milliseconds since the last awaited request ended; 0 while one is under way. */
  get quietMs() {
    return this.#pending.size > 0 ? 0 : performance.now() - this.#quietSince
  }

  reset() {
    this.requests = this.bytes = this.decoded = this.status = 0
    this.isOurs = false
    this.#pending.clear()
    this.#quietSince = performance.now()
  }

  #end(requestId: string) {
    if (this.#pending.delete(requestId)) this.#quietSince = performance.now()
  }
}
