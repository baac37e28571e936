import type { Crawl } from '../../sql/crawls.ts'
import { productToken } from '../http.ts'
import { parseRobots, pathRules, type Robots } from '../robots.ts'
import { scope } from './scope.ts'

/** What one crawl may fetch, and what its robots.txt says of a page. */
export type Rules = {
  isInternal: (url: URL) => boolean
  /** Whether a found URL is queued. */
  mayFetch: (url: URL) => boolean
  /** Whether robots.txt lets search engines have it. */
  isOpen: (url: URL) => boolean
  robots: Robots
  /** What robots.txt says; empty when there is none. */
  robotsText: string
}

/** RFC 9309: a robots.txt that is away (4xx) allows all; one that cannot be had (5xx, no answer) forbids all. */
export const FORBID_ALL = 'User-agent: *\nDisallow: /\n'

export function rulesOf(crawl: Crawl): Rules {
  const status = crawl.robots_status ?? 404
  const unreachable = status === 0 || status >= 500
  const robotsText = status > 0 && status < 300 ? (crawl.robots_txt ?? '') : ''
  const robots = parseRobots(unreachable ? FORBID_ALL : robotsText)
  const isInternal = scope(crawl.scope_host, crawl.include_subdomains)
  const isExcluded = pathRules(crawl.exclude_paths)
  const path = (url: URL) => url.pathname + url.search
  return {
    robots,
    robotsText,
    isInternal,
    isOpen: (url) => url.host !== crawl.scope_host || robots.allows(path(url), 'Googlebot'),
    mayFetch: (url) =>
      isInternal(url) &&
      !isExcluded(path(url)) &&
      (!crawl.respect_robots || url.host !== crawl.scope_host || robots.allows(path(url), productToken)),
  }
}
