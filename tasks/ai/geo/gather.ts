import type { SiteFacts } from '../../../sql/probes.ts'
import { findBrowser, openSession, RenderFault } from '../../browser.ts'
import { follow } from '../../crawl/follow.ts'
import type { Ask } from '../../crawl/probes/ask.ts'
import { probeLlms, probeVisits } from '../../crawl/probes/site.ts'
import { surveySitemaps } from '../../crawl/probes/sitemaps.ts'
import { scope } from '../../crawl/scope.ts'
import type { Listed } from '../../crawl/sitemap.ts'
import { FetchFault } from '../../fault.ts'
import { productToken, userAgent } from '../../http.ts'
import type { Tools } from '../../outcome.ts'
import { parseRobots, readRobots } from '../../robots.ts'
import { bindingRobots, crawlersOf } from './crawlers.ts'
import { limits } from './limits.ts'
import { type GeoPage, isPage, pageOf, readPage } from './page.ts'
import { addressOf, choosePages } from './sample.ts'
import type { GeoSite } from './site.ts'

/** Learns what there is to know of a page's site, all at once. What fails, or is not done in time, stays unknown. */
export async function gather(page: GeoPage, bounded: AbortSignal, { log, signal }: Tools): Promise<GeoSite> {
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await unless(bounded, work())
    } catch (error) {
      signal.throwIfAborted()
      const isExpected = error instanceof FetchFault || error instanceof RenderFault || isTimeout(error)
      log[isExpected ? 'debug' : 'error'](
        { err: error, what, url: page.url.href },
        'part of a page audit failed',
      )
      return null
    }
  }
  const ask = gate(bounded)
  const robots = attempt('robots', () =>
    readRobots(page.url, { signal: bounded, timeoutMs: limits.requestMs }),
  ).then((file) => file ?? { status: 0, text: '' })
  const listed: Listed[] = []
  const sitemaps = robots.then((file) => attempt('sitemaps', () => survey(page, file, listed, bounded)))
  const [file, visits, llms, sampled, rendered] = await Promise.all([
    robots,
    robots.then((file) => attempt('visits', () => probeVisits(ask, startOf(page), bindingRobots(file)))),
    attempt('llms', () => probeLlms(ask, page.url)),
    Promise.all([robots, sitemaps]).then(([file]) =>
      Promise.all(
        mayBeRead(choosePages(page, listed, 2 * limits.sampledPages), file).map((url) =>
          attempt('sample', () => sample(ask, url)),
        ),
      ),
    ),
    attempt('rendering', () =>
      render(page, AbortSignal.any([bounded, AbortSignal.timeout(limits.renderMs)])),
    ),
  ])
  return {
    pages: [page, ...different(page, sampled)],
    rendered,
    robotsStatus: file.status,
    crawlers: crawlersOf({ robots: file, visits }, page.url),
    llms,
    sitemaps: await sitemaps,
    now: new Date(),
  }
}

/** Asks so many things at once; each follows its own redirects. */
function gate(signal: AbortSignal): Ask {
  const line = Array.from({ length: limits.atOnce }, () => Promise.resolve() as Promise<unknown>)
  let next = 0
  return (url, options) => {
    const place = next++ % line.length
    const asked = line[place]!.then(() =>
      follow(url, {
        signal,
        timeoutMs: limits.requestMs,
        maxBytes: limits.answerBytes,
        most: limits.redirects,
        ...options,
      }),
    )
    line[place] = asked.catch(() => {})
    return asked
  }
}

function survey({ url }: GeoPage, file: SiteFacts['robots'], listed: Listed[], bounded: AbortSignal) {
  const rules = { robots: parseRobots(file.text), isInternal: scope(url.host, false) }
  const signal = AbortSignal.any([bounded, AbortSignal.timeout(limits.sitemapsMs)])
  const onListed = (found: readonly Listed[]) => void listed.push(...found)
  return surveySitemaps(url, rules, null, {
    signal,
    timeoutMs: limits.requestMs,
    most: limits.listedPages,
    onListed,
  })
}

/** Our own fetches beyond the page that was asked for keep to robots.txt. */
function mayBeRead(urls: readonly URL[], file: SiteFacts['robots']): URL[] {
  const { allows } = parseRobots(bindingRobots(file).text)
  return urls
    .filter(({ pathname, search }) => allows(pathname + search, productToken))
    .slice(0, limits.sampledPages)
}

async function sample(ask: Ask, url: URL): Promise<GeoPage | null> {
  const { answer } = await ask(url, { goesOn: (next) => next.host === url.host })
  return isPage(answer) ? pageOf(answer) : null
}

function different(page: GeoPage, sampled: readonly (GeoPage | null)[]): GeoPage[] {
  const met = new Map([[addressOf(page.url), page]])
  for (const one of sampled) if (one && !met.has(addressOf(one.url))) met.set(addressOf(one.url), one)
  return [...met.values()].slice(1)
}

/** The page as its scripts leave it; null where it has none, or no browser is here. */
async function render({ url, facts, view }: GeoPage, signal: AbortSignal): Promise<GeoPage | null> {
  if (facts.scripts === 0 || findBrowser() === null) return null
  const session = await openSession({ userAgent })
  try {
    const { html, status } = await session.render(url, { signal })
    return status < 400
      ? readPage({ ...view.visit, html: html.slice(0, limits.pageBytes), rendered: true })
      : null
  } finally {
    await session.close()
  }
}

const startOf = ({ url, facts, view: { canonical } }: GeoPage) => ({
  url: url.href,
  status: 200,
  title: facts.title,
  canonical,
})

const isTimeout = (error: unknown) => error instanceof Error && error.name === 'TimeoutError'

/** The outcome of some work, unless the signal fires before. */
async function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason as Error)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, over])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
