import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

const STATS_DAYS = 90
/** Gainers and losers listed. */
const MOVERS = 5
/** Where a keyword that is not among the first 100 counts as standing when movements are compared. */
const OUTSIDE = 101

const Check = z.object({
  position: z.int().nullable(),
  url: z.string().nullable(),
  datetime: z.number(),
})

/** Where a keyword stood at each check of the last `days` days, oldest first. */
export async function history(keywordId: number, days: number, on: Executor = db()) {
  return await on.any(sql.type(Check)`
    select position, url, checked_at as datetime from rankings
     where keyword_id = ${keywordId} and checked_at >= now() - make_interval(days => ${days})
     order by checked_at`)
}

/** Makes the partitions of the months to come. */
export async function prepareRankings(on: Executor = db()) {
  await on.query(sql.type(z.unknown())`select prepare_rankings()`)
}

const Mover = z.object({
  keyword: z.string(),
  delta: z.int().nullable(),
  from: z.int().nullable(),
  to: z.int().nullable(),
})

/** How a project stands, and how its keywords moved within 90 days. */
export const Stats = z.object({
  tracked: z.int(),
  ranking: z.int(),
  avg_position: z.number().nullable(),
  buckets: z.object({
    top3: z.int(),
    top10: z.int(),
    top20: z.int(),
    top50: z.int(),
    top100: z.int(),
    none: z.int(),
  }),
  gained: z.array(Mover),
  lost: z.array(Mover),
  timeline: z.record(z.string(), z.number()),
})

/** Gained and lost compare a keyword's first and last check; delta = from − to. Buckets are disjoint. */
export async function stats(projectId: number, on: Executor = db()) {
  const mover = sql.fragment`
    json_build_object('keyword', keyword, 'delta', "from" - "to", 'from', "from", 'to', "to")`
  const place = (column: 'from' | 'to') =>
    sql.fragment`coalesce(${sql.identifier([column])}, ${OUTSIDE}::int)`
  return await on.one(sql.type(Stats)`
    with tracked as (
      select k.id, k.keyword, k.last_position as place, r.positions, r.days
        from keywords k cross join lateral (
          select array_agg(position order by checked_at) as positions,
                 array_agg((checked_at at time zone 'UTC')::date order by checked_at) as days
            -- offset 0: keyword by keyword through the index, whatever the planner thinks of so many.
            from (select position, checked_at from rankings
                   where keyword_id = k.id and checked_at >= now() - make_interval(days => ${STATS_DAYS})
                  offset 0) checks
        ) r
       where k.project_id = ${projectId}
    ), moves as (
      select keyword, positions[1] as "from", positions[cardinality(positions)] as "to" from tracked
    )
    select count(*) as tracked, count(place) as ranking, round(avg(place), 1)::float8 as avg_position,
           json_build_object(
             'top3', count(*) filter (where place <= 3),
             'top10', count(*) filter (where place between 4 and 10),
             'top20', count(*) filter (where place between 11 and 20),
             'top50', count(*) filter (where place between 21 and 50),
             'top100', count(*) filter (where place > 50),
             'none', count(*) filter (where place is null)) as buckets,
           (select coalesce(json_agg(${mover}), '[]') from (
              select * from moves where "to" < ${place('from')}
               order by ${place('from')} - "to" desc, keyword limit ${MOVERS}) gainers) as gained,
           (select coalesce(json_agg(${mover}), '[]') from (
              select * from moves where "from" < ${place('to')}
               order by ${place('to')} - "from" desc, keyword limit ${MOVERS}) losers) as lost,
           (select coalesce(json_object_agg(day, position order by day), '{}') from (
              select c.day, round(avg(c.position), 1)::float8 as position
                from tracked, unnest(positions, days) as c (position, day) where c.position is not null group by 1
            ) days) as timeline
      from tracked`)
}
