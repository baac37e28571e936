import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'

import { db } from '../../sql/pool.ts'
import { addJob, queueDepth } from '../../sql/queue.ts'
import { forRequest } from '../../telemetry.ts'
import { useCrew } from '../support/crew.ts'
import { useDatabase } from '../support/database.ts'
import { createMarks, emptyQueue, enqueue, enqueueAll, marks, queued } from '../support/jobs.ts'

const database = useDatabase()
const startCrew = useCrew(database)
beforeAll(createMarks)
beforeEach(emptyQueue)

const empty = async () => expect(await queued()).toEqual([])
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 20 })

describe('enqueue', () => {
  test('exists exactly when the transaction of its caller commits', async () => {
    const failed = db().transaction(async (on) => {
      await enqueue('test.mark', { name: 'rolled back' }, { on })
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    await empty()
    await db().transaction((on) => enqueue('test.mark', { name: 'committed' }, { on }))
    expect(await queued()).toMatchObject([
      { task: 'test.mark', max_attempts: 3, payload: { name: 'committed' } },
    ])
  })

  test('keeps one waiting job for a key, the newest', async () => {
    await enqueue('test.mark', { name: 'first' }, { key: 'k' })
    await enqueue('test.mark', { name: 'second' }, { key: 'k' })
    expect(await queued()).toMatchObject([{ key: 'k', payload: { name: 'second', _key: 'k' } }])
  })

  test('carries the request it is done for', async () => {
    await forRequest('r-9', () => enqueue('test.mark', { name: 'x' }))
    expect((await queued())[0]?.payload).toEqual({ name: 'x', _request: 'r-9' })
  })

  test('takes a thousand by one statement', async () => {
    const list = Array.from({ length: 1000 }, (_, n) => ({ payload: { name: `n${n}` }, key: `k${n}` }))
    await enqueueAll('test.mark', list)
    expect(await queued()).toHaveLength(1000)
    await enqueueAll('test.mark', [])
  })

  test('waits for its time', async () => {
    await enqueueAll('test.mark', [{ payload: { name: 'x' }, runAt: new Date(Date.now() + 60_000) }])
    expect((await queued())[0]?.wait).toBeGreaterThan(55)
    expect(await queueDepth()).toEqual([
      {
        task: 'test.mark',
        ready: 0,
        scheduled: 1,
        running: 0,
        dead: 0,
        oldest_ready_age: null,
        oldest_running_age: null,
      },
    ])
  })
})

describe('a worker', () => {
  test('runs every job once and leaves nothing behind', async () => {
    const names = Array.from({ length: 50 }, (_, n) => `all ${n}`)
    await startCrew()
    await enqueueAll(
      'test.mark',
      names.map((name) => ({ payload: { name } })),
    )
    await eventually(empty)
    for (const name of names) expect(await marks(name)).toHaveLength(1)
  })

  test('fails a malformed payload for good before any work', async () => {
    await addJob({ task: 'test.mark', payload: { name: 5 }, attempts: 3, priority: 0 })
    await startCrew()
    await eventually(async () =>
      expect(await queued()).toMatchObject([
        { attempts: 3, locked: false, last_error: expect.stringMatching(/malformed/) },
      ]),
    )
  })

  test('tries again, with a pause, what throws', async () => {
    await startCrew()
    await enqueue('test.end', { name: 'thrower', how: 'throw' })
    await eventually(async () =>
      expect(await queued()).toMatchObject([{ attempts: 1, locked: false, last_error: 'thrown' }]),
    )
    expect((await queued())[0]?.wait).toBeGreaterThan(1)
  })

  test('never tries again what gave up', async () => {
    await startCrew()
    await enqueue('test.end', { name: 'quitter', how: 'give up' })
    await eventually(async () =>
      expect(await queued()).toMatchObject([
        { attempts: 2, max_attempts: 2, locked: false, last_error: 'hopeless' },
      ]),
    )
  })

  test('keeps nothing of what throws after it queued its successor', async () => {
    await startCrew()
    await enqueue('test.end', { name: 'chain', how: 'throw too late' }, { key: 'chain' })
    await eventually(async () => {
      expect(await marks('chain')).toHaveLength(1)
      expect(await queued()).toMatchObject([{ task: 'test.hold', key: 'chain', attempts: 0 }])
    })
  })

  test('postpones without counting the attempt, under the same key', async () => {
    await startCrew()
    await enqueue('test.end', { name: 'late', how: 'later' }, { key: 'late' })
    await eventually(async () => {
      expect(await marks('late')).toHaveLength(1)
      expect(await queued()).toMatchObject([{ key: 'late', attempts: 0, max_attempts: 2, locked: false }])
    })
    const [job] = await queued()
    expect(job?.wait).toBeGreaterThan(3500)
    expect(job?.payload).toEqual({ name: 'late', how: 'later', _key: 'late' })
  })

  test('runs a postponed job again', async () => {
    await startCrew()
    await enqueue('test.end', { name: 'again', how: 'once later' })
    await eventually(async () => {
      expect(await marks('again')).toHaveLength(2)
      await empty()
    })
  })

  test('does not bring back what has a successor by now', async () => {
    const crew = await startCrew({ pools: ['crawl'], concurrency: 1 })
    await enqueue('test.hold', { name: 'old', seconds: 60, polite: true }, { key: 'twin' })
    await eventually(async () => expect(await marks('old')).toHaveLength(1))
    await enqueue('test.hold', { name: 'new', seconds: 0, polite: true }, { key: 'twin' })
    await crew.stop()
    expect(await queued()).toMatchObject([{ key: 'twin', attempts: 0, payload: { name: 'new' } }])
  })

  test('ends a job that runs past its deadline', async () => {
    await startCrew()
    await enqueue('test.end', { name: 'overrun', how: 'overrun' })
    await eventually(async () => expect(await queued()).toMatchObject([{ attempts: 1, locked: false }]))
  })

  test('keeps the long jobs of one pool from holding up another', async () => {
    await startCrew({ concurrency: 2 })
    await enqueueAll(
      'test.hold',
      Array.from({ length: 10 }, () => ({ payload: { name: 'long', seconds: 60, polite: true } })),
    )
    await eventually(async () => expect((await marks('long')).length).toBeGreaterThan(0))
    await enqueue('test.mark', { name: 'short' })
    await eventually(async () => expect(await marks('short')).toHaveLength(1))
  })

  test('hands back, when stopped, what it could not finish', async () => {
    const crew = await startCrew({ pools: ['crawl'] })
    await enqueue('test.hold', { name: 'stopped', seconds: 60, polite: true }, { key: 'stopped' })
    await eventually(async () => expect(await marks('stopped')).toHaveLength(1))
    await crew.stop()
    expect(await queued()).toMatchObject([{ key: 'stopped', attempts: 0, locked: false }])
    expect(crew.failures).toEqual([])
  })
})
