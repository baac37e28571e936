import type { SiteFacts } from '../../../sql/probes.ts'
import type { Crawler } from './crawlers.ts'
import type { GeoPage } from './page.ts'

/** Everything an audit knows. Null is what was not asked, or got no clear answer. */
export type GeoSite = {
  /** The audited page first, then those sampled. */
  pages: readonly [GeoPage, ...GeoPage[]]
  /** The audited page after its scripts ran; null without a browser, or where there was nothing to run. */
  rendered: GeoPage | null
  /** Status of robots.txt; 0 when it could not be had. */
  robotsStatus: number
  crawlers: readonly Crawler[]
  llms: SiteFacts['llms']
  sitemaps: SiteFacts['sitemaps']
  now: Date
}
