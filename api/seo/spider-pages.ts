import { z } from 'zod'

import { Problem } from '../../problem.ts'
import * as audit from '../../sql/audit.ts'
import * as checks from '../../sql/checks.ts'
import * as pages from '../../sql/pages.ts'
import { endpoint, item, list } from '../endpoint.ts'
import { clampedQuery, id } from '../fields.ts'
import { explain, Explanation, explanationExample } from './explanation.ts'
import { oneScan } from './scan.ts'
import { worded } from './wording.ts'

const Page = pages.Page.meta({ id: 'Page' })

const pageExample = {
  id: 3301,
  url: 'https://example.com/',
  status_code: 200,
  score: 94,
  title: 'Example',
  meta_description: null,
  h1: 'Example',
  canonical: 'https://example.com/',
  is_indexable: true,
  is_noindex: false,
  words_count: 320,
  images_no_alt: 0,
  internal_links: 12,
  external_links: 1,
  schema_types: 'Organization,WebSite',
  issues: ['meta_desc_missing'],
}

export const auditedExample = {
  ...pageExample,
  depth: 0,
  in_sitemap: true,
  fault: null,
  redirect_url: null,
  content_type: 'text/html',
  is_html: true,
  lang: 'en',
  rendered: false,
  bytes: 20_480,
  ttfb_ms: 85,
  total_ms: 120,
  inlinks: 41,
  linked_from: 'https://example.com/about',
}

/** The pages of a crawl. */
export const spiderPages = [
  endpoint({
    method: 'get',
    path: '/spider/:id/pages',
    summary: 'List the pages of a scan',
    params: oneScan.params,
    query: z.object({
      // No page has -1 or 1000: what lies beyond finds nothing.
      status: clampedQuery(-1, 1000, null).meta({
        override: { type: 'integer' },
        description: 'Exact HTTP status; 0 for failed fetches.',
      }),
      issues: z
        .unknown()
        .optional()
        .transform((value) => value !== undefined && value !== '')
        .meta({ override: { type: 'string' }, description: 'Any value: only pages with an issue.' }),
    }),
    reply: list(Page, pageExample),
    problems: ['not_found'],
    find: oneScan.find,
    handle: ({ record, query, window }) =>
      pages.list(record.id, { status: query.status, onlyIssues: query.issues }, window),
  }),
  endpoint({
    method: 'get',
    path: '/spider/:id/pages/:page',
    summary: 'Explain the score of a page',
    description:
      "What is known of one page, its issues in the account's language, and how they make its score. Ids are those of the " +
      'list of pages; a rescan that has ended gives new ones.',
    params: oneScan.params.extend({ page: id }),
    reply: item(audit.AuditedPage.extend({ explanation: Explanation }).meta({ id: 'PageDetail' }), {
      ...auditedExample,
      explanation: explanationExample,
    }),
    problems: ['not_found'],
    find: oneScan.find,
    async handle({ record, page: pageId, user }) {
      const page = await audit.find(record.id, pageId)
      if (!page) throw new Problem('not_found')
      const known = await checks.named(page.issues)
      return {
        ...page,
        explanation: explain(
          page,
          known.map((check) => worded(check, user.locale)),
        ),
      }
    },
  }),
]
