import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

/** Questions of one call. */
export const BATCH = 100
/** Projects whose turn is taken at once. */
export const PROJECTS = 100
/** A question the source has had for so long without listing an answer is looked up by its id. */
const SLOW_MINUTES = 15
/** A question that got no answer is forgotten, and asked again when its project's turn comes; hours. */
const LOST_HOURS = 12

/** Sets the first turn of new projects, and the next one of those whose plan now says sooner. */
export async function setTurns(on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update projects p set due_at = next_turn(p.id, plans.refresh_hours, now())
      from users u join plans on plans.name = u.plan
     where u.id = p.user_id and plans.refresh_hours > 0
       and p.due_at > now() + make_interval(hours => plans.refresh_hours) * 1.5`)
}

const Due = z.object({ id: z.int(), user_id: z.int(), is_wanted: z.boolean() })

/** Projects whose turn it is, at most `PROJECTS`, also those with nothing to do. Their next turn is set. */
export async function takeDueProjects(on: Executor = db()) {
  return await on.any(sql.type(Due)`
    with due as (
      select p.id, p.user_id, plans.refresh_hours as hours,
             p.keywords_count > 0 and plans.refresh_hours > 0 and u.status = 'active' as is_wanted
        from projects p join users u on u.id = p.user_id join plans on plans.name = u.plan
       where p.due_at <= now()
       order by p.due_at limit ${PROJECTS} for update of p skip locked
    )
    update projects p
       -- A fleet that was down does not make up for it by two turns in a row.
       set due_at = next_turn(p.id, due.hours, now() + make_interval(hours => due.hours) / 2)
      from due where p.id = due.id returning p.id, due.user_id, due.is_wanted`)
}

/** Asks for the positions of all keywords of these projects, those apart that are asked for already. */
export async function addTasks(projectIds: readonly number[], on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    insert into rank_tasks (keyword_id)
    select id from keywords where project_id = any(${sql.array([...projectIds], 'int8')}) order by id
    on conflict (keyword_id) do nothing`)
}

const Task = z.object({
  id: z.int(),
  keyword_id: z.int(),
  user_id: z.int(),
  keyword: z.string(),
  domain: z.string(),
  location_code: z.int(),
  language_code: z.string(),
})

/** Takes questions to post, of one user, who is charged. They count as posted from now on, whatever becomes of the call. */
export async function takeUnposted(batch: string, on: Executor = db()) {
  return await on.any(sql.type(Task)`
    with first as (
      select p.user_id from rank_tasks t join keywords k on k.id = t.keyword_id join projects p on p.id = k.project_id
       where t.batch is null order by t.id limit 1
    ), taken as (
      select t.id from rank_tasks t join keywords k on k.id = t.keyword_id join projects p on p.id = k.project_id
       where t.batch is null and p.user_id = (select user_id from first)
       order by t.id limit ${BATCH} for update of t skip locked
    ), marked as (
      update rank_tasks t set batch = ${batch}, posted_at = now() from taken where t.id = taken.id
      returning t.id, t.keyword_id
    )
    select m.id, m.keyword_id, p.user_id, k.keyword, p.domain, p.location_code, p.language_code
      from marked m join keywords k on k.id = m.keyword_id join projects p on p.id = k.project_id order by m.id`)
}

/** These were refused, and may be taken another time. */
export async function giveBack(ids: readonly number[], on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update rank_tasks set batch = null, posted_at = null
     where id = any(${sql.array([...ids], 'int8')}) and upstream_id is null`)
}

/** Under which ids the source took the questions. */
export async function keepIds(taken: readonly { id: number; upstreamId: string }[], on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update rank_tasks t set upstream_id = n.upstream_id
      from ${sql.unnest(
        taken.map(({ id, upstreamId }) => [id, upstreamId]),
        ['int8', 'text'],
      )} as n (id, upstream_id) where t.id = n.id and t.upstream_id is null`)
}

export async function drop(ids: readonly number[], on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    delete from rank_tasks where id = any(${sql.array([...ids], 'int8')})`)
}

const Open = z.object({
  id: z.int(),
  keyword_id: z.int(),
  user_id: z.int(),
  project_id: z.int(),
  upstream_id: z.string(),
  domain: z.string(),
})
const Answered = z.object({ keyword_id: z.int() })

/** Questions that are answered, and those whose answer is overdue. In no order: one that fails does not hold up the rest. */
export async function collectable(readyIds: readonly string[], limit: number, on: Executor = db()) {
  const isReady = sql.fragment`t.upstream_id = any(${sql.array([...readyIds], 'text')})`
  return await on.any(sql.type(Open)`
    select t.id, t.keyword_id, p.user_id, p.id as project_id, t.upstream_id, p.domain
      from rank_tasks t join keywords k on k.id = t.keyword_id join projects p on p.id = k.project_id
     where ${isReady}
        or (t.upstream_id is not null and t.posted_at < now() - make_interval(mins => ${SLOW_MINUTES}))
     order by ${isReady} desc, random() limit ${limit}`)
}

/** Closes a question that is answered; the keyword it was about, null when another was first. */
export async function close(id: number, tx: Executor): Promise<number | null> {
  const asked = await tx.maybeOne(
    sql.type(Answered)`delete from rank_tasks where id = ${id} returning keyword_id`,
  )
  return asked && asked.keyword_id
}

const Waiting = z.object({ unposted: z.int(), posted: z.int() })

export async function waiting(on: Executor = db()) {
  return await on.one(sql.type(Waiting)`
    select count(*) filter (where batch is null) as unposted, count(*) filter (where batch is not null) as posted
      from rank_tasks`)
}

/** Forgets questions that got no answer. */
export async function dropLost(on: Executor = db()): Promise<number> {
  const { rowCount } = await on.query(sql.typeAlias('void')`
    delete from rank_tasks where posted_at < now() - make_interval(hours => ${LOST_HOURS})`)
  return rowCount
}
