import { Problem } from '../../problem.ts'
import { webAddress } from '../web-address.ts'

/** The address a scan starts from: `https://` is put before a bare host name; all but http(s) is refused with 422. */
export function startUrl(given: string): URL {
  const url = webAddress(/^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `https://${given}`)
  if (!url) throw new Problem('invalid', { field: 'start_url' })
  return url
}
