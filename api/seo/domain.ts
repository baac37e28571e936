import { z } from 'zod'

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/
const LENGTH = 253

/**
 * The host name in what people write for a site: scheme, user, port, path, `www.` and a trailing dot dropped, lower
 * case, IDN as ASCII (WHATWG URL). Null when there is none; an IP address is none.
 */
export function domainOf(given: string): string | null {
  const rest = given.trim().replace(/^(https?:[\\/]*|[a-z][a-z0-9+.-]*:\/\/|\/\/)/i, '')
  const host =
    URL.parse(`http://${rest}`)
      ?.hostname.replace(/\.$/, '')
      .replace(/^www\.(?=.*\.)/, '') ?? ''
  const labels = host.split('.')
  const isName = host.length <= LENGTH && labels.every((label) => LABEL.test(label))
  return isName && !/^\d+$/.test(labels.at(-1) ?? '') ? host : null
}

/** A site's domain in a body. */
export const domain = z
  .string()
  .transform((given, context) => {
    const found = domainOf(given)
    if (found !== null) return found
    context.addIssue({ code: 'custom', message: 'domain' })
    return z.NEVER
  })
  .meta({ override: { type: 'string' }, example: 'example.com' })
