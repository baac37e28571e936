const MAX_URL_LENGTH = 2048

/** An http(s) address without credentials and fragment; null when it is none, or too long. */
export function webAddress(given: string): URL | null {
  const url = URL.parse(given)
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return null
  url.hash = ''
  url.username = ''
  url.password = ''
  return url.href.length > MAX_URL_LENGTH ? null : url
}
