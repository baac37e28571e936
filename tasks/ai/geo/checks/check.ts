import type { SiteFacts } from '../../../../sql/probes.ts'
import { type GeoPage, isHome } from '../page.ts'
import type { GeoSite } from '../site.ts'

export type Locale = 'it' | 'en'
export type Words = Record<Locale, string>

export const areas = ['access', 'content', 'structure', 'evidence', 'identity', 'discovery'] as const
export type Area = (typeof areas)[number]

export type Status = 'pass' | 'warn' | 'fail' | 'unknown'
export type Value = string | number | boolean | null | { [name: string]: Value }

/** `share` of the check's weight that is earned, 0 to 1; null when it could not be decided. */
export type Verdict = {
  share: number | null
  /** What was measured. */
  value: Value
  /** What shows it, or what is missing: agents, addresses, headings. */
  evidence?: readonly string[]
  /** How each page fared, where several were judged. */
  pages?: readonly { url: string; status: Status; value: Value }[]
}

/** A page's HTML at https://example.test/page, or what differs from a plain site of one page. */
export type GeoExample =
  | string
  | (Partial<Pick<GeoSite, 'sitemaps' | 'llms'>> & {
      html?: string
      url?: string
      headers?: Record<string, string>
      ms?: number
      truncated?: boolean
      rendered?: string
      robots?: string
      robotsStatus?: number
      visits?: NonNullable<SiteFacts['visits']>
      /** Other pages, by path. */
      others?: Record<string, string>
    })

/** One thing that makes a site easy to read, trust and cite for answer engines. The examples are its tests. */
export type GeoCheck = {
  code: string
  area: Area
  /** Points of 100; 0 only informs. */
  weight: number
  title: Words
  fix: Words
  judge(site: GeoSite): Verdict
  examples: Partial<Record<Status, readonly GeoExample[]>>
}

export const statusOf = (share: number | null): Status =>
  share === null ? 'unknown' : share >= 1 ? 'pass' : share > 0 ? 'warn' : 'fail'

/** 0 at `none` and beyond, 1 at `all` and beyond, in between in proportion; `none` may be the larger. */
export const grade = (value: number, none: number, all: number): number =>
  Math.min(1, Math.max(0, (value - none) / (all - none)))

const mean = (shares: readonly number[]) => shares.reduce((sum, share) => sum + share, 0) / shares.length

/**
 * Judges page by page. The audited page counts as much as all sampled ones together. `subjects`: only pages with a subject
 * of their own, which home pages are not, unless there is no other.
 */
export function overPages(judge: (page: GeoPage, site: GeoSite) => Verdict, of: 'all' | 'subjects' = 'all') {
  return (site: GeoSite): Verdict => {
    const subjects = of === 'subjects' ? site.pages.filter((page) => !isHome(page)) : []
    const pages = subjects.length > 0 ? subjects : site.pages
    const judged = pages.map((page) => ({ page, verdict: judge(page, site) }))
    const sharesOf = (isAudited: boolean) =>
      judged.flatMap(({ page, verdict: { share } }) =>
        share !== null && (page === site.pages[0]) === isAudited ? [share] : [],
      )
    const groups = [sharesOf(true), sharesOf(false)].filter((shares) => shares.length > 0)
    const { value = null, evidence = [] } = judged[0]?.verdict ?? {}
    return {
      share: groups.length === 0 ? null : mean(groups.map(mean)),
      value,
      evidence,
      ...(judged.length > 1 && {
        pages: judged.map(({ page, verdict: { share, value } }) => {
          return { url: page.url.href, status: statusOf(share), value }
        }),
      }),
    }
  }
}
