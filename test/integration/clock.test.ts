import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import { sweep } from '../../tasks/maintenance.ts'
import { log, registry } from '../../telemetry.ts'
import { startGauges } from '../../worker/gauges.ts'
import { type Entry, schedule } from '../../worker/schedule.ts'
import { fire, startTicking } from '../../worker/tick.ts'
import { useDatabase } from '../support/database.ts'
import { emptyQueue, enqueue, queued } from '../support/jobs.ts'

useDatabase()
const stops: (() => void)[] = []
beforeEach(emptyQueue)
afterEach(() => stops.splice(0).forEach((stop) => stop()))

const entry = (name: string, cron = '* * * * * *', periodSeconds = 1): Entry => ({
  name,
  cron,
  periodSeconds,
  fire: (on) => enqueue('test.mark', { name }, { on }),
})
const names = async () => (await queued()).map(({ payload }) => payload['name'])
const slots = async (name: string) =>
  await db().anyFirst(
    sql.type(z.object({ slot: z.number() }))`select slot from clock_fires where name = ${name}`,
  )

describe('a slot', () => {
  test('is fired once however many clocks run', async () => {
    const slot = new Date()
    const fired = await Promise.all([1, 2, 3, 4, 5].map(() => fire(entry('many', '* * * * *', 60), slot)))
    expect(fired.filter(Boolean)).toHaveLength(1)
    expect(await names()).toEqual(['many'])
  })

  test('older than a period is not fired', async () => {
    const late = entry('late', '* * * * *', 60)
    expect(await fire(late, new Date(Date.now() - 62_000))).toBe(false)
    expect(await fire(late, new Date(Date.now() - 50_000))).toBe(true)
    expect(await names()).toEqual(['late'])
  })

  test('that could not be queued is not taken as fired', async () => {
    const slot = new Date()
    const broken = { ...entry('broken'), fire: () => Promise.reject(new Error('no')) }
    await expect(fire(broken, slot)).rejects.toThrow('no')
    expect(await fire(entry('broken'), slot)).toBe(true)
  })
})

test('two clocks fire each second once', async () => {
  stops.push(startTicking([entry('second')]), startTicking([entry('second')]))
  await vi.waitFor(async () => expect((await slots('second')).length).toBeGreaterThanOrEqual(3), 10_000)
  for (const stop of stops.splice(0)) stop()
  const fired = await slots('second')
  expect(new Set(fired).size).toBe(fired.length)
  expect(await names()).toHaveLength(fired.length)
})

test('a slot missed while no clock ran is fired when one starts', async () => {
  stops.push(startTicking(schedule))
  await vi.waitFor(
    async () => expect((await queued()).map(({ task }) => task)).toContain('maintenance.sweep'),
    10_000,
  )
})

test('the queue is counted in the background, and a scrape never waits for it', async () => {
  await enqueue('test.mark', { name: 'x' })
  const gauges = startGauges([
    { task: 'test.mark', pool: 'interactive' },
    { task: 'test.hold', pool: 'crawl' },
  ])
  stops.push(gauges.stop)
  await vi.waitFor(async () => {
    const text = await registry.metrics()
    expect(text).toContain('seo_queue_jobs{task="test.mark",pool="interactive",state="ready"} 1')
    expect(text).toContain('seo_queue_jobs{task="test.hold",pool="crawl",state="ready"} 0')
    expect(text).toMatch(/seo_queue_oldest_ready_age_seconds\{task="test.mark",pool="interactive"\} 0\.\d+/)
    expect(text).toMatch(/seo_database_size_bytes \d{6,}/)
  }, 10_000)
  expect(gauges.ailment()).toBeUndefined()
})

test('the sweep removes what is old and keeps what is not', async () => {
  await db().query(sql.typeAlias('void')`
    insert into answers (id, deadline_at, created_at)
    values (gen_random_uuid(), now(), now() - interval '2 days'), (gen_random_uuid(), now(), now())`)
  await db().query(sql.typeAlias('void')`
    insert into clock_fires (name, slot, fired_at) values ('old', now(), now() - interval '31 days'), ('new', now(), now())`)
  await db().query(sql.typeAlias('void')`
    insert into rate_windows values (1, 'seo', now() - interval '2 hours', 1), (2, 'seo', now(), 1)`)
  await db().query(sql.typeAlias('void')`
    insert into frontier (crawl_id, url_key, url, depth)
    select 999, n, 'http://gone.test/' || n, 0 from generate_series(1, 25000) n`)
  await enqueue('test.mark', { name: 'dead' })
  await enqueue('test.mark', { name: 'alive' })
  await db().query(sql.typeAlias('void')`
    update graphile_worker._private_jobs set attempts = max_attempts, run_at = now() - interval '8 days'
     where payload ->> 'name' = 'dead'`)
  await sweep({}, { log, signal: new AbortController().signal, workerId: 'w' })
  const left = await db().one(sql.type(z.record(z.string(), z.int()))`
    select (select count(*) from answers) as answers,
           (select count(*) from clock_fires where name in ('old', 'new')) as fires,
           (select count(*) from rate_windows) as windows, (select count(*) from frontier) as urls`)
  expect(left).toEqual({ answers: 1, fires: 1, windows: 1, urls: 0 })
  expect(await names()).toEqual(['alive'])
})
