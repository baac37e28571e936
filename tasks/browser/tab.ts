import { setTimeout as sleep } from 'node:timers/promises'

import type { BrowserContext, CDPSession, Page } from 'playwright'

import { type Document, install, type State } from './probe.ts'
import { type Proxy, READY_URL } from './proxy.ts'
import { Traffic } from './traffic.ts'

/** Bounds of one visit. Milliseconds, bytes, characters. */
export const limits = {
  /** A page is ready when its document has not changed, and it has waited for no answer, for this long. */
  quietMs: 250,
  /** The same for a page that still shows nearly nothing: it may be waiting for a timer. */
  emptyQuietMs: 3_000,
  /** A page that is never ready is taken as it is. */
  settleMs: 10_000,
  serialiseMs: 5_000,
  deadlineMs: 30_000,
  requests: 300,
  bytes: 64 * 2 ** 20,
  htmlLength: 10 * 2 ** 20,
}
const CLOSE_MS = 5_000

/** Images are switched off at launch; this is for fonts, media, and the icon that the browser asks for by itself. */
const suffixes = 'woff woff2 ttf otf eot mp4 webm m4v mov ogv mp3 m4a ogg wav flac m3u8 mpd ico'
const unwanted = suffixes.split(' ').flatMap((suffix) => [`*.${suffix}`, `*.${suffix}?*`])
const everything = ['*']

export type RenderFaultKind = 'crashed' | 'timeout' | 'failed' | 'unavailable'

/** Why a page could not be rendered. */
export class RenderFault extends Error {
  override readonly name = 'RenderFault'
  readonly kind: RenderFaultKind

  constructor(kind: RenderFaultKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }

  /** Nothing is known against the page: the browser died under it. */
  get retryable() {
    return this.kind === 'crashed'
  }
}

export type Rendered = {
  /** The document as it stands after its scripts ran, with its doctype; open shadow trees in place. */
  html: string
  /** Where the page ended up, after redirects and client-side navigation. */
  url: string
  status: number
  /** Received over the network by all requests of the page. */
  bytes: number
  ms: number
  requests: number
}

/** One page of the browser, used for one visit after another. */
export class Tab {
  visits = 0
  isGone = false
  readonly context: BrowserContext
  readonly #page: Page
  readonly #cdp: CDPSession
  readonly #frame: string
  readonly #traffic: Traffic
  readonly #gone = Promise.withResolvers<never>()
  #spent = false

