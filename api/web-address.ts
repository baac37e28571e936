const MAX_URL_LENGTH = 2048
const MAX_HOST_LENGTH = 253
const SCHEME = /^https?:\/\//i
/** Parsed hosts are ASCII in lower case; IPv6 stands in brackets. */
const HOST = /^(\[.+\]|[\w-]{1,63}(\.[\w-]{1,63})*\.?)$/

/** An http(s) address without credentials and fragment; null when it is none, or too long. */
export function webAddress(given: string): URL | null {
  const url = SCHEME.test(given) ? URL.parse(given) : null
  if (!url || !HOST.test(url.hostname) || url.hostname.length > MAX_HOST_LENGTH) return null
  url.hash = ''
  url.username = ''
  url.password = ''
  return url.href.length > MAX_URL_LENGTH ? null : url
}
