import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

/** Rows whose turn is taken at once. */
export const TAKEN = 500
const HOURS = 24

/** Watches the domains of all projects; new ones are due at once. */
export async function watchProjects(on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    insert into watched_hosts (host, user_id)
    select distinct p.domain, p.user_id from projects p
     where not exists (select 1 from watched_hosts w where w.host = p.domain and w.user_id = p.user_id)
    on conflict do nothing`)
}

/** Watches a host that a user has crawled. */
export async function watchCrawled(
  { host, userId, isHttps }: { host: string; userId: number; isHttps: boolean },
  on: Executor,
) {
  await on.query(sql.typeAlias('void')`
    insert into watched_hosts (host, user_id, is_https) values (${host}, ${userId}, ${isHttps})
    on conflict (host, user_id) do update set is_https = excluded.is_https
      where watched_hosts.is_https <> excluded.is_https`)
}

const Due = z.object({ host: z.string(), is_wanted: z.boolean() })

/**
 * Takes hosts whose turn it is, at most `TAKEN`; the next turn of each is at a time of day of its own. Wanted are those
 * of projects, and those crawled by https; what has neither project nor scan is forgotten.
 */
export async function takeDue(on: Executor) {
  return await on.any(sql.type(Due)`
    with due as (
      select host, user_id, is_https from watched_hosts
       where due_at <= now() order by due_at limit ${TAKEN} for update skip locked
    ), judged as (
      select due.*, u.status = 'active' as is_active,
             exists (select 1 from projects p where p.domain = due.host and p.user_id = due.user_id) as is_tracked,
             -- A scan may have been led to the twin of its host.
             exists (select 1 from scans s where s.user_id = due.user_id
               and s.host in (due.host, 'www.' || due.host, regexp_replace(due.host, '^www\.', ''))) as is_crawled
        from due join users u on u.id = due.user_id
    ), forgotten as (
      delete from watched_hosts w using judged j
       where w.host = j.host and w.user_id = j.user_id and not j.is_tracked and not j.is_crawled
    ), kept as (
      update watched_hosts w
         -- A fleet that was down does not make up for it by two turns in a row.
         set due_at = next_turn(hashtextextended(w.host, 0), ${HOURS}, now() + make_interval(hours => ${HOURS}) / 2)
        from judged j
       where w.host = j.host and w.user_id = j.user_id and (j.is_tracked or j.is_crawled)
    )
    select host, is_active and (is_tracked or is_https and is_crawled) as is_wanted from judged`)
}

const Watched = z.object({
  host: z.string(),
  user_id: z.int(),
  let_in: z.array(z.string()).nullable(),
  /** The user also has its `www.` twin, which stands for both. */
  has_www: z.boolean(),
})

/** Who watches these hosts, or whether this user does; nobody else judges them until the transaction ends. */
export async function lock(hosts: readonly string[], userId: number | null, on: Executor) {
  return await on.any(sql.type(Watched)`
    select host, user_id, let_in,
           exists (select 1 from watched_hosts t
                    where t.host = 'www.' || w.host and t.user_id = w.user_id) as has_www
      from watched_hosts w
     where host = any(${sql.array([...hosts], 'text')}) and (${userId}::bigint is null or user_id = ${userId})
     order by host, user_id for update`)
}

/** Keeps which AI agents robots.txt lets in. */
export async function keepLetIn(
  seen: readonly { host: string; userId: number; letIn: readonly string[] }[],
  on: Executor,
) {
  const rows = seen.map(({ host, userId, letIn }) => ({ host, user_id: userId, let_in: letIn }))
  await on.query(sql.typeAlias('void')`
    update watched_hosts w set let_in = s.let_in
      from jsonb_to_recordset(${sql.jsonb(rows as never)}) as s (host text, user_id bigint, let_in text[])
     where w.host = s.host and w.user_id = s.user_id and w.let_in is distinct from s.let_in`)
}
