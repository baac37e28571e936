import { follow } from '../../crawl/follow.ts'
import { FetchFault } from '../../fault.ts'
import { productToken } from '../../http.ts'
import { parseRobots, readRobots } from '../../robots.ts'
import { bindingRobots } from '../geo/crawlers.ts'
import { type GeoPage, isPage, pageOf } from '../geo/page.ts'

const REQUEST_MS = 8_000
const BYTES = 2 * 2 ** 20
const REDIRECTS = 3

/** A page, read; null when it cannot be had. */
export type Look = (url: URL, options: { signal: AbortSignal; isForeign: boolean }) => Promise<GeoPage | null>

/** Looks at one page through the same door as every fetch; at others' pages only where their robots.txt lets us. */
export const lookAt: Look = async (url, { signal, isForeign }) => {
  const bounded = { signal, timeoutMs: REQUEST_MS }
  try {
    if (isForeign) {
      const robots = parseRobots(bindingRobots(await readRobots(url, bounded)).text)
      if (!robots.allows(url.pathname + url.search, productToken)) return null
    }
    const { answer } = await follow(url, { ...bounded, maxBytes: BYTES, most: REDIRECTS })
    return isPage(answer) ? pageOf(answer) : null
  } catch (error) {
    if (error instanceof FetchFault || signal.aborted) return null
    throw error
  }
}
