import { randomUUID } from 'node:crypto'

import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import { removeWorker, returnJobs } from '../../sql/workers.ts'
import { abandonCrawl } from '../../tasks/crawl/abandon.ts'
import * as product from '../../tasks/jobs.ts'
import { log } from '../../telemetry.ts'
import { reap } from '../../worker/reaper.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { emptyQueue, enqueue, queued } from '../support/jobs.ts'

useDatabase()

beforeEach(async () => {
  await emptyQueue()
  await run(sql.typeAlias('void')`delete from workers`)
  await run(sql.typeAlias('void')`delete from users`)
})

const run = (query: Parameters<ReturnType<typeof db>['query']>[0]) => db().query(query)

/** A worker that last beat so many seconds ago. */
async function makeWorker(secondsAgo: number, pools = ['crawl']) {
  const id = randomUUID()
  await run(sql.typeAlias('void')`
    insert into workers (id, host, pools, pool_ids, beat_at)
    values (${id}, 'test', ${sql.array(pools, 'text')}, ${sql.array([`pool-${id}`], 'text')},
            now() - make_interval(secs => ${secondsAgo}))`)
  return { id, pool: `pool-${id}` }
}

/** Locks all jobs as graphile-worker does. */
const lockAll = (pool: string, secondsAgo = 0) =>
  run(sql.typeAlias('void')`
    update graphile_worker._private_jobs
       set attempts = attempts + 1, locked_by = ${pool}, locked_at = now() - make_interval(secs => ${secondsAgo})
     where locked_by is null and attempts < max_attempts`)

const workers = () => db().anyFirst(sql.type(z.object({ id: z.string() }))`select id from workers`)

describe('dead workers', () => {
  test('lose their jobs to the living, who keep theirs', async () => {
    const living = await makeWorker(20)
    await enqueue('test.mark', { name: 'kept' })
    await lockAll(living.pool)
    const dead = await makeWorker(31)
    await enqueue('test.mark', { name: 'freed' })
    await lockAll(dead.pool)
    await reap({ thorough: false })
    expect(await queued()).toMatchObject([
      { payload: { name: 'kept' }, locked: true, attempts: 1 },
      { payload: { name: 'freed', _deaths: 1 }, locked: false, attempts: 0 },
    ])
    expect(await workers()).toEqual([living.id])
  })

  test('do not cost a job its last attempt, but not for ever', async () => {
    await enqueue('test.hold', { name: 'deadly', seconds: 0, polite: true })
    const lives: boolean[] = []
    for (let death = 1; death <= 5; death++) {
      await lockAll((await makeWorker(31)).pool)
      await reap({ thorough: false })
      const [job] = await queued()
      lives.push(job!.attempts < job!.max_attempts)
    }
    expect(lives).toEqual([true, true, true, false, false])
    expect(await queued()).toMatchObject([{ locked: false, last_error: 'its worker died' }])
  })

  test('do not bring back a job that had queued its successor', async () => {
    const dead = await makeWorker(31)
    await enqueue('test.mark', { name: 'first' }, { key: 'chain' })
    await lockAll(dead.pool)
    await enqueue('test.mark', { name: 'second' }, { key: 'chain' })
    await reap({ thorough: false })
    expect(await queued()).toMatchObject([{ payload: { name: 'second' }, locked: false }])
  })

  test('lose the crawls they hold', async () => {
    const dead = await makeWorker(31)
    const crawl = await makeCrawl()
    await run(sql.typeAlias('void')`
      update crawls set lease = ${randomUUID()}, leased_by = ${dead.id}, leased_until = now() + interval '1 minute'`)
    await reap({ thorough: false })
    expect(await readCrawl(crawl)).toMatchObject({ status: 'crawling', leased: false })
  })

  test('are reaped by one of many at a time', async () => {
    const dead = await makeWorker(31)
    await enqueue('test.mark', { name: 'once' })
    await lockAll(dead.pool)
    await Promise.all([1, 2, 3, 4].map(() => reap({ thorough: true })))
    expect(await queued()).toMatchObject([{ attempts: 0, payload: { _deaths: 1 } }])
  })
})

test('locks of nobody known are freed after a minute', async () => {
  await enqueue('test.mark', { name: 'old' })
  await lockAll('pool-unknown', 61)
  await enqueue('test.mark', { name: 'new' })
  await lockAll('pool-starting', 30)
  await reap({ thorough: true })
  expect(await queued()).toMatchObject([
    { payload: { name: 'old' }, locked: false },
    { payload: { name: 'new' }, locked: true },
  ])
})

test('a worker that stops hands its jobs back whole', async () => {
  const worker = await makeWorker(0)
  await enqueue('test.mark', { name: 'back' })
  await lockAll(worker.pool)
  expect(await returnJobs([worker.pool])).toBe(1)
  await removeWorker(worker.id)
  expect(await queued()).toMatchObject([{ locked: false, attempts: 0 }])
  expect(await workers()).toEqual([])
})

