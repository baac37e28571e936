import type { Scope } from '../../../sql/checks.ts'
import type { Severity } from '../../../sql/scores.ts'
import { probeChecks } from '../probes/checks/index.ts'
import { targetChecks } from '../targets/checks/index.ts'
import type { Answer, Page } from '../view.ts'
import { accessibilityChecks } from './accessibility.ts'
import { canonicalChecks } from './canonical.ts'
import type { Declared, PageCheck, ResponseCheck, SiteCheck } from './check.ts'
import { contentChecks } from './content.ts'
import { dateChecks } from './dates.ts'
import { descriptionChecks } from './description.ts'
import { documentChecks } from './document.ts'
import { cookieChecks, headerChecks } from './headers.ts'
import { headingChecks } from './headings.ts'
import { hreflangChecks } from './hreflang.ts'
import { imageChecks } from './images.ts'
import { directiveChecks, indexingChecks } from './indexing.ts'
import { linkChecks } from './links.ts'
import { performanceChecks, transferChecks } from './performance.ts'
import { redirectChecks, refreshChecks } from './redirects.ts'
import { renderingChecks } from './rendering.ts'
import { securityChecks } from './security.ts'
import { canonicalSiteChecks } from './site/canonical.ts'
import { duplicateChecks } from './site/duplicates.ts'
import { hreflangSiteChecks } from './site/hreflang.ts'
import { inlinkChecks } from './site/inlinks.ts'
import { linkSiteChecks } from './site/links.ts'
import { nearDuplicateChecks } from './site/near-duplicates.ts'
import { normChecks } from './site/norms.ts'
import { paginationSiteChecks } from './site/pagination.ts'
import { redirectSiteChecks } from './site/redirects.ts'
import { sitemapSiteChecks } from './site/sitemap.ts'
import { wholeSiteChecks } from './site/whole.ts'
import { sitemapChecks } from './sitemap.ts'
import { socialChecks } from './social.ts'
import { statusChecks } from './status.ts'
import { structuredDataChecks } from './structured-data.ts'
import { titleChecks } from './title.ts'
import { urlChecks } from './urls.ts'
import { writingChecks } from './writing.ts'

export const responseChecks: readonly ResponseCheck[] = [
  ...statusChecks,
  ...redirectChecks,
  ...indexingChecks,
  ...sitemapChecks,
  ...transferChecks,
  ...cookieChecks,
]

export const pageChecks: readonly PageCheck[] = [
  ...titleChecks,
  ...descriptionChecks,
  ...headingChecks,
  ...contentChecks,
  ...writingChecks,
  ...dateChecks,
  ...renderingChecks,
  ...directiveChecks,
  ...refreshChecks,
  ...canonicalChecks,
  ...hreflangChecks,
  ...documentChecks,
  ...linkChecks,
  ...imageChecks,
  ...urlChecks,
  ...accessibilityChecks,
  ...securityChecks,
  ...headerChecks,
  ...performanceChecks,
  ...structuredDataChecks,
  ...socialChecks,
]

export const siteChecks: readonly SiteCheck[] = [
  ...duplicateChecks,
  ...nearDuplicateChecks,
  ...normChecks,
  ...redirectSiteChecks,
  ...canonicalSiteChecks,
  ...hreflangSiteChecks,
  ...linkSiteChecks,
  ...inlinkChecks,
  ...paginationSiteChecks,
  ...sitemapSiteChecks,
  ...wholeSiteChecks,
]

/** Every check there is, and what it looks at. */
export const registry: readonly (Declared & { scope: Scope })[] = [
  ...scoped('response', responseChecks),
  ...pageChecks.flatMap((check) => scoped(check.of ?? 'page', [check])),
  ...scoped('site', siteChecks),
  ...scoped('target', targetChecks),
  ...scoped('probe', probeChecks),
]

function scoped(scope: Scope, checks: readonly Declared[]) {
  return checks.map((check) => ({ ...check, scope }))
}

const severities = new Map<string, Severity>(registry.map(({ code, severity }) => [code, severity]))

/** The codes of what is wrong with one answer; `page` is null when there is no page to judge. */
export function issuesOf(answer: Answer, page: Page | null): string[] {
  const issues: string[] = []
  for (const check of responseChecks) if (check.finds(answer)) issues.push(check.code)
  if (!page) return issues
  for (const check of pageChecks) if (concerns(check, page) && check.finds(page)) issues.push(check.code)
  return issues
}

/** How many of a page's issues count as errors and as warnings of its crawl. */
export function countSeverities(issues: readonly string[]): { errors: number; warnings: number } {
  let [errors, warnings] = [0, 0]
  for (const code of issues) {
    const severity = severities.get(code)
    if (severity === 'major') errors++
    else if (severity === 'moderate') warnings++
  }
  return { errors, warnings }
}

/** What an error page says of itself is no fault of its title or text. */
const concerns = ({ of }: PageCheck, { isIndexable, isMissing, visit }: Page) =>
  of === undefined || (of === 'indexable' ? isIndexable && !isMissing : visit.isStart)
