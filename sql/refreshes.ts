import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

/** Between the beginnings of two refreshes of a project. */
const COOLDOWN_SECONDS = 600
/** A search volume is asked for again after this long. */
const VOLUME_DAYS = 30

const Id = z.object({ id: z.int() })

/** Whether a project's last refresh is so recent that no other may begin. */
export async function isCooling(projectId: number, on: Executor = db()): Promise<boolean> {
  return await on.exists(sql.type(z.unknown())`
    select 1 from projects where id = ${projectId} and claimed_at > now() - make_interval(secs => ${COOLDOWN_SECONDS})`)
}

/** Begins a refresh and its cooldown; false when another was first. */
export async function claim(projectId: number, on: Executor = db()): Promise<boolean> {
  const claimed = await on.maybeOne(sql.type(Id)`
    update projects set claimed_at = now()
     where id = ${projectId}
       and (claimed_at is null or claimed_at <= now() - make_interval(secs => ${COOLDOWN_SECONDS})) returning id`)
  return claimed !== null
}

/** A refresh that brought nothing is no reason to wait. */
export async function unclaim(projectId: number, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`update projects set claimed_at = null where id = ${projectId}`)
}

const Project = z.object({
  id: z.int(),
  domain: z.string(),
  location_code: z.int(),
  language_code: z.string(),
  keywords_count: z.int(),
})

export async function projectOf(projectId: number, on: Executor = db()) {
  return await on.maybeOne(sql.type(Project)`
    select id, domain, location_code, language_code, keywords_count from projects where id = ${projectId}`)
}

const Due = z.object({ id: z.int(), keyword: z.string() })

/** Keywords that have not been checked since the refresh began: all of them, unless it is gone on with after a crash. */
export async function unchecked(projectId: number, on: Executor = db()) {
  return await on.any(sql.type(Due)`
    select k.id, k.keyword from keywords k join projects p on p.id = k.project_id
     where p.id = ${projectId} and (k.checked_at is null or p.claimed_at is null or k.checked_at < p.claimed_at)
     order by k.id`)
}

/** Keywords whose search volume is not known, or a month old. */
export async function withoutVolume(projectId: number, on: Executor = db()) {
  return await on.any(sql.type(Due)`
    select id, keyword from keywords
     where project_id = ${projectId} and (volume_at is null or volume_at < now() - make_interval(days => ${VOLUME_DAYS}))
     order by id`)
}

/** Stores where a keyword stands now; a keyword that was deleted meanwhile is nothing to store. */
export async function keepRank(
  keywordId: number,
  { position, url }: { position: number | null; url: string | null },
  on: Executor = db(),
): Promise<boolean> {
  const kept = await on.maybeOne(sql.type(Id)`
    with checked as (
      update keywords set last_position = ${position}, last_url = ${url}, checked_at = now()
       where id = ${keywordId} returning id, project_id
    ), stored as (
      insert into rankings (keyword_id, checked_at, position, url)
      select id, now(), ${position}, ${url} from checked
    ), dated as (
      update projects set refreshed_at = now() where id = (select project_id from checked)
    )
    select id from checked`)
  return kept !== null
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
