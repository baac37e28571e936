import type { ResponseCheck } from './check.ts'

const listed = { inSitemap: true }
const canonical = { html: '<link rel="canonical" href="/other"><p>text</p>' }
const noindex = { html: '<meta name="robots" content="noindex">' }

/** Addresses that a sitemap should not list. */
export const sitemapChecks: ResponseCheck[] = [
  {
    code: 'sitemap_url_error',
    severity: 'moderate',
    about: 'The sitemap lists an address that does not answer or answers with an error.',
    fix: 'Remove the address from the sitemap, or restore the page.',
    finds: ({ visit: { inSitemap, status } }) => inSitemap && (status === 0 || status >= 400),
    examples: {
      bad: [
        { ...listed, status: 404, html: null },
        { ...listed, status: 0, fault: 'dns', html: null },
      ],
      good: [
        { status: 404, html: null },
        { ...listed, html: '<p>text' },
      ],
    },
  },
  {
    code: 'sitemap_url_redirect',
    severity: 'moderate',
    about: 'The sitemap lists an address that redirects.',
    fix: 'List the target of the redirect instead.',
    finds: ({ visit: { inSitemap, status } }) => inSitemap && status >= 300 && status < 400,
    examples: {
      bad: [{ ...listed, status: 301, html: null }],
      good: [
        { status: 301, html: null },
        { ...listed, html: '<p>text' },
      ],
    },
  },
  {
    code: 'sitemap_url_noindex',
    severity: 'moderate',
    about: 'The sitemap lists a page that asks not to be indexed.',
    fix: 'Remove the page from the sitemap, or its noindex.',
    finds: ({ visit, isNoindex }) => visit.inSitemap && isNoindex,
    examples: { bad: [{ ...listed, ...noindex }], good: [noindex, { ...listed, html: '<p>text' }] },
  },
  {
    code: 'sitemap_url_blocked',
    severity: 'moderate',
    about: 'The sitemap lists an address that robots.txt keeps search engines from.',
    fix: 'Remove the address from the sitemap, or the rule from robots.txt.',
    finds: ({ visit }) => visit.inSitemap && !visit.robotsAllowed,
    examples: {
      bad: [{ ...listed, robotsAllowed: false, html: '<p>text' }],
      good: [
        { robotsAllowed: false, html: '<p>text' },
        { ...listed, html: '<p>text' },
      ],
    },
  },
  {
    code: 'sitemap_url_noncanonical',
    severity: 'moderate',
    about: 'The sitemap lists a page whose canonical address is another.',
    fix: 'List the canonical address instead.',
    finds: ({ visit, ok, isCanonicalised }) => visit.inSitemap && ok && isCanonicalised,
    examples: {
      bad: [{ ...listed, ...canonical }],
      good: [canonical, { ...listed, html: '<link rel="canonical" href="/page">' }],
    },
  },
]
