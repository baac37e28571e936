import { z } from 'zod'

import { LEASE_SECONDS } from './crawls.ts'
import { db, type Executor, sql } from './pool.ts'

const Queued = z.object({
  key: z.string(),
  seq: z.int(),
  url: z.string(),
  depth: z.int(),
  in_sitemap: z.boolean(),
})
export type Queued = z.output<typeof Queued>

export type Found = { key: string; url: string; depth: number }
/** `lastmod` and `alternates` are what sitemaps say. */
export type Seed = Found & {
  inSitemap?: boolean
  lastmod?: Date | null
  alternates?: readonly { key: string; lang: string }[]
}

/**
 * The next URLs of the shallowest level that is not finished, in the order they were found, after `seq`.
 * Levels are crawled one after the other: that makes every depth, and so max_depth, exact.
 */
export async function next(
  crawlId: number,
  after: { depth: number; seq: number },
  limit: number,
  on: Executor = db(),
) {
  return await on.any(sql.type(Queued)`
    select url_key::text as key, seq, url, depth, in_sitemap from frontier
     where crawl_id = ${crawlId} and not done and depth = ${after.depth} and seq > ${after.seq}
     order by seq limit ${limit}`)
}

const Level = z.object({ depth: z.int().nullable() })

/** Depth of the shallowest level with URLs waiting; null when the frontier is empty. */
export async function level(crawlId: number, on: Executor = db()) {
  const { depth } = await on.one(sql.type(Level)`
    select min(depth) as depth from frontier where crawl_id = ${crawlId} and not done`)
  return depth
}

const Total = z.object({ total: z.int() })

export async function pending(crawlId: number, on: Executor = db()) {
  const { total } = await on.one(sql.type(Total)`
    select count(*) as total from frontier where crawl_id = ${crawlId} and not done`)
  return total
}

/** The set of found URLs as rows for an insert; one statement may touch each URL only once. */
function rows(crawlId: number, found: readonly Found[], except: readonly string[]) {
  const distinct = new Map<string, Found>()
  for (const url of found) {
    const known = distinct.get(url.key)
    if (!known || url.depth < known.depth) distinct.set(url.key, url)
  }
  for (const key of except) distinct.delete(key)
  return sql.fragment`
    select ${crawlId}::bigint, f.url_key, f.url, f.depth
      from ${sql.unnest(
        [...distinct.values()].map(({ key, url, depth }) => [key, url, depth]),
        ['int8', 'text', 'int2'],
      )} as f (url_key, url, depth)`
}

/** Seeds the frontier; URLs it knows stay as they are. Counts the new ones in `pages_found`. */
export async function seed(crawlId: number, found: readonly Seed[], on: Executor = db()) {
  const distinct = new Map(found.map((url) => [url.key, url]))
  const array = (values: readonly string[] = []) => (values.length === 0 ? null : `{${values.join(',')}}`)
  const seeds = sql.unnest(
    [...distinct.values()].map(({ key, url, depth, inSitemap = false, lastmod, alternates }) => [
      key,
      url,
      depth,
      inSitemap,
      lastmod?.toISOString() ?? null,
      array(alternates?.map((alternate) => alternate.key)),
      array(alternates?.map(({ lang }) => lang)),
    ]),
    ['int8', 'text', 'int2', 'bool', 'timestamptz', 'text', 'text'],
  )
  await on.query(sql.typeAlias('void')`
    with new as (
      insert into frontier (crawl_id, url_key, url, depth, in_sitemap, lastmod, alternate_keys, alternate_langs)
      select ${crawlId}::bigint, s.url_key, s.url, s.depth, s.in_sitemap, s.lastmod, s.alternate_keys::bigint[],
             s.alternate_langs::text[]
        from ${seeds} as s (url_key, url, depth, in_sitemap, lastmod, alternate_keys, alternate_langs)
      on conflict (crawl_id, url_key) do update
         set in_sitemap = frontier.in_sitemap or excluded.in_sitemap,
             lastmod = coalesce(frontier.lastmod, excluded.lastmod),
             alternate_keys = coalesce(frontier.alternate_keys, excluded.alternate_keys),
             alternate_langs = coalesce(frontier.alternate_langs, excluded.alternate_langs)
      returning (xmax = 0) as inserted
    )
    update crawls set pages_found = pages_found + (select count(*) from new where inserted) where id = ${crawlId}`)
}

const Progress = z.object({ pages_found: z.int(), pages_processed: z.int() })

/**
 * The second half of a batch: its URLs are done, what they link to is queued, the crawl's counters move on, and the
 * lease is prolonged. Null when the lease was lost: the caller must roll the batch back.
 */
export async function advance(
  crawlId: number,
  lease: string,
  batch: {
    done: readonly string[]
    found: readonly Found[]
    errors: number
    warnings: number
    nextFetchAt: Date
  },
  on: Executor = db(),
) {
  return await on.maybeOne(sql.type(Progress)`
    with finished as (
      update frontier set done = true
       where crawl_id = ${crawlId} and url_key = any(${sql.array([...batch.done], 'int8')})
    ), new as (
      insert into frontier (crawl_id, url_key, url, depth) ${rows(crawlId, batch.found, batch.done)}
      on conflict (crawl_id, url_key) do update set depth = excluded.depth
        where frontier.depth > excluded.depth and not frontier.done
      returning (xmax = 0) as inserted
    )
    update crawls
       set pages_found = pages_found + (select count(*) from new where inserted),
           pages_processed = pages_processed + ${batch.done.length},
           errors_count = errors_count + ${batch.errors}, warnings_count = warnings_count + ${batch.warnings},
           next_fetch_at = ${batch.nextFetchAt.toISOString()},
           leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where id = ${crawlId} and lease = ${lease} and status = 'crawling'
    returning pages_found, pages_processed`)
}

export async function clear(crawlId: number, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`delete from frontier where crawl_id = ${crawlId}`)
}
