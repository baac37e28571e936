import { z } from 'zod'

import { CSV_ROWS } from './csv.ts'
import { clampedQuery } from './fields.ts'

const PER_PAGE = 25
const MAX_PER_PAGE = 100
/** So that an offset stays exact, whatever page is asked for. */
const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / MAX_PER_PAGE)

export const csvQuery = z.object({
  format: z
    .unknown()
    .optional()
    .transform((value) => (Array.isArray(value) ? value.at(-1) : value) === 'csv')
    .meta({
      override: { type: 'string', enum: ['json', 'csv'], default: 'json' },
      description: `\`csv\` gives all records, at most ${CSV_ROWS}, as a file.`,
    }),
})

export const pageQuery = z.object({
  page: clampedQuery(1, MAX_PAGE, 1).meta({ description: 'Page to show, from 1.' }),
  per_page: clampedQuery(1, MAX_PER_PAGE, PER_PAGE).meta({ description: 'Records on a page.' }),
  ...csvQuery.shape,
})

type Paging = z.output<typeof pageQuery>

/** The records that a request asks for. */
export function windowOf({ page, per_page, format }: Paging) {
  return format ? { limit: CSV_ROWS, offset: 0 } : { limit: per_page, offset: (page - 1) * per_page }
}

export type Meta = { page: number; per_page: number; total_results: number; total_pages: number }

export function metaOf({ page, per_page }: Paging, total: number): Meta {
  return { page, per_page, total_results: total, total_pages: Math.ceil(total / per_page) }
}

/** Addresses of the neighbouring pages, for the `Link` header. */
export function linksOf(url: string, { page, total_pages }: Meta): string {
  const last = Math.max(total_pages, 1)
  const pages = { first: 1, prev: page > 1 && Math.min(page - 1, last), next: page < last && page + 1, last }
  return Object.entries(pages)
    .filter(([, number]) => number)
    .map(([rel, number]) => `<${withPage(url, String(number))}>; rel="${rel}"`)
    .join(', ')
}

function withPage(url: string, page: string) {
  const [path] = url.split('?', 1)
  const query = new URLSearchParams(url.slice(path!.length))
  query.set('page', page)
  return `${path}?${query.toString()}`
}
