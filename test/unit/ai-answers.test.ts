import { setTimeout as sleep } from 'node:timers/promises'

import { expect, test } from 'vitest'
import { z } from 'zod'

import { begin } from '../../tasks/ai/asking/analysis.ts'
import { askAll } from '../../tasks/ai/asking/answers.ts'
import { extract } from '../../tasks/ai/asking/extract.ts'
import { UpstreamFault, type UpstreamFaultKind } from '../../tasks/upstream/fault.ts'
import { meansOf, run, scriptedEngine, type ScriptedMeans, workerTools } from '../support/engines.ts'

const questions = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ prompt: `p${at + 1}`, language: 'it', country: 'IT' }))
const poll = async (means: ScriptedMeans, count = 2, tools = workerTools()) =>
  askAll(await begin(run, tools, means), questions(count))
const fault = (kind: UpstreamFaultKind) => () =>
  Promise.reject(new UpstreamFault(kind, `openai answers: ${kind}`))
const never = () => new Promise<never>(() => {})

test('every engine is asked every question, and every answer is kept', async () => {
  const engines = [
    scriptedEngine('openai', { say: (prompt) => prompt }),
    scriptedEngine('gemini', { say: () => 'x' }),
  ]
  const means = meansOf(engines)
  const { answers, engines: reports } = await poll(means)
  expect(answers.map(({ engine, prompt, text }) => [engine, prompt, text])).toEqual([
    ['openai', 'p1', 'p1'],
    ['gemini', 'p1', 'x'],
    ['openai', 'p2', 'p2'],
    ['gemini', 'p2', 'x'],
  ])
  expect(means.stored).toHaveLength(4)
  expect(reports[0]).toEqual({
    engine: 'openai',
    model: 'openai-1',
    answered: 2,
    refused: 0,
    truncated: 0,
    failed: 0,
    reason: null,
  })
  expect(engines[0]?.asked[0]).toEqual({ prompt: 'p1', language: 'it', country: 'IT' })
})

test('an engine fails alone, and it is said why', async () => {
  const means = meansOf([scriptedEngine('openai', { say: fault('temporary') }), scriptedEngine('gemini', {})])
  const { answers, engines } = await poll(means)
  expect(answers.map(({ engine }) => engine)).toEqual(['gemini', 'gemini'])
  expect(engines[0]).toMatchObject({
    answered: 0,
    failed: 2,
    model: null,
    reason: 'openai answers: temporary',
  })
  expect(engines[1]).toMatchObject({ answered: 2, failed: 0, reason: null })
})

test.each<[UpstreamFaultKind, number]>([
  ['auth', 6],
  ['funds', 6],
  ['temporary', 6],
])('after a fault of the kind %s an engine is asked nothing more', async (kind, inFlight) => {
  const engine = scriptedEngine('openai', { say: fault(kind) })
  await expect(poll(meansOf([engine]), 20)).rejects.toMatchObject({ key: 'upstream_failed' })
  expect(engine.asked.length).toBeLessThanOrEqual(inFlight + 2)
})

test('when all are down the reason of each is told', async () => {
  const unknown = () => Promise.reject(new TypeError('key sk-secret is undefined'))
  const means = meansOf([
    scriptedEngine('openai', { say: fault('funds') }),
    scriptedEngine('gemini', { say: unknown }),
  ])
  await expect(poll(means)).rejects.toMatchObject({
    key: 'upstream_failed',
    params: { reason: 'openai answers: funds; gemini: unexpected failure' },
  })
})

test('without any engine there is nobody to ask', async () => {
  await expect(begin(run, workerTools(), meansOf([]))).rejects.toMatchObject({ key: 'no_engine' })
})

