import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

import type { BrowserContext } from 'playwright'
import { Counter } from 'prom-client'

import { registry } from '../telemetry.ts'
import { closeBrowser, enterBrowser, recycling, type Running } from './browser/running.ts'
import { Slots } from './browser/slots.ts'
import { type Rendered, RenderFault, Tab } from './browser/tab.ts'

export { findBrowser } from './browser/chromium.ts'
export { closeBrowser } from './browser/running.ts'
export { type Rendered, RenderFault } from './browser/tab.ts'

/** Pages rendered at once by this process. More are no faster: the browser's own work fills the cores. */
export const slotCount = Math.min(4, Math.max(2, 2 * availableParallelism()))
/** A tab without work is closed after this long, so that its scripts do not run on; milliseconds. */
const REST_MS = 5_000
/** A browser that no crawl has open ends after this long; milliseconds. */
const IDLE_MS = 60_000
/** What a dead browser takes to be noticed; milliseconds. */
const RESTART_MS = 200

const slots = new Slots(slotCount)
const renders = new Counter({
  name: 'seo_browser_renders_total',
  help: 'Pages rendered, by outcome',
  labelNames: ['outcome'],
  registers: [registry],
})
const tabs = new Counter({
  name: 'seo_browser_tabs_total',
  help: 'Browser tabs opened',
  registers: [registry],
})

export type Cookie = { name: string; value: string; url: string }
export type SessionOptions = { userAgent: string; cookies?: readonly Cookie[] | undefined }

let sessions = 0
let idle: NodeJS.Timeout | undefined

/** A browser for one crawl, sharing cookies and cache with no other. Rejects when no browser starts. */
export async function openSession(options: SessionOptions): Promise<Session> {
  clearTimeout(idle)
  sessions++
  const session = new Session(options)
  try {
    await session.start()
  } catch (error) {
    await session.close()
    throw error
  }
  return session
}

export class Session {
  readonly #options: SessionOptions
  #home: { running: Running; context: Promise<BrowserContext> } | undefined
  #isClosed = false

  constructor(options: SessionOptions) {
    this.#options = options
  }

  async start() {
    const running = await enterBrowser()
    try {
      await running.answer(this.#contextIn(running))
    } finally {
      running.leave()
    }
  }

  /** The page as its scripts leave it. Rejects with a `RenderFault`, or with the signal's reason. */
  async render(url: URL, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<Rendered> {
    await slots.take(signal)
    try {
      const rendered = await this.#render(url, signal)
      renders.inc({ outcome: 'rendered' })
      return rendered
    } catch (error) {
      renders.inc({ outcome: error instanceof RenderFault ? error.kind : 'aborted' })
      throw error
    } finally {
      slots.give()
    }
  }

  async close() {
    if (this.#isClosed) return
    this.#isClosed = true
    sessions--
    if (sessions === 0) idle = setTimeout(() => void closeBrowser(), IDLE_MS).unref()
    const home = this.#home
    await home?.running.answer(home.context.then((context) => context.close())).catch(() => {})
  }

  async #render(url: URL, signal: AbortSignal | undefined): Promise<Rendered> {
    const { running, tab } = await this.#enter()
    try {
      try {
        const rendered = await tab.visit(url, signal)
        await running.answer(this.#keep(tab)).catch(() => tab.close())
        return rendered
      } catch (error) {
        if (!(await tab.close())) running.kill()
        throw error
      }
    } finally {
      running.leave()
    }
  }

  /** A browser that died since its last visit is found out here, and replaced. */
  async #enter(mayFail = true): Promise<{ running: Running; tab: Tab }> {
    const running = await enterBrowser()
    try {
      return { running, tab: await running.answer(this.#tabIn(running)) }
    } catch (error) {
      running.leave()
      if (!mayFail || this.#isClosed) throw error
    }
    this.#home = undefined
    await sleep(RESTART_MS)
    return await this.#enter(false)
  }

  async #tabIn(running: Running): Promise<Tab> {
    const context = await this.#contextIn(running)
    return takeResting(context) ?? (await openTab(context))
  }

  async #contextIn(running: Running): Promise<BrowserContext> {
    if (this.#isClosed) throw new RenderFault('unavailable', 'the session is closed')
    if (this.#home?.running === running) return await this.#home.context
    const context = this.#openContext(running)
    this.#home = { running, context }
    context.catch(() => {
      if (this.#home?.context === context) this.#home = undefined
    })
    return await context
  }

  async #openContext({ browser, proxy }: Running) {
    const { userAgent, cookies = [] } = this.#options
    const context = await browser.newContext({
      userAgent,
      serviceWorkers: 'block',
      acceptDownloads: false,
      permissions: [],
    })
    context.on(
      'page',
      (page) =>
        void page.opener().then(
          (opener) => opener && page.close(),
          () => {},
        ),
    )
    await context.addCookies([...cookies])
    const tab = await openTab(context)
    await tab.authenticate(proxy)
    await this.#keep(tab)
    return context
  }

  async #keep(tab: Tab) {
    const isWanted = tab.visits < recycling.tabVisits && !this.#isClosed
    if (isWanted) await rest(tab)
    else void tab.close()
  }
}

async function openTab(context: BrowserContext) {
  tabs.inc()
  return await Tab.open(context)
}

/** The tabs of all sessions that wait for their next visit, longest first. */
const resting: { tab: Tab; timer: NodeJS.Timeout }[] = []

function takeResting(context: BrowserContext): Tab | undefined {
  const index = resting.findIndex(({ tab }) => tab.context === context && !tab.isGone)
  return index < 0 ? undefined : wake(index)
}

async function rest(tab: Tab) {
  await tab.rest()
  const timer = setTimeout(
    () => void wake(resting.findIndex((one) => one.tab === tab))?.close(),
    REST_MS,
  ).unref()
  resting.push({ tab, timer })
  if (resting.length > slotCount) void wake(0)?.close()
}

function wake(index: number): Tab | undefined {
  const [found] = index < 0 ? [] : resting.splice(index, 1)
  clearTimeout(found?.timer)
  return found?.tab
}
