import { z } from 'zod'

import { Problem } from '../../problem.ts'
import { analyticsDimensions, analyticsMetrics, ask } from '../../tasks/jobs.ts'
import { array, endpoint, item } from '../endpoint.ts'
import { clampedQuery, someOf, word } from '../fields.ts'
import { answerOf, range, windowOf, WITHIN_SECONDS } from './account-reports.ts'
import { connectionFor } from './connection.ts'

/** The data of today is not complete. */
const ENDED_DAYS_AGO = 1
const ROWS = 100
const MAX_ROWS = 1000

const Property = z.looseObject({ property: z.string().describe('`properties/` and its number.') })
const Lists = z.object({
  totals: z.object({
    sessions: z.int(),
    active_users: z.int(),
    new_users: z.int(),
    page_views: z.int(),
    engagement_rate: z.number().describe('Percent, 1 decimal.'),
    avg_session_duration: z.number().describe('Seconds, 1 decimal.'),
  }),
  top_pages: z
    .array(z.object({ page: z.string().describe('Its path.'), views: z.int() }))
    .describe('The 15 seen most.'),
})
const day = z.iso.date().describe('Included.')
const Report = z
  .object({
    property: z.string().describe('Its number.'),
    range_days: z.int(),
    start: day,
    end: day,
    ...Lists.shape,
  })
  .meta({ id: 'AnalyticsReport' })
const Rows = z
  .array(z.record(z.string(), z.union([z.string(), z.number()])))
  .describe('A text for each dimension and a number for each metric.')
const Custom = z
  .object({
    property: z.string().describe('Its number.'),
    range_days: z.int(),
    metrics: z.array(z.enum(analyticsMetrics)),
    dimensions: z.array(z.enum(analyticsDimensions)),
    rows: Rows,
  })
  .meta({ id: 'AnalyticsRows' })

const Query = z.object({
  property: word
    .transform((given) => given.replaceAll(/\D/g, ''))
    .meta({
      override: { type: 'string' },
      description: 'One of your properties; not needed when there is only one.',
      example: '1000',
    }),
  range,
  metrics: someOf(analyticsMetrics, 'Asks for rows of these, instead of the report.').refine(
    (named) => named?.length !== 0,
  ),
  dimensions: someOf(analyticsDimensions, 'Rows are by these.'),
  order_by: word.meta({
    override: { type: 'string', enum: [...analyticsMetrics] },
    description: 'One of the metrics, the first if it is none; the most come first.',
  }),
  limit: clampedQuery(1, MAX_ROWS, ROWS),
})

export const analyticsEndpoints = [
  endpoint({
    method: 'get',
    path: '/analytics/properties',
    summary: 'List analytics properties',
    description: 'The properties of your external account, as it describes them; at most six hours old.',
    reply: array(Property, {
      property: 'properties/1000',
      displayName: 'Web',
      propertyType: 'PROPERTY_TYPE_ORDINARY',
      parent: 'accounts/100',
    }),
    problems: ['external_not_configured', 'not_connected', 'not_consented', 'upstream_failed'],
    find: ({ user }) => connectionFor(user.id, 'analytics'),
    handle: ({ user, record }) => propertiesOf({ user: user.id, connection: record.id }),
  }),
  endpoint({
    method: 'get',
    path: '/analytics',
    summary: 'Report web traffic',
    description:
      'Totals and pages of a property, at most three hours old; with `metrics`, and only with them, the rows that the other ' +
      "parameters select, with the source's own figures: rates are fractions. The days end yesterday, UTC.",
    query: Query,
    reply: item(z.union([Report, Custom]), {
      property: '1000',
      range_days: 28,
      start: '2026-10-24',
      end: '2026-11-20',
      totals: {
        sessions: 1200,
        active_users: 900,
        new_users: 700,
        page_views: 3400,
        engagement_rate: 61.4,
        avg_session_duration: 93.2,
      },
      top_pages: [{ page: '/', views: 1234 }],
    }),
    problems: ['external_not_configured', 'not_connected', 'not_consented', 'invalid', 'upstream_failed'],
    find: ({ user }) => connectionFor(user.id, 'analytics'),
    async handle({ user, query, record }) {
      const asked = { user: user.id, connection: record.id }
      const property = chosen(query.property, await propertiesOf(asked))
      const window = windowOf(query.range, ENDED_DAYS_AGO)
      const common = { property, range_days: query.range }
      if (query.metrics) return { ...common, ...(await custom({ ...asked, property, ...window }, query)) }
      const kept = { connection: record.id, report: 'analytics', of: property, ...window } as const
      const report = await answerOf(kept, () =>
        ask('analytics.report', { ...asked, property, ...window }, { within: WITHIN_SECONDS }),
      )
      return { ...common, ...window, ...Lists.parse(report) }
    },
  }),
]

async function propertiesOf(asked: { user: number; connection: number }) {
  const kept = { connection: asked.connection, report: 'properties' } as const
  const listed = await answerOf(kept, () => ask('analytics.properties', asked, { within: WITHIN_SECONDS }))
  return z.array(Property).parse(listed)
}

/** The number of the property asked for, or of the only one. */
function chosen(number: string, properties: { property: string }[]): string {
  const numbers = properties.map(({ property }) => property.replace('properties/', ''))
  const [only, ...others] = numbers
  if (!number && only !== undefined && others.length === 0) return only
  if (!numbers.includes(number)) throw new Problem('invalid', { field: 'property' })
  return number
}

async function custom(
  property: { user: number; connection: number; property: string; start: string; end: string },
  { metrics: named, dimensions: by, order_by: wanted, limit }: z.output<typeof Query>,
) {
  const [metrics, dimensions] = [named ?? [], by ?? []]
  const order = metrics.find((metric) => metric === wanted) ?? metrics[0]
  const query = { metrics, dimensions, ...(dimensions.length > 0 && { order, limit }) }
  const rows = await ask('analytics.rows', { ...property, query }, { within: WITHIN_SECONDS })
  // On its way the row lost its order.
  const ordered = (row: z.output<typeof Rows>[number]) =>
    Object.fromEntries([...dimensions, ...metrics].map((name) => [name, row[name] ?? 0]))
  return { metrics, dimensions, rows: Rows.parse(rows).map(ordered) }
}
