import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

/** What was found of an address outside a crawl is believed by all crawls for so long; that it failed, for less. */
const BELIEVED_HOURS = 24
const FAILURE_BELIEVED_HOURS = 1

const Known = z.object({ id: z.int(), url: z.string(), uses: z.int() })
export type Known = z.output<typeof Known>

/** The targets a crawl has found so far; ids are 1, 2, 3 … in the order they were found. */
export async function known(crawlId: number, on: Executor = db()) {
  return await on.any(
    sql.type(Known)`select id, url, uses from targets where crawl_id = ${crawlId} order by id`,
  )
}

type Fresh = { id: number; url: string; uses: number; internal: boolean }

/** The targets of one page: which, what for, and those that are new to the crawl or newly used so. */
export type Collected = { ids: number[]; uses: number[]; fresh: Fresh[] }

const literal = (values: readonly number[]) => `{${values.join(',')}}`

/** Writes what a batch of pages uses. Pages that are there already are left alone. */
export async function collect(
  crawlId: number,
  pages: readonly (Collected & { urlKey: string })[],
  on: Executor = db(),
) {
  const fresh = new Map<number, Fresh>()
  for (const { fresh: found } of pages)
    for (const target of found)
      fresh.set(target.id, { ...target, uses: target.uses | (fresh.get(target.id)?.uses ?? 0) })
  const using = pages.filter(({ ids }) => ids.length > 0)
  if (using.length === 0) return
  await on.query(sql.typeAlias('void')`
    with found as (
      insert into targets (crawl_id, id, url, uses, internal)
      select ${crawlId}::bigint, f.* from ${sql.unnest(
        [...fresh.values()].map(({ id, url, uses, internal }) => [id, url, uses, internal]),
        ['int4', 'text', 'int2', 'bool'],
      )} as f (id, url, uses, internal)
      on conflict (crawl_id, id) do update set uses = targets.uses | excluded.uses
    )
    insert into page_targets (crawl_id, url_key, targets, uses)
    select ${crawlId}::bigint, p.url_key, p.targets::integer[], p.uses::smallint[] from ${sql.unnest(
      using.map(({ urlKey, ids, uses }) => [urlKey, literal(ids), literal(uses)]),
      ['int8', 'text', 'text'],
    )} as p (url_key, targets, uses)
    on conflict (crawl_id, url_key) do nothing`)
}

const Waiting = z.object({ id: z.int(), url: z.string(), uses: z.int(), internal: z.boolean() })
export type Waiting = z.output<typeof Waiting>

/** The targets of a crawl that nobody has looked at yet. */
export async function waiting(crawlId: number, on: Executor = db()) {
  return await on.any(sql.type(Waiting)`
    select id, url, uses, internal from targets where crawl_id = ${crawlId} and status is null order by id`)
}

/** Whether any page uses an address so. */
export async function isUsed(crawlId: number, uses: number, on: Executor = db()) {
  return await on.exists(sql.type(z.unknown())`
    select 1 from targets where crawl_id = ${crawlId} and uses & ${uses} <> 0`)
}

/** Takes over what is known of targets outside the site from other crawls, if it was looked at for the same uses. */
export async function believe(crawlId: number, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update targets t
       set status = k.status, fault = k.fault, redirect = k.redirect, content_type = k.content_type,
           bytes = k.bytes, width = k.width, height = k.height, lifetime = k.lifetime
      from known_targets k
     where t.crawl_id = ${crawlId} and t.status is null and not t.internal and k.url = t.url and t.uses & ~k.uses = 0
       and k.checked_at > now() - make_interval(
             hours => case when k.status between 200 and 499 then ${BELIEVED_HOURS}::int else ${FAILURE_BELIEVED_HOURS}::int end)`)
}

/** What came of looking at a target. */
export type Verdict = {
  /** At the end of its redirects; 0 when nothing answered. */
  status: number
  /** Why not, or why the answer says nothing. */
  fault: string | null
  /** Status of the first redirect. */
  redirect: number | null
  contentType: string | null
  /** As transferred; null when unknown. */
  bytes: number | null
  /** Of an image, pixels; null when unknown. */
  width: number | null
  height: number | null
  /** Seconds that browsers may keep it; null when nothing was answered. */
  lifetime: number | null
}

/** Writes verdicts, and tells other crawls of those that concern addresses outside the site; `skipped` is none. */
export async function keep(
  crawlId: number,
  verdicts: readonly { target: Waiting; verdict: Verdict }[],
  on: Executor = db(),
) {
  await on.query(sql.typeAlias('void')`
    with given as (
      select * from ${sql.unnest(
        verdicts.map(({ target, verdict }) => [
          target.id,
          target.url,
          target.uses,
          target.internal,
          verdict.status,
          verdict.fault,
          verdict.redirect,
          verdict.contentType,
          verdict.bytes,
          verdict.width,
          verdict.height,
          verdict.lifetime,
        ]),
        ['int4', 'text', 'int2', 'bool', 'int2', 'text', 'int2', 'text', 'int4', 'int4', 'int4', 'int4'],
      )} as g (id, url, uses, internal, status, fault, redirect, content_type, bytes, width, height, lifetime)
    ), told as (
      insert into known_targets (url, uses, status, fault, redirect, content_type, bytes, width, height, lifetime)
      select url, uses, status, fault, redirect, content_type, bytes, width, height, lifetime from given
       where not internal and fault is distinct from 'skipped' order by url
      on conflict (url) do update
         set uses = excluded.uses, status = excluded.status, fault = excluded.fault, redirect = excluded.redirect,
             content_type = excluded.content_type, bytes = excluded.bytes, width = excluded.width,
             height = excluded.height, lifetime = excluded.lifetime, checked_at = now()
    )
    update targets t
       set status = g.status, fault = g.fault, redirect = g.redirect, content_type = g.content_type, bytes = g.bytes,
           width = g.width, height = g.height, lifetime = g.lifetime
      from given g where t.crawl_id = ${crawlId} and t.id = g.id`)
}

/** Marks targets that search engines may not fetch. */
export async function close(crawlId: number, ids: readonly number[], on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update targets set closed = true where crawl_id = ${crawlId} and id = any(${sql.array([...ids], 'int4')})`)
}

/** Forgets the targets of crawls. */
export async function clear(crawlIds: readonly number[], on: Executor = db()) {
  const ids = sql.array([...crawlIds], 'int8')
  await on.query(sql.typeAlias('void')`delete from page_targets where crawl_id = any(${ids})`)
  await on.query(sql.typeAlias('void')`delete from targets where crawl_id = any(${ids})`)
}
