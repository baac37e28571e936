import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'

import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import { registry } from '../../telemetry.ts'
import { returnForgotten } from '../../worker/forgotten.ts'
import { heartFailure, watch } from '../../worker/health.ts'
import { heartbeat } from '../../worker/heartbeat.ts'
import { useCrew } from '../support/crew.ts'
import { useDatabase } from '../support/database.ts'
import { createMarks, emptyQueue, enqueue, marks, queued } from '../support/jobs.ts'

const database = useDatabase()
const startCrew = useCrew(database)
beforeAll(createMarks)
beforeEach(emptyQueue)
afterEach(() => vi.useRealTimers())

const soon = { timeout: 10_000, interval: 20 }
const Worker = z.object({ id: z.string(), pool_ids: z.array(z.string()), age: z.number() })
const workers = () =>
  db().any(sql.type(Worker)`
    select id, pool_ids, extract(epoch from now() - beat_at)::float8 as age from workers where host = 'here'`)

function makeHeart(url = database.url) {
  const lost = vi.fn<(reason: string) => void>()
  const worker = { id: randomUUID(), host: 'here', pools: ['crawl'], poolIds: [] as string[] }
  return { worker, lost, ...heartbeat(url, () => worker, lost) }
}

describe('the heartbeat', () => {
  test('writes and renews the row, with the pools of the moment', async () => {
    const heart = makeHeart()
    await heart.beatNow()
    expect(await workers()).toMatchObject([{ id: heart.worker.id, pool_ids: [] }])
    heart.worker.poolIds = ['pool-1']
    await heart.beatNow()
    expect(await workers()).toMatchObject([{ pool_ids: ['pool-1'] }])
    heart.stop()
  })

  test('comes back after its connection was cut', async () => {
    const heart = makeHeart()
    await heart.beatNow()
    await db().anyFirst(sql.type(z.object({ cut: z.boolean() }))`
      select pg_terminate_backend(pid) as cut from pg_stat_activity
       where application_name = 'heartbeat' and datname = current_database()`)
    await vi.waitFor(() => heart.beatNow(), soon)
    expect(heart.lost).not.toHaveBeenCalled()
    heart.stop()
  })

  test('tells when the others have given this worker up', async () => {
    const heart = makeHeart()
    await heart.beatNow()
    await db().query(sql.typeAlias('void')`delete from workers`)
    heart.start()
    await vi.waitFor(
      () => expect(heart.lost).toHaveBeenCalledExactlyOnceWith('this worker was taken for dead'),
      soon,
    )
  })

  test('tells when it could not beat for 20 s, before the others notice', async () => {
    vi.useFakeTimers()
    // Nobody listens on this port.
    const heart = makeHeart('postgres://nobody@127.0.0.1:1/nothing')
    heart.start()
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(250)
      expect(heart.lost).toHaveBeenCalledExactlyOnceWith('no heartbeat could be written')
    }, soon)
    expect(heart.ageMs()).toBeGreaterThan(20_000)
    expect(heart.ageMs()).toBeLessThan(27_000)
  })
})

describe('a job that was locked and never heard of', () => {
  test('is handed back when it is seen twice', async () => {
    const crew = await startCrew({ pools: ['interactive'] })
    await enqueue('test.hold', { name: 'unheard', seconds: 0, polite: true })
    await db().query(sql.typeAlias('void')`
      update graphile_worker._private_jobs set attempts = 1, locked_at = now(), locked_by = ${crew.poolIds[0]!}`)
    const suspects = await returnForgotten(crew, [], 0)
    expect(await queued()).toMatchObject([{ locked: true }])
    expect(await returnForgotten(crew, suspects, 0)).toEqual([])
    expect(await queued()).toMatchObject([{ locked: false, attempts: 0 }])
  })

  test('is not one that runs', async () => {
    const crew = await startCrew({ pools: ['crawl'] })
    await enqueue('test.hold', { name: 'heard', seconds: 60, polite: true })
    await vi.waitFor(async () => expect(await marks('heard')).toHaveLength(1), soon)
    expect(await returnForgotten(crew, await returnForgotten(crew, [], 0), 0)).toEqual([])
    expect(await queued()).toMatchObject([{ locked: true, attempts: 1 }])
  })
})

const makeWatch = () => {
  vi.useFakeTimers()
  const events = new EventEmitter()
  return { events, ailment: watch('crawl', 1, events) }
}

describe('health', () => {
  test('a pool that asks for jobs is well, one that no longer does is not', () => {
    const { events, ailment } = makeWatch()
    vi.advanceTimersByTime(35_000)
    expect(ailment()).toBeUndefined()
    vi.advanceTimersByTime(2000)
    expect(ailment()).toMatch(/no longer asks/)
    events.emit('worker:getJob:start', {})
    expect(ailment()).toBeUndefined()
  })

  test('a pool that is full need not ask', () => {
    const { events, ailment } = makeWatch()
    events.emit('job:start', {})
    vi.advanceTimersByTime(3_600_000)
    expect(ailment()).toBeUndefined()
    events.emit('job:complete', {})
    expect(ailment()).toMatch(/no longer asks/)
  })

  test('a pool that could not write, or that ended, is beyond help', () => {
    const first = makeWatch()
    first.events.emit('pool:fatalError', {})
    expect(first.ailment()).toBeUndefined()
    vi.advanceTimersByTime(10_001)
    expect(first.ailment()).toMatch(/could not write/)
    const second = makeWatch()
    second.events.emit('pool:release', {})
    expect(second.ailment()).toMatch(/ended/)
  })

  test('a heart that stands still is told', () => {
    expect(heartFailure(44_000)).toBeUndefined()
    expect(heartFailure(46_000)).toBe('no heartbeat')
  })

  test('a crew at work is well, and counted', async () => {
    const crew = await startCrew()
    await enqueue('test.mark', { name: 'counted' })
    await vi.waitFor(async () => expect(await queued()).toEqual([]), soon)
    expect(crew.ailment()).toBeUndefined()
    const text = await registry.metrics()
    expect(text).toMatch(/seo_jobs_total\{task="test.mark",outcome="success"\} \d/)
    expect(text).toMatch(/seo_job_duration_seconds_count\{task="test.mark"\} \d/)
    expect(text).toMatch(/seo_job_wait_seconds_count\{task="test.mark"\} \d/)
    expect(text).toContain('seo_jobs_running{task="test.mark"} 0')
    expect(text).toMatch(/seo_worker_pool_last_fetch_timestamp_seconds\{pool="interactive"\} \d{10}/)
  })
})
