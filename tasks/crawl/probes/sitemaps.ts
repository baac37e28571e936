import type { Sitemaps } from '../../../sql/probes.ts'
import type { FetchOptions } from '../../http.ts'
import type { Rules } from '../rules.ts'
import { isWwwTwin } from '../scope.ts'
import { type FileReport, type Listed, sitemapUrls } from '../sitemap.ts'

/** Where sitemaps are when robots.txt names none; the first is where the protocol has it. */
const usual = ['/sitemap.xml', '/sitemap_index.xml', '/sitemap-index.xml', '/wp-sitemap.xml']
/** Of a site whose sitemaps are not crawled so many files and addresses are read, each file for so long, milliseconds. */
const FILES = 10
const URLS = 50_000
const FILE_MS = 10_000

/** Whether a listed address is on a host that a sitemap of the site has no business with. */
export const isOffsite =
  ({ isInternal }: Pick<Rules, 'isInternal'>, host: string) =>
  (url: URL): boolean =>
    !isInternal(url) && !isWwwTwin(host, url.host)

/** Gathers what there is to know of sitemaps while somebody reads them. */
export class SitemapSurvey {
  readonly #isOffsite: (url: URL) => boolean
  readonly #facts: Sitemaps

  /** `named`: how many robots.txt names. */
  constructor(named: number, isOffsite: (url: URL) => boolean) {
    this.#isOffsite = isOffsite
    this.#facts = { named, files: [], offsite: 0, insecure: 0 }
  }

  add(urls: Iterable<URL>) {
    for (const url of urls) {
      if (this.#isOffsite(url)) this.#facts.offsite++
      else if (url.protocol === 'http:') this.#facts.insecure++
    }
  }

  readonly onFile = ({ url, state, large, urls }: FileReport) => {
    // A page that answers every address is no sitemap gone wrong.
    const isGuess = this.#facts.named === 0 && usual.includes(url.pathname)
    const found = state === 'foreign' ? (isGuess ? 'missing' : 'invalid') : state
    this.#facts.files.push({ url: url.href, state: found, large, urls })
  }

  get facts(): Sitemaps {
    return this.#facts
  }
}

/**
 * Reads the sitemaps that robots.txt names, or looks where they usually are, as far as that is not known from the crawl.
 * `most`: addresses of all files together.
 */
export async function surveySitemaps(
  start: URL,
  rules: Pick<Rules, 'robots' | 'isInternal'>,
  known: Sitemaps | null,
  {
    most = URLS,
    onListed,
    ...options
  }: FetchOptions & { most?: number; onListed?: (listed: readonly Listed[]) => void },
): Promise<Sitemaps> {
  if (known && (known.named > 0 || known.files.some(({ state }) => state !== 'missing'))) return known
  const named = rules.robots.sitemaps.flatMap((address) => URL.parse(address, start.href) ?? [])
  const survey = new SitemapSurvey(named.length, isOffsite(rules, start.host))
  const read = async (files: URL[]) => {
    const limits = { timeoutMs: FILE_MS, ...options, limit: most, onFile: survey.onFile }
    for await (const listed of sitemapUrls(files, limits)) {
      survey.add(listed.map(({ url }) => url))
      onListed?.(listed)
      if (survey.facts.files.length >= FILES) return
    }
  }
  if (named.length > 0) await read(named)
  else
    for (const path of usual) {
      await read([new URL(path, start)])
      if (survey.facts.files.at(-1)?.state !== 'missing') break
    }
  return survey.facts
}
