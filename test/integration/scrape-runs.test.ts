import { randomUUID } from 'node:crypto'

import { beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import * as jobs from '../../sql/scrape-jobs.ts'
import * as runs from '../../sql/scrape-runs.ts'
import { sweepScrapes } from '../../tasks/maintenance.ts'
import { log } from '../../telemetry.ts'
import { reap } from '../../worker/reaper.ts'
import { schedule } from '../../worker/schedule.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'
import { emptyQueue, queued } from '../support/jobs.ts'

vi.hoisted(() => vi.stubEnv('SCRAPE_RETENTION_DAYS', '30'))

useDatabase()
let mario: Person
beforeEach(async () => {
  await emptyQueue()
  await run(sql.fragment`delete from users`)
  await run(sql.fragment`delete from workers`)
  mario = await makePerson('mario')
})

const run = (statement: ReturnType<typeof sql.fragment>) => db().query(sql.type(z.object({}))`${statement}`)

const stats = {
  pages_downloaded: 3,
  resources_downloaded: 7,
  bytes_downloaded: 1000,
  duplicates_skipped: 2,
  errors: 1,
}
const none = {
  pages_downloaded: 0,
  resources_downloaded: 0,
  bytes_downloaded: 0,
  duplicates_skipped: 0,
  errors: 0,
}
const done = { stats, zipSize: 4096, truncated: false, cms: 'WordPress' }

let made = 0
/** A job of Mario's; `age` in seconds. */
async function makeJob(age = 0) {
  const publicId = `job_1_${(++made).toString(16)}`
  const id = await jobs.create({
    publicId,
    userId: mario.id,
    url: 'http://site.test/',
    host: 'site.test',
    depth: 2,
    maxPages: 100,
    htmlOnly: false,
    filters: {},
    answer: null,
  })
  await run(
    sql.fragment`update scrape_jobs set created_at = now() - make_interval(secs => ${age}) where id = ${id}`,
  )
  return { id, publicId, read: () => jobs.find(mario.id, publicId) }
}

async function take(id: number, workerId = randomUUID()) {
  const lease = randomUUID()
  const job = await runs.take(id, lease, workerId)
  return job && { ...job, lease }
}

const overdue = (id: number) =>
  run(sql.fragment`update scrape_jobs set leased_until = now() - interval '2 minutes' where id = ${id}`)

describe('a run', () => {
  test('has the job for itself', async () => {
    const { id, read } = await makeJob()
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => take(id)))
    const [first, ...others] = all.filter((each) => each !== null)
    expect(others).toEqual([])
    expect(await read()).toMatchObject({ status: 'running', ...none })
    expect(await runs.report(id, first!.lease, stats)).toBe(true)
    expect(await runs.report(id, randomUUID(), none)).toBe(false)
    expect(await read()).toMatchObject(stats)
    expect(await runs.complete(id, randomUUID(), done)).toBe(false)
    expect(await runs.complete(id, first!.lease, done)).toBe(true)
    expect(await read()).toMatchObject({ status: 'completed', zip_size: 4096, zip_file: first!.archive })
    expect(await take(id)).toBeNull()
    expect(await runs.isUnderWay(id)).toBe(false)
  })

  test('that is silent loses it; the next begins anew under another name, and nobody else can end it', async () => {
    const { id, publicId, read } = await makeJob()
    const first = await take(id)
    await runs.report(id, first!.lease, stats)
    expect(await take(id)).toBeNull()
    await overdue(id)
    const second = await take(id)
    expect(first).toMatchObject({ archive: `${publicId}.zip`, abandoned: null })
    expect(second).toMatchObject({ archive: `${publicId}_2.zip`, abandoned: `${publicId}.zip` })
    expect(second!.started_at).toBe(first!.started_at)
    expect(await read()).toMatchObject({ status: 'running', ...none })
    for (const late of [
      runs.report(id, first!.lease, stats),
      runs.complete(id, first!.lease, done),
      runs.fail(id, first!.lease, { stats, reason: 'late' }),
    ])
      expect(await late).toBe(false)
    await runs.release(id, first!.lease)
    expect(await runs.complete(id, second!.lease, done)).toBe(true)
    expect(await read()).toMatchObject({ zip_file: `${publicId}_2.zip` })
  })

  test('that hands the job back leaves it pending, and its archive to the next', async () => {
    const { id, read } = await makeJob()
    const first = await take(id)
    await runs.report(id, first!.lease, stats)
    await runs.release(id, first!.lease)
    expect(await read()).toMatchObject({ status: 'pending', started_at: null, ...none })
    expect(await runs.isUnderWay(id)).toBe(true)
    expect(await take(id)).toMatchObject({ archive: first!.archive, abandoned: null })
  })

  test('that fails says why, and has no archive', async () => {
    const { id, read } = await makeJob()
    const { lease } = (await take(id))!
    expect(await runs.fail(id, lease, { stats, reason: 'refused' })).toBe(true)
    expect(await read()).toMatchObject({
      status: 'failed',
      failure: 'refused',
      zip_file: null,
      zip_size: null,
      ...stats,
    })
    expect(await take(id)).toBeNull()
  })

  test('of a deleted job is told so', async () => {
    const { id, publicId } = await makeJob()
    const { lease } = (await take(id))!
    expect(await db().transaction((tx) => jobs.remove(mario.id, publicId, tx))).toMatchObject({ held: true })
    expect(await runs.report(id, lease, stats)).toBe(false)
    expect(await runs.isUnderWay(id)).toBe(false)
  })
})

