import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'
import type { Severity } from './scores.ts'

/** Of one step of a statement; the default of 4 MB has steps over 10,000 pages write to disk. */
const WORK_MEM = '64MB'

const Ids = z.object({ ids: z.array(z.int()) })

/** The ids a statement selects, as one row: reading thousands of rows costs more than finding them. */
export async function idsOf(statement: FragmentSqlToken, on: Executor = db()): Promise<readonly number[]> {
  const { ids } = await on.one(sql.type(Ids)`
    select coalesce(json_agg(found.id order by found.id), '[]') as ids from (${statement}) as found`)
  return ids
}

/** How issues make a score. */
export type Scoring = {
  /** The codes that are judged over the whole site. */
  codes: readonly string[]
  scored: Record<Severity, readonly string[]>
  prices: Record<Severity, { each: number; most: number }>
}

/** Replaces the site-wide issues of a crawl's pages by those found now, and scores the pages that change anew. */
export async function attachIssues(
  crawlId: number,
  found: readonly { id: number; code: string }[],
  { codes, scored, prices }: Scoring,
  on: Executor = db(),
): Promise<void> {
  const cost = (severity: Severity) => sql.fragment`
    least(${prices[severity].most}::int, ${prices[severity].each}::int * (
      select count(*) from unnest(pages.issues) as i (code) where i.code = any(${sql.array([...scored[severity]], 'text')}))::int)`
  await on.query(sql.typeAlias('void')`
    with found as (
      select id, array_agg(code order by position) as codes
        from ${sql.unnest(
          found.map(({ id, code }, position) => [id, code, position]),
          ['int8', 'text', 'int4'],
        )}
          as f (id, code, position)
       group by id
    ), pages as (
      select p.id, p.status_code, p.is_html,
             array(select i.code from unnest(p.issues) with ordinality as i (code, n)
                    where i.code <> all(${sql.array([...codes], 'text')}) order by i.n)
             || coalesce(found.codes, '{}') as issues
        from pages p left join found on found.id = p.id
       where p.crawl_id = ${crawlId}
         and (found.id is not null or p.issues && ${sql.array([...codes], 'text')})
    ), judged as (
      select id, issues,
             case when status_code = 0 or status_code >= 400 or 'page_blocked' = any(issues) then 0
                  when status_code >= 300 or not is_html then null
                  else 100 - ${cost('major')} - ${cost('moderate')} - ${cost('minor')} end as score
        from pages
    )
    update pages p set issues = judged.issues, score = judged.score
      from judged
     where p.crawl_id = ${crawlId} and p.id = judged.id
       and (p.issues, p.score) is distinct from (judged.issues, judged.score::smallint)`)
}

/**
 * Runs statements over all pages of a crawl that has just ended. It has no statistics yet: without them the planner
 * expects a handful of pages and joins 10,000 in nested loops, for minutes.
 */
export async function overWholeCrawl(
  work: (tx: Executor) => Promise<void>,
  on: Executor = db(),
): Promise<void> {
  await on.transaction(async (tx) => {
    await tx.query(sql.type(z.unknown())`
      select set_config('enable_nestloop', 'off', true), set_config('work_mem', ${WORK_MEM}, true)`)
    await work(tx)
  })
}