test('a worker that stops leaves nothing of a job that has a successor', async () => {
  const worker = await makeWorker(0)
  await enqueue('test.mark', { name: 'first' }, { key: 'chain' })
  await lockAll(worker.pool)
  await enqueue('test.mark', { name: 'second' }, { key: 'chain' })
  expect(await returnJobs([worker.pool])).toBe(0)
  expect(await queued()).toMatchObject([{ payload: { name: 'second' }, locked: false, attempts: 0 }])
})

const Crawl = z.object({
  status: z.string(),
  mode: z.string(),
  failure: z.string().nullable(),
  leased: z.boolean(),
})

async function makeCrawl(secondsOld = 300) {
  const { id: user } = await makePerson(`p${randomUUID()}`)
  const scan = await db().oneFirst(sql.type(z.object({ id: z.int() }))`
    insert into scans (user_id, start_url, host, max_pages, max_depth, speed, include_subdomains, respect_robots,
                       use_sitemap, exclude_paths)
    values (${user}, 'http://site.test/', 'site.test', 10, 3, 'fast', false, true, true, '') returning id`)
  const crawl = await db().oneFirst(sql.type(z.object({ id: z.int() }))`
    insert into crawls (scan_id, scope_host, created_at)
    values (${scan}, 'site.test', now() - make_interval(secs => ${secondsOld})) returning id`)
  await run(
    sql.typeAlias('void')`update scans set crawl_id = ${crawl}, shown_crawl_id = ${crawl} where id = ${scan}`,
  )
  return crawl
}

const readCrawl = (id: number) =>
  db().one(
    sql.type(Crawl)`select status, mode, failure, lease is not null as leased from crawls where id = ${id}`,
  )

describe('a crawl', () => {
  test('that lost its job gets another, three times', async () => {
    const crawl = await makeCrawl()
    for (let rescue = 1; rescue <= 3; rescue++) {
      await reap({ thorough: true })
      expect(await queued()).toMatchObject([
        { task: 'crawl.slice', key: `crawl:${crawl}`, payload: { crawl } },
      ])
      expect(await readCrawl(crawl)).toMatchObject({ status: 'crawling' })
      await emptyQueue()
    }
    await reap({ thorough: true })
    expect(await queued()).toMatchObject([
      { task: 'crawl.abandon', key: `crawl:${crawl}`, payload: { crawl } },
    ])
  })

  test('that has a job, or is new, is left alone', async () => {
    const crawl = await makeCrawl()
    await makeCrawl(10)
    await product.enqueue('crawl.finish', { crawl }, { key: `crawl:${crawl}` })
    await lockAll((await makeWorker(0)).pool)
    await reap({ thorough: true })
    expect(await queued()).toMatchObject([{ task: 'crawl.finish', locked: true }])
  })

  test('whose job has failed for good is ended', async () => {
    const crawl = await makeCrawl()
    await product.enqueue('crawl.slice', { crawl }, { key: `crawl:${crawl}` })
    await run(sql.typeAlias('void')`
      update graphile_worker._private_jobs set attempts = max_attempts, last_error = 'boom'`)
    await reap({ thorough: true })
    expect((await queued()).at(-1)).toMatchObject({
      task: 'crawl.abandon',
      key: `crawl:${crawl}`,
      attempts: 0,
    })
    expect((await queued()).at(-1)?.payload['failure']).not.toContain('boom')
  })

  test('that waits for a browser nobody has goes on without', async () => {
    const crawl = await makeCrawl()
    const waiting = { key: `crawl:${crawl}`, runAt: new Date(Date.now() - 601_000) }
    await product.enqueue('crawl.render', { crawl }, waiting)
    const renderer = await makeWorker(0, ['render'])
    await reap({ thorough: true })
    expect(await queued()).toMatchObject([{ task: 'crawl.render' }])
    await removeWorker(renderer.id)
    await reap({ thorough: true })
    expect(await queued()).toMatchObject([{ task: 'crawl.slice', key: `crawl:${crawl}` }])
    expect(await readCrawl(crawl)).toMatchObject({ status: 'crawling', mode: 'plain' })
  })

  test('that is given up ends as failed, and is over then', async () => {
    const crawl = await makeCrawl()
    const tools = { log, signal: new AbortController().signal, workerId: randomUUID() }
    await abandonCrawl({ crawl, failure: 'too bad' }, tools)
    expect(await readCrawl(crawl)).toMatchObject({ status: 'failed', failure: 'too bad', leased: false })
    await abandonCrawl({ crawl, failure: 'again' }, tools)
    expect(await readCrawl(crawl)).toMatchObject({ failure: 'too bad' })
  })

  test('that somebody still works on is given up later', async () => {
    const crawl = await makeCrawl()
    await run(sql.typeAlias('void')`
      update crawls set lease = ${randomUUID()}, leased_until = now() + interval '1 minute' where id = ${crawl}`)
    const tools = { log, signal: new AbortController().signal, workerId: randomUUID() }
    await expect(abandonCrawl({ crawl, failure: 'too bad' }, tools)).rejects.toMatchObject({ name: 'Later' })
    expect(await readCrawl(crawl)).toMatchObject({ status: 'crawling', leased: true })
  })
})
