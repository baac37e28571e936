import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

/** Between the beginnings of two refreshes of a project. */
export const COOLDOWN_SECONDS = 600
/** A search volume is asked for again after this long. */
const VOLUME_DAYS = 30

const Id = z.object({ id: z.int() })

/** Whether a project's last refresh is so recent that no other may begin. */
export async function isCooling(projectId: number, on: Executor = db()): Promise<boolean> {
  return await on.exists(sql.type(z.unknown())`
    select 1 from projects where id = ${projectId} and claimed_at > now() - make_interval(secs => ${COOLDOWN_SECONDS})`)
}

const free = sql.fragment`(claimed_at is null or claimed_at <= now() - make_interval(secs => ${COOLDOWN_SECONDS}))`

/** Begins a refresh, called `claim`, and its cooldown; false when another was first. */
export async function claim(projectId: number, claim: string, on: Executor = db()): Promise<boolean> {
  const claimed = await on.maybeOne(sql.type(Id)`
    update projects set claim = ${claim}, claimed_at = now() where id = ${projectId} and ${free} returning id`)
  return claimed !== null
}

const Progress = z.object({ refreshed: z.int(), total: z.int() })

/** How many keywords have been refreshed since the refresh began, and how many there are. */
export async function progress(projectId: number, on: Executor = db()) {
  return await on.one(sql.type(Progress)`
    select count(*) filter (where k.checked_at >= p.claimed_at) as refreshed, count(k.id) as total
      from projects p left join keywords k on k.project_id = p.id where p.id = ${projectId}`)
}

/** Says how far a refresh came that failed; one that brought nothing is no reason to wait for the next. */
export async function breakOff(projectId: number, claim: string, on: Executor = db()) {
  const far = await progress(projectId, on)
  if (far.refreshed === 0)
    await on.query(sql.typeAlias('void')`
      update projects set claimed_at = null where id = ${projectId} and claim = ${claim}`)
  return far
}

const Begun = z.object({
  domain: z.string(),
  location_code: z.int(),
  language_code: z.string(),
  seconds_left: z.number(),
})

/**
 * What to look up for a refresh that goes on or begins now, and for how long: it ends before another may begin. Null
 * when another has the project, or there is none.
 */
export async function begin(projectId: number, claim: string, on: Executor = db()) {
  return await on.maybeOne(sql.type(Begun)`
    update projects set claim = ${claim}, claimed_at = case when ${free} then now() else claimed_at end
     where id = ${projectId} and (claim = ${claim} or ${free})
    returning domain, location_code, language_code,
              extract(epoch from claimed_at - now())::float8 + ${COOLDOWN_SECONDS} as seconds_left`)
}

const Due = z.object({ id: z.int(), keyword: z.string() })

/** Keywords not asked for since the refresh began, the longest unasked first: what one breaks off, the next goes on with. */
export async function untried(projectId: number, limit: number, on: Executor = db()) {
  return await on.any(sql.type(Due)`
    select k.id, k.keyword from keywords k join projects p on p.id = k.project_id
     where p.id = ${projectId} and (k.tried_at is null or k.tried_at < p.claimed_at)
     order by k.tried_at nulls first, k.id limit ${limit}`)
}

const Unmeasured = Due.extend({ location_code: z.int(), language_code: z.string() })

/** Keywords of these projects whose search volume is not known, or a month old; all of one market. */
export async function withoutVolume(projectIds: readonly number[], limit: number, on: Executor = db()) {
  return await on.any(sql.type(Unmeasured)`
    with due as (
      select k.id, k.keyword, p.location_code, p.language_code,
             rank() over (order by p.location_code, p.language_code) as market
        from keywords k join projects p on p.id = k.project_id
       where p.id = any(${sql.array([...projectIds], 'int8')})
         and (k.volume_at is null or k.volume_at < now() - make_interval(days => ${VOLUME_DAYS}))
    )
    select id, keyword, location_code, language_code from due where market = 1 order by id limit ${limit}`)
}

const Before = z.object({
  user_id: z.int(),
  project_id: z.int(),
  domain: z.string(),
  keyword: z.string(),
  position: z.int().nullable(),
  /** It was checked before, as the same site in the same market. */
  is_comparable: z.boolean(),
})

/**
 * Stores where a keyword stands now, and returns where it stood; null when it was deleted meanwhile: that is nothing to
 * store.
 */
export async function keepRank(
  keywordId: number,
  { position, url }: { position: number | null; url: string | null },
  on: Executor,
) {
  return await on.maybeOne(sql.type(Before)`
    with before as (
      select id, project_id, keyword, last_position, checked_at from keywords where id = ${keywordId} for update
    ), checked as (
      update keywords k
         set last_position = ${position}, last_url = ${url}, checked_at = now(), tried_at = now()
        from before where k.id = before.id returning k.id
    ), stored as (
      insert into rankings (keyword_id, checked_at, position, url)
      select id, now(), ${position}, ${url} from checked
    )
    select p.user_id, p.id as project_id, p.domain, b.keyword, b.last_position as position,
           coalesce(b.checked_at > p.comparable_from, false) as is_comparable
      from before b join projects p on p.id = b.project_id`)
}

/** There was no answer for a keyword; it keeps what was known. */
export async function keepSilence(keywordId: number, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`update keywords set tried_at = now() where id = ${keywordId}`)
}

/** Dates projects by their newest position. Not with every position: all would wait for the one row. */
export async function dateProjects(ids: readonly number[], on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update projects p
       set refreshed_at = coalesce((select max(checked_at) from keywords where project_id = p.id), refreshed_at)
     where id = any(${sql.array([...ids], 'int8')})`)
}

export async function keepVolumes(
  volumes: readonly { id: number; volume: number | null }[],
  on: Executor = db(),
) {
  await on.query(sql.typeAlias('void')`
    update keywords k set search_volume = v.volume, volume_at = now()
      from ${sql.unnest(
        volumes.map(({ id, volume }) => [id, volume]),
        ['int8', 'int4'],
      )} as v (id, volume) where k.id = v.id`)
}
