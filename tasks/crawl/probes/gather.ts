import type { Crawl } from '../../../sql/crawls.ts'
import type { Facts, SiteFacts, Sitemaps } from '../../../sql/probes.ts'
import { log } from '../../../telemetry.ts'
import { rules as addresses } from '../../agent.ts'
import { FetchFault } from '../../fault.ts'
import { resourceDelay } from '../pace.ts'
import { rulesOf } from '../rules.ts'
import { asker } from './ask.ts'
import { acceptsOldTls, readCertificate } from './certificate.ts'
import * as site from './site.ts'
import { surveySitemaps } from './sitemaps.ts'

/** All probes of a site together, milliseconds; what is not done by then was not asked. */
const PROBES = 60_000
/** Of these for sitemaps. */
const SITEMAPS = 20_000

type Known = {
  start: SiteFacts['start']
  /** What the seed saw of the sitemaps; null when it did not read them. */
  sitemaps: Sitemaps | null
  /** A page names an icon. */
  hasIcon: boolean
}

/**
 * Asks a site what its pages do not tell. A probe that fails tells nothing, and keeps no other from being made. The site
 * is asked one thing at a time, and by a crawl that respects robots.txt nothing that is forbidden.
 */
export async function gather(crawl: Crawl, known: Known, signal: AbortSignal): Promise<Facts> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(PROBES)])
  const attempt = async <T>(probe: string, work: () => Promise<T | null> | null): Promise<T | null> => {
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      const isLate = error instanceof Error && error.name === 'TimeoutError'
      if (!(error instanceof FetchFault) && !isLate)
        log.error({ err: error, probe, crawl: crawl.id }, 'probe failed')
      return null
    }
  }
  const { start } = known
  const url = new URL(start.url)
  const rules = rulesOf(crawl)
  const { mayFetch } = rules
  const spacing = resourceDelay(crawl.speed)
  const ask = asker(spacing, { signal: bounded })
  const askTwin = asker(spacing, { signal: bounded })
  const askable = (path: string) => mayFetch(new URL(path, url))
  const robots = { status: crawl.robots_status ?? 404, text: crawl.robots_txt ?? '' }
  const [scheme, www] = [site.schemeTwin(url), site.wwwTwin(url)]
  const isSecure = url.protocol === 'https:'
  const tls = { rules: addresses, signal: bounded }
  const reading = { signal: AbortSignal.any([bounded, AbortSignal.timeout(SITEMAPS)]) }
  const sitemaps = await attempt('sitemaps', () => surveySitemaps(url, rules, known.sitemaps, reading))

  const [icon, llms, nowhere, visits, http, twin, certificate, oldTls] = await Promise.all([
    attempt('icon', () =>
      known.hasIcon
        ? Promise.resolve({ named: true, status: null, contentType: null })
        : askable('/favicon.ico')
          ? site.probeIcon(ask, url)
          : null,
    ),
    attempt('llms', () => (askable('/llms.txt') ? site.probeLlms(ask, url) : null)),
    attempt('nowhere', () => {
      const nowhere = site.nowhere(url)
      return mayFetch(nowhere) ? site.probeNowhere(ask, nowhere, start) : null
    }),
    attempt('visits', () => site.probeVisits(ask, start, robots)),
    attempt('http', () => scheme && site.probeHttp(askTwin, start, scheme)),
    attempt('twin', () => www && site.probeTwin(askTwin, start, www)),
    attempt('certificate', () => (isSecure ? readCertificate(url, tls) : null)),
    attempt('old TLS', () => (isSecure ? acceptsOldTls(url, tls) : null)),
  ])
  return {
    at: new Date().toISOString(),
    start,
    sitemaps,
    certificate,
    oldTls,
    http,
    twin,
    nowhere,
    icon,
    llms,
    visits,
  }
}