describe('the reaper', () => {
  async function makeWorker(secondsAgo: number) {
    const id = randomUUID()
    await run(sql.fragment`
      insert into workers (id, host, pools, pool_ids, beat_at)
      values (${id}, 'test', '{scrape}', ${sql.array([`pool-${id}`], 'text')}, now() - make_interval(secs => ${secondsAgo}))`)
    return id
  }

  test('frees the jobs of dead workers, and of no other', async () => {
    const [dead, living] = [await makeWorker(31), await makeWorker(0)]
    const [lost, kept] = [await makeJob(), await makeJob()]
    await take(lost.id, dead)
    await take(kept.id, living)
    await reap({ thorough: false })
    expect(await take(lost.id)).not.toBeNull()
    expect(await take(kept.id)).toBeNull()
  })

  test('queues a job that lost its work again, three times, and then ends it', async () => {
    const { id, publicId, read } = await makeJob(300)
    await take(id)
    await overdue(id)
    for (let rescue = 1; rescue <= 3; rescue++) {
      await reap({ thorough: true })
      expect(await queued()).toMatchObject([
        { task: 'scrape.run', key: `scrape:${id}`, payload: { job: id } },
      ])
      await emptyQueue()
    }
    await reap({ thorough: true })
    expect(await read()).toMatchObject({ status: 'failed' })
    expect((await read())!.failure).toMatch(/given up/)
    expect(await queued()).toMatchObject([{ task: 'scrape.remove', payload: { archive: `${publicId}.zip` } }])
    await reap({ thorough: true })
    expect(await queued()).toHaveLength(1)
  })

  test('ends a job whose work has failed for good, once nobody holds it', async () => {
    const { id, read } = await makeJob()
    await run(
      sql.fragment`select graphile_worker.add_job('scrape.run', job_key => ${`scrape:${id}`}, max_attempts => 1)`,
    )
    await take(id)
    await run(sql.fragment`update graphile_worker._private_jobs set attempts = 1, last_error = 'boom'`)
    await reap({ thorough: true })
    expect(await read()).toMatchObject({ status: 'running' })
    await overdue(id)
    await reap({ thorough: true })
    expect(await read()).toMatchObject({ status: 'failed' })
    expect((await read())!.failure).not.toContain('boom')
  })

  test('leaves alone what is new, has its work, or has ended', async () => {
    await makeJob()
    const busy = await makeJob(300)
    await run(sql.fragment`select graphile_worker.add_job('scrape.run', job_key => ${`scrape:${busy.id}`})`)
    const ended = await makeJob(300)
    await runs.complete(ended.id, (await take(ended.id))!.lease, done)
    await reap({ thorough: true })
    expect(await queued()).toHaveLength(1)
    expect(await ended.read()).toMatchObject({ status: 'completed' })
  })
})

describe('the sweep', () => {
  const tools = { log, signal: new AbortController().signal, workerId: randomUUID() }

  test('removes jobs that ended 30 days ago, with their archives', async () => {
    const [old, failed, young, running] = [
      await makeJob(),
      await makeJob(),
      await makeJob(),
      await makeJob(31 * 86_400),
    ]
    await runs.complete(old.id, (await take(old.id))!.lease, done)
    await runs.fail(failed.id, (await take(failed.id))!.lease, { stats, reason: 'x' })
    await run(
      sql.fragment`update scrape_jobs set completed_at = now() - interval '30 days 1 minute' where completed_at is not null`,
    )
    await runs.complete(young.id, (await take(young.id))!.lease, done)
    await take(running.id)
    await sweepScrapes({}, tools)
    expect([await old.read(), await failed.read()]).toEqual([null, null])
    expect(await young.read()).toMatchObject({ status: 'completed' })
    expect(await running.read()).toMatchObject({ status: 'running' })
    expect(await queued()).toMatchObject([
      { task: 'scrape.remove', payload: { archive: `${old.publicId}.zip` } },
    ])
  })

  test('is done every hour where a retention is set', () => {
    expect(schedule.map(({ name }) => name)).toContain('scrape.sweep')
  })
})
