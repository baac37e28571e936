/**
 * Whether a URL belongs to the site of a scan: the same host and port, or with `includeSubdomains` also a subdomain
 * of the host without its `www.`. `http` and `https` on their default ports are one site: `URL.host` has neither port.
 */
export function scope(host: string, includeSubdomains: boolean): (url: URL) => boolean {
  if (!includeSubdomains) return (url) => url.host === host
  const domain = host.replace(/^www\./, '')
  const suffix = `.${domain}`
  return (url) => url.host === domain || url.host.endsWith(suffix)
}

/** Whether two hosts differ in a leading `www.` alone. */
export function isWwwTwin(host: string, other: string): boolean {
  return host === `www.${other}` || other === `www.${host}`
}
