import { z } from 'zod'

import { Problem } from '../../problem.ts'
import { ask, devices, searchDimensions, searchTypes } from '../../tasks/jobs.ts'
import { array, endpoint, item } from '../endpoint.ts'
import { clampedQuery, oneOf, someOf, word } from '../fields.ts'
import { answerOf, range, windowOf, WITHIN_SECONDS } from './account-reports.ts'
import { connectionFor } from './connection.ts'

/** The data of younger days is not final. */
const ENDED_DAYS_AGO = 3
const ROWS = 100
const MAX_ROWS = 1000

const figures = {
  clicks: z.int(),
  impressions: z.int(),
  ctr: z.number().describe('Clicks in percent of the impressions, 2 decimals.'),
  position: z.number().describe('Mean place in the results, 1 decimal.'),
}
const Totals = z.object(figures)
const Row = z.object({ key: z.string(), ...figures }).meta({ id: 'SearchConsoleRow' })
const Lists = z.object({
  totals: Totals,
  queries: z.array(Row).describe('The 25 with the most clicks.'),
  pages: z.array(Row).describe('The 25 with the most clicks.'),
})
const day = z.iso.date().describe('Included.')
const Report = z
  .object({ site: z.string(), range_days: z.int(), start: day, end: day, ...Lists.shape })
  .meta({ id: 'SearchConsoleReport' })
const CustomRow = z.object({ keys: z.array(z.string()).describe('One for each dimension.'), ...figures })
const Custom = z
  .object({
    site: z.string(),
    range_days: z.int(),
    dimensions: z.array(z.enum(searchDimensions)),
    search_type: z.enum(searchTypes),
    rows: z.array(CustomRow),
  })
  .meta({ id: 'SearchConsoleRows' })

const example = { clicks: 12, impressions: 340, ctr: 3.53, position: 7.4 }

const Query = z.object({
  site: word.meta({ description: 'One of your sites; not needed when there is only one.' }),
  range,
  dimensions: someOf(searchDimensions, 'Asks for rows by these, instead of the report.').refine(
    (named) => named?.length !== 0,
  ),
  row_limit: clampedQuery(1, MAX_ROWS, ROWS),
  search_type: oneOf(searchTypes, 'web'),
  query_filter: word.meta({ description: 'Part of the query.' }),
  page_filter: word.meta({ description: 'Part of the page.' }),
  country: word.meta({ description: 'ISO 3166-1 alpha-2 or alpha-3.' }),
  device: word
    .transform((given) => devices.find((device) => device === given.toUpperCase()))
    .meta({ override: { type: 'string', enum: [...devices] }, description: 'Others are dropped.' }),
})

export const searchConsoleEndpoints = [
  endpoint({
    method: 'get',
    path: '/search-console/sites',
    summary: 'List search-console sites',
    description: 'The sites of your external account; at most six hours old.',
    reply: array(z.string(), 'sc-domain:example.com'),
    problems: ['external_not_configured', 'not_connected', 'not_consented', 'upstream_failed'],
    find: ({ user }) => connectionFor(user.id, 'search-console'),
    handle: ({ user, record }) => sitesOf({ user: user.id, connection: record.id }),
  }),
  endpoint({
    method: 'get',
    path: '/search-console',
    summary: 'Report search performance',
    description:
      'Totals, queries and pages of a site, at most three hours old; with `dimensions`, and only with them, the rows that the ' +
      'other parameters select. The days end three days ago, UTC.',
    query: Query,
    reply: item(z.union([Report, Custom]), {
      site: 'sc-domain:example.com',
      range_days: 28,
      start: '2026-10-22',
      end: '2026-11-18',
      totals: example,
      queries: [{ key: 'scarpe rosse', ...example }],
      pages: [{ key: 'https://example.com/', ...example }],
    }),
    problems: ['external_not_configured', 'not_connected', 'not_consented', 'invalid', 'upstream_failed'],
    find: ({ user }) => connectionFor(user.id, 'search-console'),
    async handle({ user, query, record }) {
      const asked = { user: user.id, connection: record.id }
      const site = chosen(query.site, await sitesOf(asked))
      const window = windowOf(query.range, ENDED_DAYS_AGO)
      const common = { site, range_days: query.range }
      if (query.dimensions) return { ...common, ...(await custom({ ...asked, site, ...window }, query)) }
      const kept = { connection: record.id, report: 'search-console', of: site, ...window } as const
      const report = await answerOf(kept, () =>
        ask('search-console.report', { ...asked, site, ...window }, { within: WITHIN_SECONDS }),
      )
      return { ...common, ...window, ...Lists.parse(report) }
    },
  }),
]

async function sitesOf(asked: { user: number; connection: number }) {
  const kept = { connection: asked.connection, report: 'sites' } as const
  const sites = await answerOf(kept, () => ask('search-console.sites', asked, { within: WITHIN_SECONDS }))
  return z.array(z.string()).parse(sites)
}

/** The site asked for, or the only one. */
function chosen(site: string, sites: string[]): string {
  const [only, ...others] = sites
  if (!site && only !== undefined && others.length === 0) return only
  if (!sites.includes(site)) throw new Problem('invalid', { field: 'site' })
  return site
}

async function custom(
  site: { user: number; connection: number; site: string; start: string; end: string },
  query: z.output<typeof Query>,
) {
  const [dimensions, searchType] = [query.dimensions ?? [], query.search_type]
  const filters = {
    queryText: query.query_filter,
    pageText: query.page_filter,
    country: query.country,
    device: query.device,
  }
  const rows = await ask(
    'search-console.rows',
    { ...site, query: { dimensions, searchType, limit: query.row_limit, ...filters } },
    { within: WITHIN_SECONDS },
  )
  return { dimensions, search_type: searchType, rows: z.array(CustomRow).parse(rows) }
}
