import { z } from 'zod'

import { config } from '../../../config.ts'
import type { Account } from '../account.ts'
import type { Reader, SearchConsole, SearchQuery } from '../search-account.ts'
import { call, listOf } from './call.ts'
import { countryCode } from './countries.ts'

/** 1,200 calls a minute and user; a call holds up the others of its user only when there are very many. */
const account: Account = { name: 'search-console', limit: 10, reserved: 0, callSeconds: 60, tries: 3 }
const of = ({ connection }: Reader): Account => ({ ...account, owner: String(connection) })

const Sites = z.object({
  siteEntry: listOf(z.object({ siteUrl: z.string(), permissionLevel: z.string().nullish() })),
})
const Rows = z.object({
  rows: listOf(
    z.object({
      keys: listOf(z.string()),
      clicks: z.number().default(0),
      impressions: z.number().default(0),
      ctr: z.number().default(0),
      // Discover has none.
      position: z.number().default(0),
    }),
  ),
})

/** Google Search Console API v1 (https://developers.google.com/webmaster-tools/v1/api_reference_index). */
export const googleSearchConsole: SearchConsole = {
  async sites(reader) {
    const question = {
      name: 'sites.list',
      origin: config.GOOGLE_SEARCHCONSOLE_URL,
      path: '/webmasters/v3/sites',
    }
    const { siteEntry } = await call(of(reader), question, Sites, reader)
    // Nothing may be read of a site that was never verified.
    const readable = siteEntry.filter(({ permissionLevel }) => permissionLevel !== 'siteUnverifiedUser')
    return readable.map(({ siteUrl }) => siteUrl)
  },

  async search(site, { start, end }, query, reader) {
    const filters = filtersOf(query)
    const question = {
      name: 'searchAnalytics.query',
      origin: config.GOOGLE_SEARCHCONSOLE_URL,
      path: `/webmasters/v3/sites/${encodeURIComponent(site)}/searchAnalytics/query`,
      body: {
        startDate: start,
        endDate: end,
        ...(query.dimensions.length > 0 && { dimensions: query.dimensions }),
        type: query.searchType === 'engineNews' ? 'googleNews' : query.searchType,
        dataState: 'final',
        rowLimit: query.limit,
        ...(filters.length > 0 && { dimensionFilterGroups: [{ groupType: 'and', filters }] }),
      },
    }
    return (await call(of(reader), question, Rows, reader)).rows
  },
}

function filtersOf({ queryText, pageText, country, device }: SearchQuery) {
  const filters = [
    { dimension: 'query', operator: 'contains', expression: queryText },
    { dimension: 'page', operator: 'contains', expression: pageText },
    { dimension: 'country', operator: 'equals', expression: country && countryCode(country) },
    { dimension: 'device', operator: 'equals', expression: device },
  ]
  return filters.filter(({ expression }) => expression)
}
