import { expect, test } from 'vitest'

import { compareBrands } from '../../tasks/ai/competitor.ts'
import { cite, meansOf, run, scriptedEngine, type ScriptedMeans, workerTools } from '../support/engines.ts'

const given = { ...run, brand: 'Acme', competitors: ['beta.it', 'Gamma'], language: 'it', matrix: false }
const compare = (means: ScriptedMeans, more: Partial<typeof given> = {}) =>
  compareBrands({ ...given, ...more }, workerTools(), means)
const single = async (means: ScriptedMeans, language = 'it') => {
  const { result } = await compare(means, { language })
  if (result.mode !== 'single') throw new Error('a matrix')
  return result
}
const matrixOf = async (means: ScriptedMeans) => {
  const { result } = await compare(means, { matrix: true })
  if (result.mode !== 'matrix') throw new Error('no matrix')
  return result
}

const answers: Record<string, object | string> = {
  a: '1. Acme\n2. Beta\n3. Gamma',
  b: { text: '1. Beta\n2. Acme', citations: [cite('https://www.beta.it/x'), cite('https://forum.test/1')] },
  c: { text: 'Beta is the one.', citations: [cite('https://forum.test/2')] },
  d: 'Nobody.',
}
const proposed = (data: string) =>
  data.startsWith('{"companies"') ? { prompts: Object.keys(answers) } : undefined
const engine = () => scriptedEngine('openai', { say: (prompt) => answers[prompt] ?? '', read: proposed })

test('scripted answers give exactly known numbers', async () => {
  const found = await single(meansOf([engine()]))
  expect(found).toMatchObject({
    mode: 'single',
    brand: 'Acme',
    competitors: ['beta.it', 'Gamma'],
    prompts_by: 'engine',
    prompts_total: 4,
    brands: [
      {
        brand: 'Acme',
        host: null,
        score: 42,
        cited: 2,
        first: 1,
        mentions: 2,
        citations: null,
        share_of_voice: 33.3,
      },
      {
        brand: 'beta.it',
        host: 'beta.it',
        score: 67,
        cited: 3,
        first: 2,
        mentions: 3,
        citations: 1,
        share_of_voice: 50,
      },
      {
        brand: 'Gamma',
        score: 16,
        cited: 1,
        first: 0,
        mentions: 1,
        avg_position: 3,
        share_of_voice: 16.7,
      },
    ],
    head_to_head: [
      {
        competitor: 'beta.it',
        wins: 1,
        losses: 2,
        ties: 0,
        neither: 1,
        win_rate: 25,
        loss_rate: 50,
      },
      {
        competitor: 'Gamma',
        wins: 2,
        losses: 0,
        ties: 0,
        neither: 2,
        win_rate: 50,
        loss_rate: 0,
      },
    ],
    gaps: [
      {
        prompt: 'c',
        competitors: ['beta.it'],
      },
    ],
    source_gaps: [
      {
        host: 'forum.test',
        citations: 1,
      },
    ],
  })
  expect(found.prompts[3]).toMatchObject({ prompt: 'd', answered: true, answers: [{ brands: [] }] })
})

test('advice names the gaps, in Italian or English', async () => {
  const { recommendations: italian } = await single(meansOf([engine()]))
  expect(italian[0]).toContain('«c»')
  expect(italian[1]).toBe(
    'beta.it ti precede in 2 risposte su 3: confronta apertamente le due offerte, con dati verificabili.',
  )
  const { recommendations: english } = await single(meansOf([engine()]), 'English')
  expect(english[1]).toContain('beta.it is before you in 2 of 3 answers')
})

test.each([
  [
    'as an engine translates it',
    (lines: string[]) => ({ lines: lines.map((line) => `FR ${line}`) }),
    'FR Publish',
  ],
  ['in English when lines are missing', () => ({ lines: ['une'] }), 'Publish'],
])('advice in another language: %s', async (_name, translate, first) => {
  const read = (data: string) => proposed(data) ?? translate((JSON.parse(data) as { lines: string[] }).lines)
  const asking = scriptedEngine('openai', { say: (prompt) => answers[prompt] ?? '', read })
  const found = await single(meansOf([asking]), 'francese')
  expect(found.recommendations[0]?.startsWith(first)).toBe(true)
  expect(asking.asked[0]).toMatchObject({ language: 'fr', country: 'FR' })
})

test('proposals that name a participant are not asked', async () => {
  const asking = scriptedEngine('openai', { read: () => ({ prompts: ['Acme o Beta?', 'a', 'Gamma?'] }) })
  await single(meansOf([asking]))
  expect(asking.asked.map(({ prompt }) => prompt)).toEqual(['a'])
})

test('a matrix has everybody as the subject, and asks each prompt once', async () => {
  const asking = engine()
  const found = await matrixOf(meansOf([asking]))
  expect(asking.asked.map(({ prompt }) => prompt)).toEqual(['a', 'b', 'c', 'd'])
  expect(found.mode).toBe('matrix')
  expect(found.brands.map(({ brand, score, cited, first }) => ({ brand, score, cited, first }))).toEqual([
    { brand: 'Acme', score: 42, cited: 2, first: 1 },
    { brand: 'beta.it', score: 67, cited: 3, first: 2 },
    { brand: 'Gamma', score: 16, cited: 1, first: 0 },
  ])
  expect(found.matrix).toEqual([
    { subject: 'Acme', vs: { 'beta.it': 25, Gamma: 50 } },
    { subject: 'beta.it', vs: { Acme: 50, Gamma: 75 } },
    { subject: 'Gamma', vs: { Acme: 0, 'beta.it': 0 } },
  ])
  expect(found.shared_answers).toBe(true)
  expect(found.reports.map(({ subject, gaps }) => [subject, gaps.map(({ prompt }) => prompt)])).toEqual([
    ['Acme', ['c']],
    ['beta.it', []],
    ['Gamma', ['b', 'c']],
  ])
})

test('without proposals the templates treat all alike', async () => {
  const asking = scriptedEngine('openai', {})
  const found = await matrixOf(meansOf([asking]))
  expect(asking.asked.map(({ prompt }) => prompt)).toEqual([
    'Acme, beta.it o Gamma: quale scegliere?',
    'Chi è il migliore tra Acme, beta.it o Gamma?',
    ...['Acme', 'beta.it', 'Gamma'].map((name) => `Quali sono le migliori alternative a ${name}?`),
  ])
  expect(found.brands.every(({ score, share_of_voice }) => score === 0 && share_of_voice === null)).toBe(true)
  expect(JSON.stringify(found)).not.toContain('NaN')
})

test.each([[[]], [['acme', 'ACME ', 'www.acme.it']], [['']]])('%j is nobody else', async (competitors) => {
  const found = compare(meansOf([engine()]), { competitors, brand: 'acme.it' })
  await expect(found).rejects.toMatchObject({ key: 'invalid' })
})

test('several engines: who stands before whom is counted by answer', async () => {
  const other = scriptedEngine('gemini', { say: () => '1. Gamma\n2. Acme' })
  const { matrix } = await matrixOf(meansOf([engine(), other]))
  expect(matrix[0]).toEqual({ subject: 'Acme', vs: { 'beta.it': 62.5, Gamma: 25 } })
  expect(matrix[2]).toEqual({ subject: 'Gamma', vs: { Acme: 50, 'beta.it': 50 } })
})
