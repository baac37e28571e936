import { beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

import { Problem } from '../../problem.ts'
import { giveAnswer, isAwaited, refuseAnswer } from '../../sql/answers.ts'
import { exhaustJob, isReplaced, postponeJob } from '../../sql/queue.ts'
import { GiveUp, Later, type Tools } from '../../tasks/outcome.ts'
import type { Job } from '../../tasks/queue.ts'
import { registry, requestId } from '../../telemetry.ts'
import { withDeadline } from '../../worker/deadline.ts'
import { shares } from '../../worker/shares.ts'
import { task } from '../../worker/task.ts'

vi.mock('../../sql/answers.ts')
vi.mock('../../sql/queue.ts')
beforeEach(() => vi.resetAllMocks())

const job: Job = { pool: 'interactive', payload: z.object({ n: z.int() }), attempts: 3, priority: 0 }
const answer = '8d9fbd21-5f0b-4a4e-9e9b-0a8a1d3f6f10'

/** Runs a task as graphile-worker would. */
async function runTask(
  run: (payload: Record<string, unknown>, tools: Tools) => Promise<unknown>,
  options: { payload?: object; attempts?: number; stopping?: boolean; spec?: Job } = {},
) {
  const { payload = { n: 1 }, attempts = 1, stopping = false, spec = job } = options
  const row = {
    id: '7',
    key: 'k',
    attempts,
    max_attempts: 3,
    priority: 0,
    run_at: new Date(),
    locked_by: 'pool-1',
    payload,
  }
  const abortSignal = stopping ? AbortSignal.abort() : new AbortController().signal
  await task('test', spec, run as never, 'worker-1')(payload, { job: row, abortSignal } as never)
}

const outcomes = async () => {
  const metric = await registry.getSingleMetric('seo_jobs_total')?.get()
  return Object.fromEntries((metric?.values ?? []).map(({ labels, value }) => [labels['outcome'], value]))
}

const heeds = async (_payload: object, { signal }: Tools) =>
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))

