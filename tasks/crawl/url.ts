import { hash } from 'node:crypto'

const URL_LENGTH = 2048
/** Addresses remembered: most pages of a site name the same ones. */
const REMEMBERED = 10_000

// Tabs and line breaks are none of these: the URL standard drops them.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** The address a reference means, or null when the crawler has no business there. Fragments and credentials are dropped. */
export function normalise(href: string, base?: string | URL): URL | null {
  const trimmed = href.trim()
  if (trimmed.length > URL_LENGTH * 2 || CONTROL.test(trimmed)) return null
  const url = URL.parse(trimmed, typeof base === 'object' ? base.href : base)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  if (url.hash || url.href.endsWith('#')) url.hash = ''
  if (url.username) url.username = ''
  if (url.password) url.password = ''
  return url.href.length > URL_LENGTH || !url.hostname ? null : url
}

const resolved = new Map<string, URL | null>()

/** `normalise` for the many references of one page; what does not depend on the page's path is done once for all. */
export function resolver(base: string | URL): (href: string) => URL | null {
  const page = typeof base === 'string' ? new URL(base) : base
  const { origin, href: whole } = page
  return (href) => {
    const isRooted = href.startsWith('/')
    if (!isRooted && !href.startsWith('http://') && !href.startsWith('https://'))
      return normalise(href, whole)
    const key = isRooted ? `${origin} ${href}` : href
    let url = resolved.get(key)
    if (url === undefined) resolved.set(key, (url = normalise(href, whole)))
    if (resolved.size > REMEMBERED) resolved.clear()
    return url
  }
}

const keys = new Map<string, string>()

/** The key under which pages, links and the frontier know an address: the first 8 bytes of its SHA-1, as signed int64. */
export function urlKey(url: string): string {
  let key = keys.get(url)
  if (key === undefined) keys.set(url, (key = hash('sha1', url, 'buffer').readBigInt64BE(0).toString()))
  if (keys.size > REMEMBERED) keys.clear()
  return key
}
