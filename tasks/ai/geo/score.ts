import type { Area, GeoCheck, Locale, Status, Value, Verdict } from './checks/check.ts'
import { statusOf } from './checks/check.ts'
import { geoChecks } from './checks/index.ts'
import type { GeoSite } from './site.ts'

/** Points of the score from which a remedy is of high and of medium priority. */
const HIGH = 5
const MEDIUM = 2
/** The check whose remedy is to send what the scripts of a page show. */
const SCRIPTS = 'content_without_js'

export type CheckResult = {
  code: string
  area: Area
  title: string
  status: Status
  weight: number
  /** Points earned of the weight; null when it could not be decided. */
  score: number | null
  value: Value
  evidence: readonly string[]
  pages?: Verdict['pages']
}

export type Recommendation = {
  check: string
  area: Area
  priority: 'high' | 'medium' | 'low'
  /** By how many points the score would rise. */
  gain: number
  title: string
  fix: string
  evidence: readonly string[]
}

/** `shown`: the share that would be earned if agents got the page as its scripts leave it. */
export type Judged = { check: GeoCheck; verdict: Verdict; shown?: number | null }

/** Judges a site by every check. */
export function judge(site: GeoSite): Judged[] {
  const judged = geoChecks.map((check) => ({ check, verdict: check.judge(site) }))
  const isHidden = judged.some(({ check, verdict }) => check.code === SCRIPTS && (verdict.share ?? 1) < 1)
  if (!site.rendered || !isHidden) return judged
  const whole: GeoSite = { ...site, pages: [site.rendered, ...site.pages.slice(1)] }
  return judged.map((one) => ({ ...one, shown: one.check.judge(whole).share }))
}

/**
 * 100 × Σ (weight × share earned) / Σ weight, over the checks that could be decided, rounded. One that could not be
 * decided counts neither for nor against; a share that rises never lowers the score.
 */
export function scoreOf(judged: readonly Judged[]): number {
  const earned = judged.reduce((sum, { check, verdict: { share } }) => sum + check.weight * (share ?? 0), 0)
  return Math.round(pointsPerWeight(judged) * earned)
}

/**
 * What to do, by the points that it would gain, most first; the gains add up to what the score lacks. What a page lacks
 * only as long as its scripts have not run is gained by sending it whole, and counted there.
 */
export function recommend(judged: readonly Judged[], locale: Locale): Recommendation[] {
  const each = pointsPerWeight(judged)
  const decided = judged.flatMap(({ check, verdict, shown }) => {
    const { share } = verdict
    return share === null ? [] : [{ check, verdict, share, reached: Math.max(share, shown ?? 0) }]
  })
  const hidden = decided.reduce((sum, { check, share, reached }) => sum + check.weight * (reached - share), 0)
  return decided
    .map(({ check, verdict, reached }) => {
      const { code, area, weight, title, fix } = check
      const gain = tenth(each * (weight * (1 - reached) + (code === SCRIPTS ? hidden : 0)))
      const priority = gain >= HIGH ? 'high' : gain >= MEDIUM ? 'medium' : 'low'
      const { evidence = [] } = verdict
      return { check: code, area, priority, gain, title: title[locale], fix: fix[locale], evidence } as const
    })
    .filter(({ gain }) => gain > 0)
    .toSorted((a, b) => b.gain - a.gain)
}

/** The checks as the audit shows them. */
export const resultsOf = (judged: readonly Judged[], locale: Locale): CheckResult[] =>
  judged.map(({ check: { code, area, weight, title }, verdict: { share, value, evidence = [], pages } }) => ({
    code,
    area,
    title: title[locale],
    status: statusOf(share),
    weight,
    score: share === null ? null : tenth(weight * share),
    value,
    evidence,
    ...(pages && { pages }),
  }))

function pointsPerWeight(judged: readonly Judged[]): number {
  const most = judged.reduce(
    (sum, { check, verdict }) => sum + (verdict.share === null ? 0 : check.weight),
    0,
  )
  return most === 0 ? 0 : 100 / most
}

const tenth = (points: number) => Math.round(10 * points) / 10
