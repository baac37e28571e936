/** One answer, as far as it can tell what made it. */
export type Answered = {
  url: URL
  /** Names in lower case. */
  headers: Record<string, string>
  /** Whole `Set-Cookie` values. */
  setCookies: readonly string[]
  /** Decoded text of the page. */
  html: string
}

/** A page as HTML, or an answer where it differs from an empty one at https://example.test/. */
export type Example = string | (Partial<Omit<Answered, 'url'>> & { url?: string })

/** A content management system and what gives it away, each sign enough by itself. */
export type System = {
  name: string
  /** Of `<meta name="generator">`. */
  generator?: RegExp
  /** By name in lower case. */
  headers?: Record<string, RegExp>
  /** Of a cookie's name. */
  cookie?: RegExp
  /** Of the address of a script or a stylesheet, absolute. */
  loads?: RegExp
  /** Of the opening tags of html, body, meta, link, script and whatever has an id, as `<name key="value" …>`; of comments and inline scripts. */
  markup?: RegExp
  /** Of the page's own host name. */
  host?: RegExp
  examples: { good: readonly Example[]; bad: readonly Example[] }
}
