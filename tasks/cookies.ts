import { CookieJar as Jar, type SerializedCookieJar } from 'tough-cookie'

const maxCookies = 300
const maxCookieBytes = 4_096
const maxHeaderBytes = 8_192

/** The cookies of one crawl, bounded so that a site which sets one on every page cannot grow it. */
export class CookieJar {
  #jar: Jar
  /** At least as many as the jar holds: a cookie set anew is counted again. */
  #held: number

  /** `saved` is what an earlier jar of the crawl left. */
  constructor(saved?: string | null) {
    this.#jar = saved ? Jar.deserializeSync(saved) : new Jar(undefined, { looseMode: true })
    this.#held = saved ? maxCookies : 0
  }

  /** All cookies, for a later jar; null when there are none. */
  save(): string | null {
    return this.#held === 0 ? null : JSON.stringify(this.#jar)
  }

  /** The `Cookie` header for an address; empty when there is none. */
  header(url: URL): string {
    if (this.#held === 0) return ''
    let header = ''
    for (const cookie of this.#jar.getCookiesSync(url.href)) {
      const next = header ? `${header}; ${cookie.cookieString()}` : cookie.cookieString()
      if (next.length > maxHeaderBytes) break
      header = next
    }
    return header
  }

  /** Keeps what an answer sets, as far as its address may set it. */
  store(url: URL, setCookies: readonly string[]) {
    for (const line of setCookies) {
      if (line.length > maxCookieBytes) continue
      if (this.#held >= maxCookies) this.#trim()
      if (this.#jar.setCookieSync(line, url.href, { ignoreError: true })) this.#held += 1
    }
  }

  /** Drops the older half of a full jar. */
  #trim() {
    const { cookies, ...rest } = this.#jar.serializeSync() ?? { cookies: [] }
    const kept = cookies.length < maxCookies ? cookies : cookies.slice(-maxCookies / 2)
    if (kept !== cookies) this.#jar = Jar.deserializeSync({ ...rest, cookies: kept } as SerializedCookieJar)
    this.#held = kept.length
  }
}
