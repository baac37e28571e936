import { Problem } from '../../../problem.ts'
import { isChallenge } from '../../crawl/challenge.ts'
import { follow } from '../../crawl/follow.ts'
import { normalise } from '../../crawl/url.ts'
import { FetchFault } from '../../fault.ts'
import type { Answer } from '../../http.ts'
import { limits } from './limits.ts'
import { type GeoPage, isPage, pageOf } from './page.ts'

/**
 * Fetches the page to be audited: a whole address, or a host that is tried by https first. Redirects are followed; the
 * page knows where they ended. All of it takes no longer than so many milliseconds. Anything but an HTML page that answers
 * with success is `upstream_failed` with a reason.
 */
export async function reach(given: string, ms: number, signal: AbortSignal): Promise<GeoPage> {
  const isWhole = /^https?:\/\//i.test(given)
  const bare = given.replace(/^\/+/, '')
  const addresses = isWhole ? [given] : [`https://${bare}`, `http://${bare}`]
  const urls = addresses.flatMap((address) => normalise(address) ?? [])
  let fault = 'this is no address'
  for (const url of urls) {
    try {
      return read(await fetchPage(url, ms / urls.length, signal))
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof FetchFault)) throw error
      fault = `${url.href}: ${error.message}`
      if (error.kind === 'dns' || error.kind === 'forbidden') break
    }
  }
  throw new Problem('upstream_failed', { reason: fault })
}

async function fetchPage(url: URL, timeoutMs: number, signal: AbortSignal): Promise<Answer> {
  const late = AbortSignal.timeout(timeoutMs)
  try {
    const options = { timeoutMs, maxBytes: limits.pageBytes, most: limits.redirects, wants: isPage }
    const { answer } = await follow(url, { ...options, signal: AbortSignal.any([signal, late]) })
    return answer
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error
    throw new FetchFault('timeout', `not done within ${timeoutMs / 1000} s`, { cause: error })
  }
}

function read(answer: Answer): GeoPage {
  const { status, contentType, url } = answer
  const refuse = (reason: string) => new Problem('upstream_failed', { reason: `${url.href}: ${reason}` })
  if (status < 200 || status > 299) throw refuse(`the page answers ${status}`)
  if (!isPage(answer)) throw refuse(`${contentType} is no HTML page`)
  const page = pageOf(answer)
  if (isChallenge(answer, page.facts)) throw refuse('a firewall answers with a test for robots')
  return page
}