test('what is there in time counts, and the rest is missing', async () => {
  const slow = scriptedEngine('openai', { say: (prompt) => (prompt === 'p1' ? 'in time' : never()) })
  const { answers, engines } = await poll(meansOf([slow], { seconds: 0.2 }), 3)
  expect(answers.map(({ prompt }) => prompt)).toEqual(['p1'])
  expect(engines[0]).toMatchObject({
    answered: 1,
    failed: 2,
    reason: expect.stringContaining('no answer within'),
  })
})

test('an answer that comes too late is kept all the same', async () => {
  const slow = scriptedEngine('openai', { say: (prompt) => (prompt === 'p1' ? '' : sleep(400, 'late')) })
  const means = meansOf([slow], { seconds: 0.2 })
  expect((await poll(means)).answers).toHaveLength(1)
  await expect.poll(() => means.stored.map(({ text }) => text)).toEqual(['', 'late'])
})

test('at most six questions to one engine are in flight', async () => {
  let [now, most] = [0, 0]
  const say = async () => {
    most = Math.max(most, ++now)
    await sleep(5)
    now--
    return ''
  }
  await poll(meansOf([scriptedEngine('openai', { say })]), 20)
  expect(most).toBe(6)
})

test('a run that is repeated asks only what it has no answer to', async () => {
  const first = meansOf([
    scriptedEngine('openai', { say: (prompt) => (prompt === 'p2' ? fault('temporary')() : prompt) }),
  ])
  await poll(first, 3)
  const again = scriptedEngine('openai', { say: () => 'new' })
  const { answers } = await poll(meansOf([again], { stored: first.stored }), 3)
  expect(again.asked.map(({ prompt }) => prompt)).toEqual(['p2'])
  expect(answers.map(({ text }) => text)).toEqual(['p1', 'new', 'p3'])
})

test('nothing is asked beyond what may be spent', async () => {
  const engine = scriptedEngine('openai', { say: () => 'x' })
  const { engines } = await poll(meansOf([engine], { left: 0.06 }), 20)
  expect(engine.asked.length).toBeLessThanOrEqual(12)
  expect(engines[0]).toMatchObject({ failed: 20 - engine.asked.length, reason: 'spend limit reached' })
  await expect(poll(meansOf([engine], { left: 0 }))).rejects.toMatchObject({ key: 'spend_limit' })
})

test('a worker that stops hands the run back, and what was answered is kept', async () => {
  const stop = new AbortController()
  const say = (prompt: string) => {
    if (prompt === 'p2') stop.abort(new Error('stopping'))
    return prompt
  }
  const means = meansOf([scriptedEngine('openai', { say })])
  await expect(poll(means, 2, workerTools(stop.signal))).rejects.toThrow('stopping')
  expect(means.stored).toHaveLength(2)
})

const Names = z.object({ names: z.array(z.string()) })
const reading = async (means: ScriptedMeans) =>
  extract(
    await begin(run, workerTools(), means),
    'names',
    { schema: Names, instructions: 'i', data: 'd' },
    0.9,
  )

test('what one engine cannot read the next one reads, once', async () => {
  const engines = [
    scriptedEngine('openai', { read: () => ({ names: 'malformed' }) }),
    scriptedEngine('gemini', { read: () => ({ names: ['a'] }) }),
  ]
  const means = meansOf(engines)
  expect(await reading(means)).toEqual({ value: { names: ['a'] }, engine: 'gemini' })
  expect(await reading(means)).toEqual({ value: { names: ['a'] }, engine: 'gemini' })
  expect(engines.map(({ read }) => read.length)).toEqual([1, 1])
})

test('nothing is read when none can, in time, or for the money', async () => {
  expect(await reading(meansOf([scriptedEngine('openai', {})]))).toBeNull()
  expect(await reading(meansOf([scriptedEngine('openai', { read: never })], { seconds: 0.1 }))).toBeNull()
  const engine = scriptedEngine('openai', { read: () => ({ names: [] }) })
  expect(await reading(meansOf([engine], { left: 0 }))).toBeNull()
  expect(engine.read).toEqual([])
})
