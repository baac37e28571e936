import { z } from 'zod'

import { Problem } from '../../problem.ts'
import * as keywords from '../../sql/keywords.ts'
import { history } from '../../sql/rankings.ts'
import { endpoint, item, list } from '../endpoint.ts'
import { clampedQuery, datetime, id, text } from '../fields.ts'

const URL_LENGTH = 2048
const NOTES_LENGTH = 1024
const TAG_LENGTH = 64
const TAGS = 20
const HISTORY_DAYS = 365
const DEFAULT_HISTORY_DAYS = 90

const Keyword = keywords.Keyword.extend({ last_datetime: datetime.nullable(), datetime }).meta({
  id: 'Keyword',
})
const Id = z.object({ id: z.int() })
const History = z.object({
  keyword: z.string(),
  history: z.array(
    z.object({
      position: z.int().nullable().describe('Null: not among the first 100.'),
      url: z.string().nullable(),
      datetime,
    }),
  ),
})

const example = {
  id: 8,
  project_id: 3,
  keyword: 'scarpe rosse',
  search_volume: 1300,
  last_position: 4,
  last_url: 'https://example.com/scarpe',
  target_url: null,
  tags: ['autunno'],
  notes: null,
  last_datetime: '2026-07-01 09:30:00',
  datetime: '2026-06-01 08:00:00',
}

const oneKeyword = {
  params: z.object({ id }),
  find: ({ id, user }: { id: number; user: { id: number } }) => keywords.find(user.id, id),
}

/** What was sent once or more often, as text; null and what is no text count as nothing. */
const words = (given: unknown): string[] =>
  [given]
    .flat()
    .flatMap((each) => (typeof each === 'string' || typeof each === 'number' ? String(each).split(',') : []))

/** A filter by id: absent is no filter, what names no record is 0. */
const filterId = z
  .unknown()
  .optional()
  .transform((given) => {
    const [word = ''] = words(given)
    if (word.trim() === '') return undefined
    return id.safeParse(word.trim()).data ?? 0
  })
  .meta({ override: { type: 'integer' } })

const idList = z
  .unknown()
  .optional()
  .transform((given) => words(given).flatMap((word) => id.safeParse(word.trim()).data ?? []))
  .meta({ override: { type: 'array', items: { type: 'integer' } }, description: 'Or separated by commas.' })

const tag = text(TAG_LENGTH)
const tags = z
  .union([z.string(), z.array(z.string())])
  .nullable()
  .transform((given) => {
    const all = words(Array.isArray(given) ? null : given).concat(Array.isArray(given) ? given : [])
    return [...new Set(all.map((word) => tag.parse(word)).filter(Boolean))].slice(0, TAGS)
  })
  .meta({
    override: { type: ['array', 'string', 'null'], items: { type: 'string' } },
    description: `Or separated by commas; at most ${TAGS}, of ${TAG_LENGTH} characters.`,
  })

const targetUrl = z
  .string()
  .trim()
  .refine((given) => Array.from(given).length <= URL_LENGTH)
  .nullable()
  .transform((given) => given || null)
  .meta({ override: { type: ['string', 'null'] } })
const notes = z
  .string()
  .nullable()
  .transform((given) => text(NOTES_LENGTH).parse(given) || null)
  .meta({ override: { type: ['string', 'null'] } })

export const keywordEndpoints = [
  endpoint({
    method: 'get',
    path: '/keywords',
    summary: 'List keywords',
    description: 'Of all projects, the newest first.',
    query: z.object({
      project_id: filterId,
      tag: z
        .unknown()
        .optional()
        .transform(
          (given) =>
            [given]
              .flat()
              .findLast((each) => typeof each === 'string')
              ?.trim() ?? '',
        )
        .meta({ override: { type: 'string' }, description: 'Only keywords with exactly this tag.' }),
    }),
    reply: list(Keyword, example),
    handle: ({ user, query: { project_id, tag }, window }) =>
      tag
        ? keywords.listTagged(user.id, tag, project_id, window)
        : keywords.list(user.id, project_id, window),
    csv: (rows) => rows.map((row) => ({ ...row, tags: row.tags.join('|') })),
  }),
  endpoint({
    method: 'delete',
    path: '/keywords',
    summary: 'Delete keywords',
    description: 'Ids that are not yours are ignored.',
    query: z.object({ ids: idList }),
    body: z.object({ ids: idList }),
    reply: item(z.object({ deleted: z.int() }), { deleted: 2 }),
    problems: ['invalid'],
    async handle({ user, query, body }) {
      const ids = body.ids.length > 0 ? body.ids : query.ids
      if (ids.length === 0) throw new Problem('invalid', { field: 'ids' })
      return { deleted: await keywords.remove(user.id, ids) }
    },
  }),
  endpoint({
    method: 'get',
    path: '/keywords/:id',
    summary: 'Read a keyword',
    params: oneKeyword.params,
    reply: item(Keyword, example),
    problems: ['not_found'],
    find: oneKeyword.find,
    handle: async ({ record }) => record,
  }),
  endpoint({
    method: 'get',
    path: '/keywords/:id/history',
    summary: "Read a keyword's positions over time",
    params: oneKeyword.params,
    query: z.object({ days: clampedQuery(1, HISTORY_DAYS, DEFAULT_HISTORY_DAYS) }),
    reply: item(History, {
      keyword: 'scarpe rosse',
      history: [{ position: 4, url: 'https://example.com/scarpe', datetime: '2026-07-01 09:30:00' }],
    }),
    problems: ['not_found'],
    find: oneKeyword.find,
    handle: async ({ id, record, query }) => ({
      keyword: record.keyword,
      history: [...(await history(id, query.days))],
    }),
  }),
  endpoint({
    method: 'patch',
    path: '/keywords/:id',
    summary: 'Annotate a keyword',
    params: oneKeyword.params,
    body: z
      .object({ target_url: targetUrl.optional(), tags: tags.optional(), notes: notes.optional() })
      .meta({ example: { tags: ['autunno'], notes: 'Pagina di categoria' } }),
    reply: item(Keyword, example),
    problems: ['not_found', 'invalid'],
    find: oneKeyword.find,
    async handle({ id, user, body }) {
      if (Object.values(body).every((value) => value === undefined)) throw new Problem('invalid')
      const { target_url: targetUrl, tags, notes } = body
      const changed = await keywords.annotate(user.id, id, { targetUrl, tags, notes })
      if (!changed) throw new Problem('not_found')
      return changed
    },
  }),
  endpoint({
    method: 'delete',
    path: '/keywords/:id',
    summary: 'Delete a keyword',
    params: oneKeyword.params,
    reply: item(Id, { id: 8 }),
    problems: ['not_found'],
    async handle({ id, user }) {
      if ((await keywords.remove(user.id, [id])) === 0) throw new Problem('not_found')
      return { id }
    },
  }),
]
