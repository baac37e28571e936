import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'
import { shownCrawl } from './scans.ts'

/** At most this many pages in each list of a comparison (spec, Limits). */
const LIST_LIMIT = 500

const Summary = z.object({
  pages_from: z.int(),
  pages_to: z.int(),
  added: z.int(),
  removed: z.int(),
  changed: z.int(),
})
const AddedPage = z.object({ url: z.string(), status_code: z.int(), score: z.int().nullable() })
const RemovedPage = z.object({ url: z.string(), status_code: z.int() })
const Side = z.object({
  url: z.string(),
  status_code: z.int(),
  score: z.int().nullable(),
  issues_count: z.int(),
  is_indexable: z.boolean(),
})
const ChangedPage = z.object({ from: Side, to: Side })
export const lists = { AddedPage, RemovedPage, ChangedPage }

/** Pages of both scans side by side, matched by URL hash. */
const sides = (from: number, to: number) => sql.fragment`
  (select * from pages where crawl_id = ${shownCrawl(from)}) a
  full join (select * from pages where crawl_id = ${shownCrawl(to)}) b on b.url_key = a.url_key`
const changed = sql.fragment`
  a.id is not null and b.id is not null
  and (a.status_code, a.score, cardinality(a.issues), a.is_indexable) is distinct from
      (b.status_code, b.score, cardinality(b.issues), b.is_indexable)`
const side = (page: 'a' | 'b') => {
  const of = (column: string) => sql.identifier([page, column])
  return sql.fragment`jsonb_build_object(
    'url', ${of('url')}, 'status_code', ${of('status_code')}, 'score', ${of('score')},
    'issues_count', cardinality(${of('issues')}), 'is_indexable', ${of('is_indexable')})`
}

/** What changed between the pages of two scans. */
export async function compare(from: number, to: number, on: Executor = db()) {
  const summary = await on.one(sql.type(Summary)`
    select count(a.id) as pages_from, count(b.id) as pages_to,
           count(*) filter (where a.id is null) as added, count(*) filter (where b.id is null) as removed,
           count(*) filter (where ${changed}) as changed
      from ${sides(from, to)}`)
  const added = await on.any(sql.type(AddedPage)`
    select b.url, b.status_code, b.score from ${sides(from, to)} where a.id is null order by b.id limit ${LIST_LIMIT}`)
  const removed = await on.any(sql.type(RemovedPage)`
    select a.url, a.status_code from ${sides(from, to)} where b.id is null order by a.id limit ${LIST_LIMIT}`)
  const changes = await on.any(sql.type(ChangedPage)`
    select ${side('a')} as "from", ${side('b')} as "to"
      from ${sides(from, to)} where ${changed} order by b.id limit ${LIST_LIMIT}`)
  return { summary, added, removed, changed: changes }
}