  static async open(context: BrowserContext): Promise<Tab> {
    const page = await context.newPage()
    const cdp = await context.newCDPSession(page)
    const [{ frameTree }] = await Promise.all([
      cdp.send('Page.getFrameTree'),
      cdp.send('Page.enable'),
      cdp.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }),
    ])
    return new Tab(context, page, cdp, frameTree.frame.id)
  }

  private constructor(context: BrowserContext, page: Page, cdp: CDPSession, frame: string) {
    this.context = context
    this.#page = page
    this.#cdp = cdp
    this.#frame = frame
    this.#traffic = new Traffic(cdp, frame, () => this.#restrain())
    this.#gone.promise.catch(ignore)
    const leave = (message: string) => {
      this.isGone = true
      this.#gone.reject(new RenderFault('crashed', message))
    }
    page.once('crash', () => leave('the page crashed'))
    page.once('close', () => leave('the browser or its page was closed'))
  }

  /**
   * Shows the proxy its password; the browser then sends it with every request of this context. Given to Playwright, it
   * would intercept every request for the same end.
   */
  async authenticate({ username, password }: Proxy) {
    const cdp = this.#cdp
    cdp.on(
      'Fetch.requestPaused',
      ({ requestId }) => void cdp.send('Fetch.continueRequest', { requestId }).catch(ignore),
    )
    cdp.on('Fetch.authRequired', ({ requestId }) => {
      const authChallengeResponse = { response: 'ProvideCredentials', username, password } as const
      void cdp.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(ignore)
    })
    await cdp.send('Fetch.enable', { handleAuthRequests: true })
    await this.#page.goto(READY_URL, { waitUntil: 'commit', timeout: limits.deadlineMs })
    await cdp.send('Fetch.disable')
  }

  /** Opens an address and waits until its scripts have filled the page. After a fault the tab is to be closed. */
  async visit(url: URL, signal?: AbortSignal): Promise<Rendered> {
    signal?.throwIfAborted()
    this.visits++
    const over = Promise.withResolvers<never>()
    const deadline = setTimeout(
      () => over.reject(new RenderFault('timeout', `not rendered within ${limits.deadlineMs / 1000} s`)),
      limits.deadlineMs,
    )
    const abort = () => over.reject(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    try {
      return await Promise.race([this.#render(url), this.#gone.promise, over.promise])
    } catch (error) {
      if (error instanceof RenderFault || error === signal?.reason) throw error
      const kind = this.isGone || /crashed|has been closed/.test(String(error)) ? 'crashed' : 'failed'
      throw new RenderFault(kind, firstLine(error), { cause: error })
    } finally {
      clearTimeout(deadline)
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Between visits the page may ask for nothing. */
  async rest() {
    await this.#cdp.send('Network.setBlockedURLs', { urls: everything })
  }

  /** False when the browser did not manage it. */
  async close(): Promise<boolean> {
    // Lets a page go that is caught in an endless loop.
    this.#cdp.send('Runtime.terminateExecution').catch(ignore)
    const closed = this.#page.close().then(
      () => true,
      () => true,
    )
    return await Promise.race([closed, sleep(CLOSE_MS, this.isGone, { ref: false })])
  }

  async #render(url: URL): Promise<Rendered> {
    const startedAt = performance.now()
    const traffic = this.#traffic
    this.#spent = false
    traffic.reset()
    await this.#cdp.send('Network.setBlockedURLs', { urls: unwanted })
    await this.#page.goto(url.href, { waitUntil: 'commit', timeout: limits.deadlineMs })
    await Promise.race([this.#settle(), sleep(limits.settleMs, undefined, { ref: false })])
    const document = await Promise.race([
      this.#serialise(),
      sleep(limits.serialiseMs, undefined, { ref: false }),
    ])
    if (!document) throw new RenderFault('timeout', 'its scripts do not end')
    if (traffic.isOurs || !/^https?:/.test(document.url))
      throw new RenderFault('failed', `${url.href} was not reached`)
    const { status, bytes, requests } = traffic
    return { ...document, status, bytes, requests, ms: Math.round(performance.now() - startedAt) }
  }

  async #settle() {
    const end = performance.now() + limits.settleMs
    while (performance.now() < end) {
      const state = await this.#ask<State>('probe()')
      const needed = state?.empty === false ? limits.quietMs : limits.emptyQuietMs
      const quiet = state?.parsed ? Math.min(state.quietMs, this.#traffic.quietMs) : 0
      if (quiet >= needed) return
      await sleep(Math.min(Math.max(needed - quiet, 20), 100))
    }
  }

  async #serialise(): Promise<Document> {
    const end = performance.now() + limits.serialiseMs
    for (;;) {
      const document = await this.#ask<Document>(`serialise(${limits.htmlLength})`)
      if (document) return document
      if (performance.now() > end) throw new RenderFault('timeout', 'it keeps moving to other addresses')
      await sleep(50)
    }
  }

  #world: number | undefined

  /** An answer from inside the page; undefined while one document gives way to the next. */
  async #ask<Answer>(expression: string): Promise<Answer | undefined> {
    try {
      this.#world ??= await this.#enter()
      const { result, exceptionDetails } = await this.#cdp.send('Runtime.evaluate', {
        expression,
        contextId: this.#world,
        returnByValue: true,
      })
      if (!exceptionDetails) return result.value as Answer
    } catch (error) {
      if (this.isGone) throw error
    }
    this.#world = undefined
    return undefined
  }

  async #enter(): Promise<number> {
    const { executionContextId } = await this.#cdp.send('Page.createIsolatedWorld', {
      frameId: this.#frame,
      worldName: 'probe',
    })
    await this.#cdp.send('Runtime.evaluate', { expression: install, contextId: executionContextId })
    return executionContextId
  }

  /** A page that asks for too much gets nothing more. */
  #restrain() {
    const { requests, decoded } = this.#traffic
    if (this.#spent || (requests <= limits.requests && decoded <= limits.bytes)) return
    this.#spent = true
    this.#cdp.send('Network.setBlockedURLs', { urls: everything }).catch(ignore)
    this.#cdp.send('Page.stopLoading').catch(ignore)
  }
}

const ignore = () => {}
const firstLine = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''
