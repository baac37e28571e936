import * as crawls from '../../sql/crawls.ts'
import * as frontier from '../../sql/frontier.ts'
import { keepSitemaps } from '../../sql/probes.ts'
import { productToken } from '../http.ts'
import { readRobots } from '../robots.ts'
import { alternateKeys } from './alternates.ts'
import { LeaseLost } from './batch.ts'
import { isOffsite, SitemapSurvey } from './probes/sitemaps.ts'
import { type Rules, rulesOf } from './rules.ts'
import { isWwwTwin } from './scope.ts'
import { type Listed, sitemapUrls } from './sitemap.ts'
import { normalise, urlKey } from './url.ts'

/** URLs taken from sitemaps at most: those of one file of the greatest size the protocol allows. */
const SITEMAP_URLS = 50_000
/** One file has this long, and all together so long, milliseconds; then the crawl begins with what was read. */
const SITEMAP_FILE = 60_000
const SITEMAPS = 180_000

/**
 * Prepares a crawl: reads robots.txt, queues the start URL and, if asked, what the sitemaps list. Can be repeated.
 * Returns why the crawl cannot begin, or null.
 */
export async function seed(crawl: crawls.Crawl, lease: string, signal: AbortSignal): Promise<string | null> {
  const start = new URL(crawl.start_url)
  const robots = await readRobots(start, { signal })
  await crawls.keepRobots(crawl.id, lease, robots)
  Object.assign(crawl, { robots_txt: robots.text, robots_status: robots.status })
  const rules = rulesOf(crawl)
  if (crawl.respect_robots && !rules.robots.allows(start.pathname + start.search, productToken)) {
    return robots.status === 0 || robots.status >= 500
      ? 'robots.txt could not be read, and the scan respects it.'
      : 'robots.txt disallows the start URL.'
  }
  await frontier.seed(crawl.id, [{ key: urlKey(start.href), url: start.href, depth: 0 }])
  if (crawl.use_sitemap) await seedFromSitemaps(crawl, lease, rules, signal)
  await crawls.markSeeded(crawl.id, lease)
  return null
}

/** Queues what the sitemaps list, and keeps what they say of it. */
async function seedFromSitemaps(crawl: crawls.Crawl, lease: string, rules: Rules, signal: AbortSignal) {
  const start = new URL(crawl.start_url)
  const listed = rules.robots.sitemaps.flatMap((address) => URL.parse(address, start.href) ?? [])
  const files = listed.length > 0 ? listed : [new URL('/sitemap.xml', start)]
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(SITEMAPS)])
  const survey = new SitemapSurvey(listed.length, isOffsite(rules, crawl.scope_host))
  const told = { urls: 0, whole: true }
  const cut = () => void (told.whole = false)
  const options = {
    signal: bounded,
    timeoutMs: SITEMAP_FILE,
    limit: SITEMAP_URLS,
    onFault: cut,
    onCut: cut,
    onFile: survey.onFile,
  }
  try {
    for await (const entries of sitemapUrls(files, options)) {
      const found = entries.flatMap((entry) => {
        const url = normalise(entry.loc, start)
        return url ? [{ ...entry, url }] : []
      })
      told.urls += found.length
      survey.add(found.map(({ url }) => url))
      if (!(await crawls.renew(crawl.id, lease))) throw new LeaseLost()
      await frontier.seed(crawl.id, found.filter(({ url }) => rules.mayFetch(url)).map(seedOf))
    }
  } catch (error) {
    if (signal.aborted || !bounded.aborted) throw error
    cut()
  }
  await crawls.keepSitemaps(crawl.id, lease, told)
  await keepSitemaps(crawl.id, survey.facts)
}

const seedOf = ({ url, lastmod, alternates }: Listed): frontier.Seed => ({
  key: urlKey(url.href),
  url: url.href,
  depth: 0,
  inSitemap: true,
  lastmod: dateOf(lastmod),
  alternates: alternateKeys(
    alternates.map(({ lang, href }) => ({ lang, url: normalise(href)?.href ?? null })),
  ),
})

/** W3C date and time; null when it is none, or in another age. */
function dateOf(lastmod: string | null): Date | null {
  if (lastmod === null || !/^\d{4}(-\d{2}(-\d{2}(T.*)?)?)?$/.test(lastmod)) return null
  const date = new Date(lastmod)
  return date.getUTCFullYear() >= 1970 && date.getUTCFullYear() < 2200 ? date : null
}

/**
 * Makes the `www.` twin of the site's host, or the host without it, the site, with its robots.txt. False when `target`
 * is neither.
 */
export async function followTwin(crawl: crawls.Crawl, lease: string, target: URL): Promise<boolean> {
  if (!isWwwTwin(crawl.scope_host, target.host)) return false
  const robots = await readRobots(target)
  Object.assign(crawl, { scope_host: target.host, robots_txt: robots.text, robots_status: robots.status })
  await crawls.keepRobots(crawl.id, lease, robots)
  await crawls.widenScope(crawl.id, lease, target.host)
  if (crawl.use_sitemap) await seedFromSitemaps(crawl, lease, rulesOf(crawl), AbortSignal.timeout(SITEMAPS))
  return true
}
