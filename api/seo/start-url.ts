import { Problem } from '../../problem.ts'
import { webAddress } from '../web-address.ts'

/** What may stand without a scheme: a host, with a port and a path if need be; no path alone, no `mailto:`. */
const BARE = /^(\/\/)?(\[[^\]]*\]|[^/?#:@]+)(:\d+)?([/?#]|$)/

/** An address that is looked at: `https://` is put before a bare host name; all but http(s) is refused with 422. */
export function startUrl(given: string, field = 'start_url'): URL {
  const url = webAddress(BARE.test(given) ? `https://${given}` : given)
  if (!url) throw new Problem('invalid', { field })
  return url
}
