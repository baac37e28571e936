import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'
import { COOLDOWN_SECONDS } from './refreshes.ts'

/** A project without its keywords. */
export const Project = z.object({
  id: z.int(),
  name: z.string(),
  domain: z.string(),
  location_code: z.int(),
  language_code: z.string(),
  console_property: z.string().nullable(),
  analytics_property: z.string().nullable(),
  last_datetime: z.number().nullable(),
  datetime: z.number(),
})
export const ListedProject = Project.extend({ keywords: z.int() })
const Id = z.object({ id: z.int() })
const Total = z.object({ total: z.int() })

const columns = sql.fragment`
  id, name, domain, location_code, language_code, console_property, analytics_property,
  refreshed_at as last_datetime, created_at as datetime`

export async function list(userId: number, window: { limit: number; offset: number }, on: Executor = db()) {
  const rows = await on.any(sql.type(ListedProject)`
    select ${columns}, keywords_count as keywords from projects
     where user_id = ${userId} order by id desc limit ${window.limit} offset ${window.offset}`)
  const { total } = await on.one(
    sql.type(Total)`select count(*) as total from projects where user_id = ${userId}`,
  )
  return { rows, total }
}

export async function find(userId: number, id: number, on: Executor = db()) {
  return await on.maybeOne(sql.type(Project)`
    select ${columns} from projects where id = ${id} and user_id = ${userId}`)
}

/** What can be said of a project. */
export type ProjectFields = {
  name: string
  domain: string
  locationCode: number
  languageCode: string
  consoleProperty: string | null
  analyticsProperty: string | null
}

export async function create(
  userId: number,
  project: Omit<ProjectFields, 'consoleProperty' | 'analyticsProperty'>,
  on: Executor = db(),
) {
  const { name, domain, locationCode, languageCode } = project
  return await on.one(sql.type(Id)`
    insert into projects (user_id, name, domain, location_code, language_code)
    values (${userId}, ${name}, ${domain}, ${locationCode}, ${languageCode}) returning id`)
}

/**
 * Changes what is named in `fields`; undefined leaves it. Positions that the source was asked for are not those of
 * another site or market: they are not waited for any longer, and those that a refresh under way may still store are not
 * compared with.
 */
export async function change(
  userId: number,
  id: number,
  fields: { [Name in keyof ProjectFields]?: ProjectFields[Name] | undefined },
  on: Executor = db(),
) {
  const { consoleProperty, analyticsProperty } = fields
  const isMoved = [fields.domain, fields.locationCode, fields.languageCode].some((part) => part !== undefined)
  return await on.maybeOne(sql.type(Id)`
    with outdated as (
      delete from rank_tasks t using keywords k join projects p on p.id = k.project_id
       where ${isMoved} and t.keyword_id = k.id and p.id = ${id} and p.user_id = ${userId}
    )
    update projects
       set name = coalesce(${fields.name ?? null}, name),
           domain = coalesce(${fields.domain ?? null}, domain),
           location_code = coalesce(${fields.locationCode ?? null}, location_code),
           language_code = coalesce(${fields.languageCode ?? null}, language_code),
           console_property = case when ${consoleProperty === undefined} then console_property
                                   else ${consoleProperty ?? null} end,
           analytics_property = case when ${analyticsProperty === undefined} then analytics_property
                                     else ${analyticsProperty ?? null} end,
           comparable_from = case
             when (domain, location_code, language_code) is distinct from
                  (coalesce(${fields.domain ?? null}, domain), coalesce(${fields.locationCode ?? null}, location_code),
                   coalesce(${fields.languageCode ?? null}, language_code))
             then now() + make_interval(secs => ${COOLDOWN_SECONDS}) else comparable_from end
     where id = ${id} and user_id = ${userId} returning id`)
}

/** Deletes a project with its keywords and their rankings. */
export async function remove(userId: number, id: number, on: Executor = db()) {
  return await on.maybeOne(sql.type(Id)`
    delete from projects where id = ${id} and user_id = ${userId} returning id`)
}
