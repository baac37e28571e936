import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

export const Keyword = z.object({
  id: z.int(),
  project_id: z.int(),
  keyword: z.string(),
  search_volume: z.int().nullable(),
  last_position: z.int().nullable(),
  last_url: z.string().nullable(),
  target_url: z.string().nullable(),
  tags: z.array(z.string()),
  notes: z.string().nullable(),
  last_datetime: z.number().nullable(),
  datetime: z.number(),
})
const Id = z.object({ id: z.int() })
const Total = z.object({ total: z.int() })

const columns = sql.fragment`
  k.id, k.project_id, k.keyword, k.search_volume, k.last_position, k.last_url, k.target_url, k.tags, k.notes,
  k.checked_at as last_datetime, k.created_at as datetime`

type Window = { limit: number; offset: number }

/** A user's keywords, newest project first; only those of one project where `projectId` is given. */
export async function list(
  userId: number,
  projectId: number | undefined,
  { limit, offset }: Window,
  on: Executor = db(),
) {
  const mine = sql.fragment`user_id = ${userId} and ${projectIs(projectId)}`
  const { total } = await on.one(
    sql.type(Total)`select coalesce(sum(keywords_count), 0)::bigint as total from projects p where ${mine}`,
  )
  // The projects' counts say in which of them the window lies, so that a far page costs no more than the first.
  const rows = await on.any(sql.type(Keyword)`
    with mine as (
      select id, keywords_count, sum(keywords_count) over (order by id desc) - keywords_count as before
        from projects p where ${mine}
    ), shown as (
      select id, greatest(${offset} - before, 0) as skipped from mine
       where before < ${offset + limit} and before + keywords_count > ${offset}
    )
    select ${columns} from shown cross join lateral (
        select * from keywords where project_id = shown.id order by id limit ${limit} offset shown.skipped
      ) k order by k.project_id desc, k.id limit ${limit}`)
  return { rows, total }
}

/** The same of the keywords that carry exactly this tag. */
export async function listTagged(
  userId: number,
  tag: string,
  projectId: number | undefined,
  { limit, offset }: Window,
  on: Executor = db(),
) {
  const tagged = sql.fragment`
    from keywords k join projects p on p.id = k.project_id
   where k.tags <> '{}' and k.tags @> ${sql.array([tag], 'text')} and p.user_id = ${userId} and ${projectIs(projectId)}`
  const rows = await on.any(sql.type(Keyword)`
    select ${columns} ${tagged} order by k.project_id desc, k.id limit ${limit} offset ${offset}`)
  const { total } = await on.one(sql.type(Total)`select count(*) as total ${tagged}`)
  return { rows, total }
}

const projectIs = (id: number | undefined) =>
  id === undefined ? sql.fragment`true` : sql.fragment`p.id = ${id}`

/** The keywords of one project, oldest first. */
export async function ofProject(projectId: number, on: Executor = db()) {
  return await on.any(sql.type(Keyword)`
    select ${columns} from keywords k where k.project_id = ${projectId} order by k.id`)
}

export async function find(userId: number, id: number, on: Executor = db()) {
  return await on.maybeOne(sql.type(Keyword)`
    select ${columns} from keywords k join projects p on p.id = k.project_id
     where k.id = ${id} and p.user_id = ${userId}`)
}

const Locked = z.object({ id: z.int() })

/**
 * Adds keywords to a project, those it has already apart; `replace` removes all it had. Returns what was done, or null
 * when the user has no such project. Calls for one project wait for each other, so that the figures are exact.
 */
export async function add(
  userId: number,
  projectId: number,
  keywords: readonly string[],
  { replace }: { replace: boolean },
) {
  return await db().transaction(async (tx) => {
    const project = await tx.maybeOne(sql.type(Locked)`
      select id from projects where id = ${projectId} and user_id = ${userId} for update`)
    if (!project) return null
    const removed = replace ? await clear(projectId, tx) : 0
    const added = await insert(projectId, keywords, tx)
    return { added, skipped: keywords.length - added, removed }
  })
}

async function clear(projectId: number, on: Executor): Promise<number> {
  const { rowCount } = await on.query(
    sql.typeAlias('void')`delete from keywords where project_id = ${projectId}`,
  )
  return rowCount
}

/** The first spelling of a keyword is the one that is kept. */
async function insert(projectId: number, keywords: readonly string[], on: Executor): Promise<number> {
  const { rowCount } = await on.query(sql.typeAlias('void')`
    insert into keywords (project_id, keyword, keyword_key)
    select ${projectId}, k.keyword, k.key
      from unnest(${sql.array([...keywords], 'text')}, ${sql.array(keywords.map(keyOf), 'text')})
           with ordinality as k (keyword, key, place)
     order by k.place
    on conflict (project_id, keyword_key) do nothing`)
  return rowCount
}

/** Two spellings with the same key are the same keyword. */
const keyOf = (keyword: string) => keyword.normalize('NFC').toLowerCase()

/** What a user says of a keyword; undefined leaves it. */
export type Notes = {
  targetUrl?: string | null | undefined
  tags?: readonly string[] | undefined
  notes?: string | null | undefined
}

export async function annotate(
  userId: number,
  id: number,
  { targetUrl, tags, notes }: Notes,
  on: Executor = db(),
) {
  return await on.maybeOne(sql.type(Keyword)`
    update keywords k
       set target_url = case when ${targetUrl === undefined} then target_url else ${targetUrl ?? null} end,
           tags = case when ${tags === undefined} then tags else ${sql.array([...(tags ?? [])], 'text')} end,
           notes = case when ${notes === undefined} then notes else ${notes ?? null} end
      from projects p
     where k.id = ${id} and p.id = k.project_id and p.user_id = ${userId} returning ${columns}`)
}

/** Deletes those of the keywords that are the user's, with their rankings; returns how many. */
export async function remove(userId: number, ids: readonly number[]): Promise<number> {
  return await db().transaction(async (tx) => {
    const mine = sql.fragment`k.id = any(${sql.array([...ids], 'int8')}) and p.user_id = ${userId}`
    // In one order, so that two such calls never wait for each other in a circle.
    await tx.query(sql.type(Id)`
      select id from projects where id in (
        select p.id from keywords k join projects p on p.id = k.project_id where ${mine}
      ) order by id for update`)
    const { rowCount } = await tx.query(sql.typeAlias('void')`
      delete from keywords k using projects p where p.id = k.project_id and ${mine}`)
    return rowCount
  })
}
