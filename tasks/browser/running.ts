import { setTimeout as sleep } from 'node:timers/promises'

import type { Browser } from 'playwright'
import { Counter } from 'prom-client'

import { log, registry } from '../../telemetry.ts'
import { rules } from '../agent.ts'
import { findBrowser, launch } from './chromium.ts'
import { type Proxy, startProxy } from './proxy.ts'
import { RenderFault } from './tab.ts'

/** Tabs and browsers only ever grow, so they are replaced after so many visits. */
export const recycling = { tabVisits: 25, browserVisits: 500 }
const CLOSE_MS = 5_000
/** What a browser does at once unless it hangs; milliseconds. */
const ANSWER_MS = 10_000

const starts = new Counter({
  name: 'seo_browser_starts_total',
  help: 'Browsers started',
  registers: [registry],
})

/** The browser for the next visit; `leave` it afterwards. One process has one, started on first use. */
export async function enterBrowser(): Promise<Running> {
  for (;;) {
    const latest = (current ??= start())
    const running = await latest
    if (running.enter()) return running
    if (current === latest) current = undefined
  }
}

/** Ends the browsers of this process, and the proxy they go through. */
export async function closeBrowser() {
  await starting?.catch(() => {})
  const door = proxy
  const ending = [...alive]
  current = undefined
  proxy = undefined
  await Promise.all(ending.map((running) => running.close()))
  await (await door)?.close()
}

let current: Promise<Running> | undefined
let starting: Promise<Running> | undefined
let proxy: Promise<Proxy> | undefined
const alive = new Set<Running>()

function start() {
  const started = startBrowser().finally(() => {
    if (starting === started) starting = undefined
  })
  started.catch(() => {
    if (current === started) current = undefined
  })
  starting = started
  return started
}

async function startBrowser(): Promise<Running> {
  const executable = findBrowser()
  if (executable === null) throw new RenderFault('unavailable', 'there is no browser here')
  try {
    proxy ??= startProxy(rules)
    const browser = await launch(executable, await proxy)
    const cdp = await browser.newBrowserCDPSession()
    const { processInfo } = await cdp.send('SystemInfo.getProcessInfo')
    starts.inc()
    return new Running(browser, await proxy, processInfo.find(({ type }) => type === 'browser')?.id)
  } catch (error) {
    throw new RenderFault('unavailable', `${executable} does not start: ${String(error)}`, { cause: error })
  }
}

/** One browser process. */
export class Running {
  readonly browser: Browser
  readonly proxy: Proxy
  readonly #pid: number | undefined
  #visits = 0
  #inside = 0
  #retired = false
  readonly #death = Promise.withResolvers<never>()
  #closing: Promise<void> | undefined

  constructor(browser: Browser, proxy: Proxy, pid: number | undefined) {
    this.browser = browser
    this.proxy = proxy
    this.#pid = pid
    alive.add(this)
    this.#death.promise.catch(() => {})
    browser.once('disconnected', () => {
      if (!this.#closing) log.warn({ visits: this.#visits }, 'the browser died')
      this.#retire()
      alive.delete(this)
      this.#death.reject(new RenderFault('crashed', 'the browser died'))
    })
  }

  /** False when it takes no more visits. */
  enter(): boolean {
    if (this.#visits >= recycling.browserVisits) this.#retire()
    if (this.#retired || !this.browser.isConnected()) return false
    this.#visits++
    this.#inside++
    return true
  }

  leave() {
    this.#inside--
    if (this.#retired && this.#inside === 0) void this.close()
  }

  /** The outcome of something asked of the browser; one that does not answer is killed. */
  async answer<Outcome>(work: Promise<Outcome>): Promise<Outcome> {
    const late = setTimeout(() => this.kill(), ANSWER_MS)
    try {
      // Playwright leaves some promises open when the browser goes.
      return await Promise.race([work, this.#death.promise])
    } catch (error) {
      if (error instanceof RenderFault) throw error
      throw new RenderFault('crashed', `the browser failed: ${String(error)}`, { cause: error })
    } finally {
      clearTimeout(late)
    }
  }

  #retire() {
    if (this.#retired) return
    this.#retired = true
    current = undefined
    if (this.#inside === 0) void this.close()
  }

  close(): Promise<void> {
    this.#retired = true
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close() {
    const closed = this.browser.close().then(
      () => true,
      () => true,
    )
    if (!(await Promise.race([closed, sleep(CLOSE_MS, false, { ref: false })]))) this.kill()
    alive.delete(this)
  }

  /** For a browser that no longer listens; the visits under way fail. */
  kill() {
    this.#retire()
    this.#death.reject(new RenderFault('crashed', 'the browser did not answer'))
    if (!this.browser.isConnected() || this.#pid === undefined) return
    try {
      process.kill(this.#pid, 'SIGKILL')
    } catch (error) {
      log.warn({ err: error }, 'the browser is gone already')
    }
  }
}
