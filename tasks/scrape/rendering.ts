import { log } from '../../telemetry.ts'
import { findBrowser, openSession, type Session } from '../browser.ts'
import { parse } from '../crawl/parse.ts'
import { addsSubstantially, needsBrowser } from '../crawl/render.ts'
import { userAgent } from '../http.ts'

/** Pages that look empty and stay so in a browser, until the job goes on without one. */
const TRIALS = 3

/** The browser of one job, opened for the first page that is empty without its scripts. */
export class Rendering {
  #session: Promise<Session> | undefined
  #trials = 0
  #isOff = findBrowser() === null

  /** The page as its scripts leave it, without them; null when it shows as much as it is. */
  async fill(html: string, url: URL, signal: AbortSignal): Promise<{ html: string; url: URL } | null> {
    if (this.#isOff || !/<script\b[^>]*\bsrc\b/i.test(html)) return null
    const facts = parse(html, url)
    if (!needsBrowser(facts)) return null
    try {
      const session = await (this.#session ??= openSession({ userAgent }))
      const rendered = await session.render(url, { signal })
      const there = new URL(rendered.url)
      if (addsSubstantially(facts, parse(rendered.html, there)))
        return { html: withoutScripts(rendered.html), url: there }
    } catch (error) {
      signal.throwIfAborted()
      log.warn({ err: error, url: url.href }, 'page could not be rendered')
    }
    this.#isOff = ++this.#trials >= TRIALS
    return null
  }

  async close() {
    const session = await this.#session?.catch(() => undefined)
    await session?.close()
  }
}

/** They have done their work, and would undo it where they find no server. Browsers write tags in one way only. */
const withoutScripts = (html: string) => html.replace(/<script(?:\s(?:[^>"]|"[^"]*")*)?>[^]*?<\/script>/g, '')
