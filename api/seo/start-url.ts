import { Problem } from '../../problem.ts'

const MAX_URL_LENGTH = 2048

/** The address a scan starts from: `https://` is put before a bare host name; all but http(s) is refused with 422. */
export function startUrl(given: string): URL {
  if (given === '') throw new Problem('invalid', { field: 'start_url' })
  const absolute = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `https://${given}`
  const url = URL.parse(absolute)
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new Problem('invalid', { field: 'start_url' })
  url.hash = ''
  url.username = ''
  url.password = ''
  if (url.href.length > MAX_URL_LENGTH) throw new Problem('invalid', { field: 'start_url' })
  return url
}
