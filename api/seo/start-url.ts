import { Problem } from '../../problem.ts'

const MAX_URL_LENGTH = 2048
const MAX_HOST_LENGTH = 253
const SCHEME = /^https?:\/\//i
/** What may stand without a scheme: a host, with a port and a path if need be; no path alone, no `mailto:`. */
const BARE = /^(\/\/)?(\[[^\]]*\]|[^/?#:@]+)(:\d+)?([/?#]|$)/
/** Parsed hosts are ASCII in lower case; IPv6 stands in brackets. */
const HOST = /^(\[.+\]|[\w-]{1,63}(\.[\w-]{1,63})*\.?)$/

/** The address a scan starts from: `https://` is put before a bare host name; all but http(s) is refused with 422. */
export function startUrl(given: string): URL {
  const url = SCHEME.test(given) ? URL.parse(given) : BARE.test(given) ? URL.parse(`https://${given}`) : null
  if (!url || !HOST.test(url.hostname) || url.hostname.length > MAX_HOST_LENGTH) throw refused()
  url.hash = ''
  url.username = ''
  url.password = ''
  if (url.href.length > MAX_URL_LENGTH) throw refused()
  return url
}

const refused = () => new Problem('invalid', { field: 'start_url' })
