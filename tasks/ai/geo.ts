import { config } from '../../config.ts'
import { hasLlmsTxt } from '../crawl/probes/checks/ai.ts'
import type { Payload } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import type { Crawler } from './geo/crawlers.ts'
import { gather } from './geo/gather.ts'
import { limits } from './geo/limits.ts'
import { reach } from './geo/reach.ts'
import { type CheckResult, judge, type Recommendation, recommend, resultsOf, scoreOf } from './geo/score.ts'

/** Of the time an analysis may take, reaching the page and all the rest get no more than this each. */
const SHARE = 0.45

/** How ready a page and its site are for answer engines. `checks`, by area, earn the score: see `scoreOf`. */
export type GeoAudit = {
  /** With a port that is not the default. */
  host: string
  /** Of the audited page, after redirects. */
  url: string
  /** 0 to 100. */
  geo_score: number
  has_llms_txt: boolean
  /** Pages that were read. */
  pages_count: number
  checks: CheckResult[]
  /** The largest gain first. */
  recommendations: Recommendation[]
  ai_crawlers: readonly Crawler[]
}

/**
 * Audits a page, given by its address or its host, with no language model. Everything is bounded in time, count and bytes,
 * and what cannot be learnt stays unknown; but a page that cannot be had at all is `upstream_failed` with the reason.
 */
export async function auditGeo({ url, locale }: Payload<'ai.geo'>, tools: Tools): Promise<GeoAudit> {
  const page = await reach(url, bound(limits.reachMs), tools.signal)
  const site = await gather(
    page,
    AbortSignal.any([tools.signal, AbortSignal.timeout(bound(limits.gatherMs))]),
    tools,
  )
  const judged = judge(site)
  return {
    host: page.url.host,
    url: page.url.href,
    geo_score: scoreOf(judged),
    has_llms_txt: site.llms !== null && hasLlmsTxt(site.llms),
    pages_count: site.pages.length,
    checks: resultsOf(judged, locale),
    recommendations: recommend(judged, locale),
    ai_crawlers: site.crawlers,
  }
}

const bound = (ms: number) => Math.min(ms, config.AI_TIMEOUT_SECONDS * 1000 * SHARE)
