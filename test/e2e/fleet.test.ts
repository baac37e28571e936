import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

import { startEmbedded, unsafeSettings } from '../../sql/embedded.ts'
import { migrate } from '../../sql/migrate.ts'
import { closePool, db, openPool, sql } from '../../sql/pool.ts'
import { useDatabase } from '../support/database.ts'
import { createMarks, emptyQueue, enqueue, enqueueAll, marks, queued } from '../support/jobs.ts'
import { useProcesses } from '../support/process.ts'
import { freePort } from '../support/service.ts'

const WORKER = 'test/support/worker.ts'
const eventually = (check: () => Promise<void>, timeout = 60_000) =>
  vi.waitFor(check, { timeout, interval: 100 })
const empty = async () => expect(await queued()).toEqual([])
const workers = () => db().anyFirst(sql.type(z.object({ id: z.string() }))`select id from workers`)

describe('a fleet', () => {
  const database = useDatabase()
  const start = useProcesses()
  beforeAll(createMarks)
  beforeEach(async () => {
    await emptyQueue()
    await db().query(sql.typeAlias('void')`delete from workers`)
  })

  async function startWorker(env: Record<string, string> = {}, options?: { ipc: boolean }) {
    const worker = start(WORKER, { DATABASE_URL: database.url, ...env }, options)
    await worker.says('worker ready')
    return worker
  }

  test('goes on within 60 s with what a killed worker did, also on its last attempt', async () => {
    const victim = await startWorker()
    await enqueue('test.hold', { name: 'killed', seconds: 600, polite: true }, { key: 'killed' })
    await eventually(async () => expect(await marks('killed')).toEqual([victim.pid]))
    const heir = await startWorker()
    victim.child.kill('SIGKILL')
    await eventually(async () => expect(await marks('killed')).toEqual([victim.pid, heir.pid]))
    expect(await queued()).toMatchObject([
      { key: 'killed', locked: true, attempts: 1, payload: { _deaths: 1 } },
    ])
    expect(await workers()).toHaveLength(1)
  })

  test('is left in order by a worker that is asked to stop', async () => {
    const worker = await startWorker({ SHUTDOWN_GRACE_SECONDS: '10' })
    await enqueueAll(
      'test.hold',
      ['a', 'b', 'c'].map((name) => ({ payload: { name, seconds: 600, polite: true } })),
    )
    await enqueueAll(
      'test.mark',
      Array.from({ length: 200 }, (_, n) => ({ payload: { name: `quick ${n}` } })),
    )
    await eventually(async () => expect(await marks('c')).toHaveLength(1))
    worker.child.kill('SIGTERM')
    expect(await worker.exited).toBe(0)
    const left = await queued()
    expect(left.filter(({ locked }) => locked)).toEqual([])
    expect(left.filter(({ task }) => task === 'test.hold').map(({ attempts }) => attempts)).toEqual([0, 0, 0])
    expect(await workers()).toEqual([])
  })

  test('gets back in time what a stopping worker cannot end', async () => {
    const worker = await startWorker({ SHUTDOWN_GRACE_SECONDS: '2' })
    await enqueue('test.hold', { name: 'stubborn', seconds: 600, polite: false })
    await eventually(async () => expect(await marks('stubborn')).toHaveLength(1))
    const began = Date.now()
    worker.child.kill('SIGTERM')
    expect(await worker.exited).toBe(0)
    expect(Date.now() - began).toBeLessThan(8000)
    expect(await queued()).toMatchObject([{ locked: false, attempts: 0 }])
    expect(worker.log()).toContain('handed back')
  })

  test('a worker that is asked to stop is alive, but no longer ready', async () => {
    const port = await freePort()
    const worker = await startWorker({ METRICS_PORT: String(port), HOST: '127.0.0.1' })
    const probe = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
    expect(await probe('/readyz')).toBe(200)
    await enqueue('test.hold', { name: 'draining', seconds: 600, polite: false })
    await eventually(async () => expect(await marks('draining')).toHaveLength(1))
    worker.child.kill('SIGTERM')
    await eventually(async () => expect(await probe('/readyz')).toBe(503))
    expect(await probe('/livez')).toBe(200)
    worker.child.kill('SIGKILL')
    await worker.exited
  })

  test('a worker whose parent is gone stops', async () => {
    const worker = await startWorker({}, { ipc: true })
    worker.child.disconnect()
    expect(await worker.exited).toBe(0)
    expect(await workers()).toEqual([])
  })

  test('a worker that was taken for dead leaves', async () => {
    const worker = await startWorker()
    await db().query(sql.typeAlias('void')`delete from workers`)
    expect(await worker.exited).toBe(1)
    expect(worker.log()).toContain('taken for dead')
  })

  test('a worker serves the pools it is told to', async () => {
    await startWorker({ WORKER_POOLS: 'crawl' })
    await enqueue('test.mark', { name: 'foreign' })
    await enqueue('test.hold', { name: 'mine', seconds: 0, polite: true })
    await eventually(async () => expect(await marks('mine')).toHaveLength(1))
    await eventually(async () => expect(await queued()).toMatchObject([{ task: 'test.mark', attempts: 0 }]))
  })

  test('a clock queues what is due, and stops', async () => {
    const clock = start('worker/clock.ts', { DATABASE_URL: database.url })
    await eventually(async () =>
      expect((await queued()).map(({ task }) => task)).toContain('maintenance.sweep'),
    )
    await clock.says('clock ready')
    clock.child.kill('SIGTERM')
    expect(await clock.exited).toBe(0)
  })

  test('loses nothing when every connection is cut again and again', async () => {
    const stop = keepAlive((script, env) => start(script, { DATABASE_URL: database.url, ...env }))
    const names = Array.from({ length: 300 }, (_, n) => `cut ${n}`)
    await enqueueAll(
      'test.mark',
      names.map((name, n) => ({ payload: { name }, runAt: new Date(Date.now() + n * 15) })),
    )
    await eventually(async () => expect((await marks('cut 20')).length).toBe(1))
    for (let cut = 0; cut < 5; cut++) {
      await db().anyFirst(sql.type(z.object({ cut: z.boolean() }))`
        select pg_terminate_backend(pid) as cut from pg_stat_activity
         where datname = current_database() and application_name in ('worker', 'heartbeat')`)
      await sleep(300)
    }
    await eventually(empty, 100_000)
    await stop()
    for (const name of names) expect((await marks(name)).length).toBeGreaterThanOrEqual(1)
  })

  /** Restarts a worker whenever it ends, as `npm start` and Kubernetes do. */
  function keepAlive(startOne: (script: string, env: Record<string, string>) => ReturnType<typeof start>) {
    const unwanted = new AbortController()
    let worker = startOne(WORKER, {})
    const loop = (async () => {
      while (!unwanted.signal.aborted) {
        await worker.exited
        if (!unwanted.signal.aborted) worker = startOne(WORKER, {})
      }
    })()
    return async () => {
      unwanted.abort()
      worker.child.kill('SIGTERM')
      await loop
    }
  }
})

