import type { FragmentSqlToken } from 'slonik'

import type { Severity } from '../../../sql/scores.ts'
import type { Visit } from '../page.ts'
import type { Answer, Page } from '../view.ts'

/** What every check declares; `about` (what is wrong) and `fix` (what to do) are what reports print. */
export type Declared = {
  code: string
  severity: Severity
  about: string
  fix: string
  /** False: reported, but no fault that lowers a score. */
  scored?: false
}

/**
 * A page as HTML, or an answer where it differs from a plain success at https://example.test/page. `plain`: the HTML of a
 * rendered page before its scripts ran.
 */
export type Example = string | (Partial<Omit<Visit, 'url' | 'plain'>> & { url?: string; plain?: string })

type Examples<E> = { bad: readonly E[]; good: readonly E[] }

/** Judges status, headers and timings of any answer. */
export type ResponseCheck = Declared & {
  finds(answer: Answer): boolean
  examples: Examples<Example>
}

/** Judges HTML pages that answered with success: all of them, those that may be indexed, or the start page for its host. */
export type PageCheck = Declared & {
  of?: 'indexable' | 'start'
  finds(page: Page): boolean
  examples: Examples<Example>
}

/** A page of an example site, by its path; what is left out is a plain indexable page without links. */
export type SitePage = {
  status?: number
  title?: string
  description?: string
  h1?: string
  lang?: string
  text?: string
  redirect?: string
  canonical?: string
  links?: string[]
  nofollow?: string[]
  /** A link to a place on a page names it: `/b#place`. */
  ids?: string[]
  /** The main text itself, where its words matter. */
  words?: string
  alternates?: Record<string, string>
  next?: string
  prev?: string
  modified?: string
  noindex?: boolean
  blocked?: boolean
  inSitemap?: boolean
  /** What the sitemap says of the page. */
  listed?: { lastmod?: string; alternates?: Record<string, string> }
  html?: boolean
}

/** The first page is the start page. `robots` is the status of /robots.txt; `sitemapCut`: the sitemap was not read to its end. */
export type Site = { pages: Record<string, SitePage>; robots?: number; sitemapCut?: boolean }

/** Judges a whole crawl: one statement that selects the `id` of each page the check finds. */
export type SiteCheck = Declared & {
  finds(crawlId: number): FragmentSqlToken
  examples: { bad: readonly (Site & { found: string[] })[]; good: readonly Site[] }
}
