import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import { prepareRankings } from '../../sql/rankings.ts'
import { freeSlots, takeSlot } from '../../sql/upstreams.ts'
import { useApi } from '../support/api.ts'
import { makePerson, useDatabase } from '../support/database.ts'

useDatabase()
const api = useApi()

test('months that rows came for without a partition get one', async () => {
  const mario = await makePerson('mario')
  const { body } = await api.post<{ id: number }>('/projects', {
    as: mario,
    json: { name: 'x', domain: 'a.it' },
  })
  await api.post(`/projects/${body.data.id}/keywords`, { as: mario, json: { keywords: ['a'] } })
  await db().query(sql.typeAlias('void')`
    insert into rankings (keyword_id, checked_at, position)
    select k.id, at, 5 from keywords k, unnest(array['2020-01-31 23:59:59Z', '2020-02-01Z', '2020-02-29Z']::timestamptz[]) at`)
  await prepareRankings()
  await prepareRankings()
  const parts = await db().any(sql.type(z.object({ part: z.string(), rows: z.int() }))`
    select tableoid::regclass::text as part, count(*) as rows from rankings group by 1 order by 1`)
  expect(parts).toEqual([
    { part: 'rankings_2020_01', rows: 1 },
    { part: 'rankings_2020_02', rows: 2 },
  ])
  await api.delete(`/projects/${body.data.id}`, { as: mario })
  expect(await db().oneFirst(sql.type(z.object({ n: z.int() }))`select count(*) as n from rankings`)).toBe(0)
})

describe('turns', () => {
  const turn = async (project: number, hours: number, after: string) =>
    await db().oneFirst(sql.type(z.object({ at: z.string() }))`
      select next_turn(${project}, ${hours}, ${after}::timestamptz)::text as at`)

  test('lie so many hours apart, at a time of the project’s own', async () => {
    const first = await turn(7, 24, '2026-01-01Z')
    expect(await turn(7, 24, '2026-01-01Z')).toBe(first)
    const [begin, next] = [Date.parse(first), Date.parse(await turn(7, 24, first))]
    expect(next - begin).toBe(86_400_000)
    expect(begin).toBeGreaterThan(Date.parse('2026-01-01Z'))
    expect(await turn(7, 0, first)).toBe('infinity')
  })

  test('are spread over the day', async () => {
    const hours = await db().anyFirst(sql.type(z.object({ many: z.int() }))`
      select count(*) as many from generate_series(1, 2400) p
       group by extract(hour from next_turn(p, 24, now())) order by 1`)
    expect(hours).toHaveLength(24)
    expect(Math.min(...hours)).toBeGreaterThan(50)
  })
})

test('the places of workers that are no more are free again', async () => {
  const id = '00000000-0000-4000-8000-000000000001'
  await db().query(sql.typeAlias('void')`insert into workers (id, host, pools) values (${id}, 'x', '{}')`)
  const take = (worker: string) => takeSlot('x', { holder: worker, worker }, { limit: 2, seconds: 60 })
  expect((await take(id)).slot).not.toBeNull()
  expect((await take('00000000-0000-4000-8000-000000000002')).slot).not.toBeNull()
  expect((await take(id)).slot).toBeNull()
  await freeSlots(db())
  expect((await take(id)).slot).not.toBeNull()
  expect((await take(id)).slot).toBeNull()
})

test('parts of names are found through an index, where the extension may be had', async () => {
  const plan = await db().transaction(async (tx) => {
    await tx.query(sql.typeAlias('void')`set local enable_seqscan = off`)
    return await tx.anyFirst(sql.type(z.object({ 'QUERY PLAN': z.string() }))`
      explain select 1 from locations where location_name ilike '%milan%'`)
  })
  expect(plan.join('\n')).toContain('locations_name')
})