describe('a run', () => {
  test('gets its payload without the luggage, and its tools', async () => {
    const run = vi.fn<(payload: object, tools: Tools) => Promise<void>>(async () => {})
    await runTask(run, { payload: { n: 1, _request: 'r-1', _key: 'k', _deaths: 2 } })
    expect(run.mock.calls[0]?.[0]).toEqual({ n: 1 })
    expect(run.mock.calls[0]?.[1]).toMatchObject({ workerId: 'worker-1', signal: { aborted: false } })
  })

  test('works on behalf of the request that queued it', async () => {
    let seen: string | undefined
    await runTask(async () => void (seen = requestId()), { payload: { n: 1, _request: 'r-1' } })
    expect(seen).toBe('r-1')
  })

  test('is not begun with a malformed payload, and not tried again', async () => {
    const run = vi.fn<() => Promise<void>>(async () => {})
    await expect(runTask(run, { payload: { n: 'x' } })).rejects.toThrow(/malformed payload/)
    expect(run).not.toHaveBeenCalled()
    expect(exhaustJob).toHaveBeenCalledExactlyOnceWith('7')
  })

  test('that throws is tried again', async () => {
    const before = await outcomes()
    await expect(runTask(async () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(exhaustJob).not.toHaveBeenCalled()
    expect((await outcomes())['error']).toBe((before['error'] ?? 0) + 1)
  })

  test('that throws on its last attempt has failed for good', async () => {
    const before = await outcomes()
    await expect(runTask(async () => Promise.reject(new Error('no')), { attempts: 3 })).rejects.toThrow('no')
    expect((await outcomes())['failed_permanently']).toBe((before['failed_permanently'] ?? 0) + 1)
  })

  test('that throws although its successor is queued has ended', async () => {
    vi.mocked(isReplaced).mockResolvedValue(true)
    const before = await outcomes()
    await runTask(async () => Promise.reject(new Error('no')), { attempts: 3 })
    expect((await outcomes())['replaced']).toBe((before['replaced'] ?? 0) + 1)
  })

  test('that throws is tried again though its successor cannot be looked for', async () => {
    vi.mocked(isReplaced).mockRejectedValue(new Error('away'))
    await expect(runTask(async () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  })

  test('that gives up is not tried again', async () => {
    await expect(runTask(async () => Promise.reject(new GiveUp('hopeless')))).rejects.toThrow('hopeless')
    expect(exhaustJob).toHaveBeenCalledExactlyOnceWith('7')
  })

  test('that asks for later is postponed without counting the attempt', async () => {
    await runTask(async () => Promise.reject(new Later(30)), { attempts: 2 })
    expect(postponeJob).toHaveBeenCalledExactlyOnceWith(
      {
        id: '7',
        task: 'test',
        payload: { n: 1 },
        priority: 0,
        attempts: 3,
        key: 'k',
        lockedBy: 'pool-1',
        used: 1,
      },
      30,
    )
  })

  test('that fails because the worker stops is handed back', async () => {
    await runTask(async (_payload, { signal }) => signal.throwIfAborted(), { stopping: true })
    expect(postponeJob).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ used: 0 }), 0)
  })

  test('is told when its time is over', async () => {
    await expect(runTask(heeds, { spec: { ...job, deadlineSeconds: 0.02 } })).rejects.toThrow(
      'longer than 0.02 s',
    )
  })
})

describe('a run that somebody waits for', () => {
  const payload = { n: 1, _answer: answer }

  test('answers with what it returns', async () => {
    vi.mocked(isAwaited).mockResolvedValue(true)
    await runTask(async () => ({ ok: true }), { payload })
    expect(giveAnswer).toHaveBeenCalledExactlyOnceWith(answer, { ok: true })
  })

  test('is not begun when nobody waits any longer', async () => {
    vi.mocked(isAwaited).mockResolvedValue(false)
    const run = vi.fn<() => Promise<void>>(async () => {})
    await runTask(run, { payload })
    expect(run).not.toHaveBeenCalled()
    expect(giveAnswer).not.toHaveBeenCalled()
  })

  test('answers with the problem it throws, and is done', async () => {
    vi.mocked(isAwaited).mockResolvedValue(true)
    await runTask(async () => Promise.reject(new Problem('quota', { seconds: 5 })), { payload })
    expect(refuseAnswer).toHaveBeenCalledExactlyOnceWith(answer, { key: 'quota', params: { seconds: 5 } })
  })

  test('answers nothing while it may still be tried again', async () => {
    vi.mocked(isAwaited).mockResolvedValue(true)
    await expect(runTask(async () => Promise.reject(new Error('no')), { payload })).rejects.toThrow('no')
    expect(refuseAnswer).not.toHaveBeenCalled()
  })

  test('answers upstream_failed when it has failed for good', async () => {
    vi.mocked(isAwaited).mockResolvedValue(true)
    await expect(
      runTask(async () => Promise.reject(new Error('no')), { payload, attempts: 3 }),
    ).rejects.toThrow('no')
    expect(refuseAnswer).toHaveBeenCalledExactlyOnceWith(answer, { key: 'upstream_failed', params: {} })
  })
})

describe('withDeadline', () => {
  test('leaves behind work that does not heed its signal', async () => {
    const work = withDeadline(0.01, new AbortController().signal, async () => await new Promise(() => {}), 10)
    await expect(work).rejects.toThrow('longer than')
  })

  test('passes on why the worker stops', async () => {
    const parent = AbortSignal.abort(new Error('stop'))
    await withDeadline(1, parent, async (signal) => expect(signal.reason).toMatchObject({ message: 'stop' }))
  })
})

describe('shares', () => {
  test('one pool gets everything', () => {
    expect(shares(['render'], 7)).toEqual(new Map([['render', 7]]))
  })

  test('several pools share by weight', () => {
    const all = shares(['crawl', 'render', 'scrape', 'interactive', 'alerts', 'maintenance'], 25)
    expect([...all.values()].reduce((a, b) => a + b)).toBe(25)
    expect(all.get('crawl')).toBeGreaterThan(all.get('interactive')!)
    expect(all.get('maintenance')).toBe(2)
  })

  test.each([1, 2, 3, 10, 100])('every pool gets at least one of %i', (concurrency) => {
    const divided = [...shares(['crawl', 'render', 'maintenance'], concurrency).values()]
    expect(Math.min(...divided)).toBeGreaterThanOrEqual(1)
    expect(divided.reduce((a, b) => a + b)).toBe(Math.max(3, concurrency))
  })
})
