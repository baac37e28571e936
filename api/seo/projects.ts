import { z } from 'zod'

import { config } from '../../config.ts'
import { Problem } from '../../problem.ts'
import * as keywords from '../../sql/keywords.ts'
import * as projects from '../../sql/projects.ts'
import * as rankings from '../../sql/rankings.ts'
import { created, endpoint, item, list } from '../endpoint.ts'
import { datetime, id, name } from '../fields.ts'
import { domain } from './domain.ts'
import { languageCode, locationCode } from './market.ts'

const PROPERTY_LENGTH = 255

const times = { last_datetime: datetime.nullable(), datetime }
const ListedProject = projects.ListedProject.extend(times).meta({ id: 'Project' })
const TrackedKeyword = keywords.Keyword.pick({
  id: true,
  keyword: true,
  last_position: true,
  last_url: true,
  search_volume: true,
}).extend({ last_datetime: datetime.nullable() })
const ProjectDetail = projects.Project.extend({
  ...times,
  stats: rankings.Stats.nullable(),
  keywords: z.array(TrackedKeyword),
}).meta({ id: 'ProjectDetail' })
const Id = z.object({ id: z.int() })

const example = {
  id: 3,
  name: 'Shop',
  domain: 'example.com',
  location_code: 2380,
  language_code: 'it',
  console_property: null,
  analytics_property: null,
  last_datetime: '2026-07-01 09:30:00',
  datetime: '2026-06-01 08:00:00',
}
const statsExample = {
  tracked: 1,
  ranking: 1,
  avg_position: 4,
  buckets: { top3: 0, top10: 1, top20: 0, top50: 0, top100: 0, none: 0 },
  gained: [{ keyword: 'scarpe rosse', delta: 5, from: 9, to: 4 }],
  lost: [],
  timeline: { '2026-07-01': 4 },
}
const keywordExample = {
  id: 8,
  keyword: 'scarpe rosse',
  last_position: 4,
  last_url: 'https://example.com/scarpe',
  search_volume: 1300,
  last_datetime: '2026-07-01 09:30:00',
}

/** What every endpoint below one project begins with; absent or somebody else's is 404. */
export const oneProject = {
  params: z.object({ id }),
  find: ({ id, user }: { id: number; user: { id: number } }) => projects.find(user.id, id),
}

/** Null and empty text clear a field; undefined leaves it. */
const clearable = (given: string | number | null) => String(given ?? '').trim() || null

const consoleProperty = z.string().max(PROPERTY_LENGTH).nullable().transform(clearable)
const analyticsProperty = z
  .union([z.string().max(PROPERTY_LENGTH), z.int().nonnegative()])
  .nullable()
  .transform((given) => clearable(given)?.replaceAll(/\D/g, '') || null)
  .meta({ override: { type: ['string', 'null'] }, description: 'Digits; others are dropped.' })

export const projectEndpoints = [
  endpoint({
    method: 'get',
    path: '/projects',
    summary: 'List projects',
    reply: list(ListedProject, { ...example, keywords: 1 }),
    handle: ({ user, window }) => projects.list(user.id, window),
  }),
  endpoint({
    method: 'post',
    path: '/projects',
    summary: 'Create a project',
    body: z
      .object({
        name,
        domain,
        location_code: locationCode,
        language_code: languageCode.nullish(),
      })
      .meta({ example: { name: 'Shop', domain: 'example.com' } }),
    reply: created(Id, { id: 3 }),
    problems: ['invalid'],
    handle: ({ user, body }) =>
      projects.create(user.id, {
        name: body.name,
        domain: body.domain,
        locationCode: body.location_code ?? config.DEFAULT_LOCATION_CODE,
        languageCode: body.language_code ?? config.DEFAULT_LANGUAGE_CODE,
      }),
  }),
  endpoint({
    method: 'get',
    path: '/projects/:id',
    summary: 'Read a project',
    description: 'With its keywords and the figures of 90 days; `format=csv` gives a row for each keyword.',
    params: oneProject.params,
    reply: item(ProjectDetail, { ...example, stats: statsExample, keywords: [keywordExample] }),
    problems: ['not_found'],
    find: oneProject.find,
    async handle({ id, record }) {
      const [stats, tracked] = await Promise.all([rankings.stats(id), keywords.ofProject(id)])
      return { ...record, stats, keywords: [...tracked] }
    },
    csv: ({ name, domain, keywords: tracked }) =>
      tracked.map(({ keyword, last_position, last_url, search_volume, last_datetime }) => ({
        project: name,
        domain,
        keyword,
        last_position,
        last_url,
        search_volume,
        last_datetime,
      })),
  }),
  endpoint({
    method: 'patch',
    path: '/projects/:id',
    summary: 'Change a project',
    params: oneProject.params,
    body: z
      .object({
        name: name.optional(),
        domain: domain.optional(),
        location_code: locationCode,
        language_code: languageCode.optional(),
        console_property: consoleProperty.optional(),
        analytics_property: analyticsProperty.optional(),
      })
      .meta({ example: { name: 'Shop', analytics_property: '123456' } }),
    reply: item(Id, { id: 3 }),
    problems: ['not_found', 'invalid'],
    find: oneProject.find,
    async handle({ id, user, body }) {
      if (Object.values(body).every((value) => value === undefined)) throw new Problem('invalid')
      const changed = await projects.change(user.id, id, {
        name: body.name,
        domain: body.domain,
        locationCode: body.location_code,
        languageCode: body.language_code,
        consoleProperty: body.console_property,
        analyticsProperty: body.analytics_property,
      })
      if (!changed) throw new Problem('not_found')
      return changed
    },
  }),
  endpoint({
    method: 'delete',
    path: '/projects/:id',
    summary: 'Delete a project',
    params: oneProject.params,
    reply: item(Id, { id: 3 }),
    problems: ['not_found'],
    async handle({ id, user }) {
      const removed = await projects.remove(user.id, id)
      if (!removed) throw new Problem('not_found')
      return removed
    },
  }),
]
