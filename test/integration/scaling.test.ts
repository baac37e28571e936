import { beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'

import { pools } from '../../config.ts'
import { db, sql } from '../../sql/pool.ts'
import { publishPools } from '../../sql/queue.ts'
import { enqueue, enqueueAll, jobs as contracts } from '../../tasks/jobs.ts'
import { type Manifest, render } from '../support/chart.ts'
import { useDatabase } from '../support/database.ts'
import { emptyQueue } from '../support/jobs.ts'
import { attempt } from '../support/roles.ts'
import { helm, type Tool } from '../support/tools.ts'

const BUILD_MS = 900_000
const MINUTE = 60_000

const database = useDatabase()
let tool: Tool

beforeAll(async () => {
  tool = await helm()
  await publishPools(Object.entries(contracts).map(([task, { pool }]) => ({ task, pool })))
}, BUILD_MS)
beforeEach(emptyQueue)

const crawls = (count: number, runAt = new Date()) =>
  enqueueAll(
    'crawl.slice',
    Array.from({ length: count }, (_, crawl) => ({ payload: { crawl }, runAt })),
  )
/** Marks so many jobs of a kind as being worked on, or as given up. */
const change = (many: number, how: 'locked' | 'dead') =>
  db().query(sql.typeAlias('void')`
    update graphile_worker._private_jobs
       set locked_at = case when ${how === 'locked'} then now() end,
           locked_by = case when ${how === 'locked'} then 'pool-x' end,
           attempts = case when ${how === 'dead'} then max_attempts else attempts end
     where id in (select id from graphile_worker._private_jobs where locked_at is null and attempts < max_attempts
                   order by id limit ${many})`)
const load = async (pool: string) =>
  await db().oneFirst(sql.type(z.object({ load: z.int() }))`select queue_load(${pool}) as load`)

test('a pool’s load is what runs or is due, and nothing else', async () => {
  await crawls(7)
  await change(3, 'locked')
  await change(1, 'dead')
  await crawls(2, new Date(Date.now() + 5000))
  await crawls(4, new Date(Date.now() + MINUTE))
  await enqueue('crawl.render', { crawl: 1 })
  expect(await load('crawl')).toBe(3 + 3 + 2)
  expect(await load('render')).toBe(1)
  expect(await load('alerts')).toBe(0)
  expect(await load('nothing')).toBe(0)
})

test('every job belongs to the pool that its contract says, also after that has changed', async () => {
  const read = async () =>
    Object.fromEntries(
      (
        await db().any(
          sql.type(z.object({ task: z.string(), pool: z.string() }))`select task, pool from job_pools`,
        )
      ).map(({ task, pool }) => [task, pool]),
    )
  const right = Object.fromEntries(Object.entries(contracts).map(([task, { pool }]) => [task, pool]))
  expect(await read()).toEqual(right)
  await publishPools([
    { task: 'crawl.slice', pool: 'render' },
    { task: 'new.job', pool: 'alerts' },
  ])
  expect(await read()).toEqual({ 'crawl.slice': 'render', 'new.job': 'alerts' })
  await publishPools(Object.entries(right).map(([task, pool]) => ({ task, pool })))
  expect(await read()).toEqual(right)
})

test('what the chart has KEDA ask gives these numbers', { timeout: MINUTE }, async (context) => {
  if (tool.path === undefined) return context.skip(tool.why)
  const wanted = { crawl: 12, render: 2, scrape: 1, interactive: 3, alerts: 0, maintenance: 4 }
  await crawls(12)
  await change(5, 'locked')
  await enqueueAll('crawl.render', [{ payload: { crawl: 1 } }, { payload: { crawl: 2 } }])
  await enqueue('scrape.run', { job: 1 })
  for (const name of ['locations', 'languages', 'locations'] as const)
    await enqueue('catalogue.load', { name })
  for (const archive of ['a', 'b', 'c', 'd']) await enqueue('scrape.remove', { archive })
  const answers = async (manifests: Manifest[]) =>
    Object.fromEntries(
      await Promise.all(
        manifests
          .filter(({ kind }) => kind === 'ScaledObject')
          .map(async ({ metadata, spec }) => {
            const [trigger] = spec['triggers'] as { metadata: { query: string } }[]
            const row = (await attempt(database.url, trigger!.metadata.query)) as object
            // The scaler takes the first column of the only row, and it has to be a number.
            expect(Object.values(row)).toHaveLength(1)
            return [metadata.name.split('-').at(-1), Number(Object.values(row)[0])] as const
          }),
      ),
    )
  expect(await answers(await render(tool.path, 'medium'))).toEqual(wanted)
  const together = await render(tool.path, 'small', ['keda.enabled=true'])
  expect(await answers(together)).toEqual({ all: Object.values(wanted).reduce((sum, load) => sum + load) })
  expect(Object.keys(wanted).toSorted()).toEqual([...pools].toSorted())
})

test('a very long queue is not counted to its end', async () => {
  await db().query(sql.type(z.unknown())`
    select 1 from queue_jobs((select jsonb_agg(jsonb_build_object('task', 'crawl.slice', 'payload', '{}'::jsonb, 'attempts', 1))
                                from generate_series(1, 20500)))`)
  expect(await load('crawl')).toBe(20_000)
})
