import type { Payload } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import { googleSearchConsole } from '../upstream/google/search-console.ts'
import type { SearchQuery, SearchRow } from '../upstream/search-account.ts'
import { orProblem } from '../upstream/source.ts'
import { cached } from './cached.ts'
import { readerOf } from './reader.ts'
import { percentage, rounded } from './rounding.ts'

/** Rows of a list in the report. */
const TOP = 25

const all: SearchQuery = { dimensions: [], searchType: 'web', limit: 1 }
const nothing: SearchRow = { keys: [], clicks: 0, impressions: 0, ctr: 0, position: 0 }

/** The sites that a connected account may read; one fetch in six hours. */
export async function listSites(payload: Payload<'search-console.sites'>, tools: Tools) {
  const entry = { connection: payload.connection, report: 'sites' } as const
  return await cached(entry, tools, () => orProblem(googleSearchConsole.sites(readerOf(payload, tools))))
}

/** Totals, queries and pages of a site; one fetch in three hours. */
export async function reportSearch(payload: Payload<'search-console.report'>, tools: Tools) {
  const { connection, site, start, end } = payload
  const reader = readerOf(payload, tools)
  const ask = (query: SearchQuery) => googleSearchConsole.search(site, { start, end }, query, reader)
  return await cached({ connection, report: 'search-console', of: site, start, end }, tools, async () => {
    // Totals are not the sum of the rows: queries that few people made are in none.
    const [[totals = nothing], queries, pages] = await orProblem(
      Promise.all([
        ask(all),
        ask({ ...all, dimensions: ['query'], limit: TOP }),
        ask({ ...all, dimensions: ['page'], limit: TOP }),
      ]),
    )
    return { totals: figures(totals), queries: queries.map(keyed), pages: pages.map(keyed) }
  })
}

/** Whatever rows are asked for. */
export async function searchRows(payload: Payload<'search-console.rows'>, tools: Tools) {
  const { site, start, end, query } = payload
  const reader = readerOf(payload, tools)
  const rows = await orProblem(googleSearchConsole.search(site, { start, end }, query, reader))
  return rows.map((row) => ({ keys: row.keys, ...figures(row) }))
}

const keyed = (row: SearchRow) => ({ key: row.keys[0] ?? '', ...figures(row) })

const figures = ({ clicks, impressions, ctr, position }: SearchRow) => ({
  clicks: rounded(clicks, 0),
  impressions: rounded(impressions, 0),
  ctr: percentage(ctr, 2),
  position: rounded(position, 1),
})