describe('when PostgreSQL is away', () => {
  const start = useProcesses()
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'seo-suite-fleet-'))
  })
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true })
  })

  test('a worker waits for it at its start, survives or leaves when it restarts, and loses nothing', async () => {
    let postgres = await startEmbedded(directory, { settings: unsafeSettings })
    const { url, port } = postgres
    await migrate(url)
    await openPool({ url, size: 4 })
    await createMarks()
    const names = Array.from({ length: 200 }, (_, n) => `away ${n}`)
    await enqueueAll(
      'test.mark',
      names.map((name, n) => ({ payload: { name }, runAt: new Date(Date.now() + n * 20) })),
    )
    await closePool()
    await postgres.stop()

    const early = start(WORKER, { DATABASE_URL: url })
    await early.says('PostgreSQL does not answer')
    postgres = await startEmbedded(directory, { port, settings: unsafeSettings })
    await early.says('worker ready')
    await sleep(500)
    await postgres.stop()
    await sleep(500)
    postgres = await startEmbedded(directory, { port, settings: unsafeSettings })
    await openPool({ url, size: 4 })
    try {
      // Alive or not, it may not be in between: what it leaves undone, its successor does.
      const ended = await Promise.race([early.exited, sleep(3000, 'alive')])
      expect(['alive', 1]).toContain(ended)
      if (ended !== 'alive') await start(WORKER, { DATABASE_URL: url }).says('worker ready')
      await eventually(empty, 80_000)
      for (const name of names) expect((await marks(name)).length).toBeGreaterThanOrEqual(1)
    } finally {
      await closePool()
      await postgres.stop()
    }
  })
})
