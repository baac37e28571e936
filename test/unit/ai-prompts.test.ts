import { expect, test } from 'vitest'

import { promptsIn } from '../../tasks/ai/asking/prompt-lines.ts'
import { classify } from '../../tasks/ai/asking/prompt-set.ts'
import { countryOf, detectLanguage, languageOf } from '../../tasks/ai/languages.ts'
import { researchPrompts } from '../../tasks/ai/prompts.ts'
import { UpstreamFault } from '../../tasks/upstream/fault.ts'
import { meansOf, run, scriptedEngine, type ScriptedMeans, workerTools } from '../support/engines.ts'

const given = { ...run, prompt: 'le migliori scarpe da running', language: null as string | null }
const research = (means: ScriptedMeans, more: Partial<typeof given> = {}) =>
  researchPrompts({ ...given, ...more }, workerTools(), means)

test.each([
  ['le migliori scarpe da running', 'it'],
  ['qual è il miglior CRM?', 'it'],
  ['best running shoes', 'en'],
  ['how to choose a CRM', 'en'],
  ['welche Laufschuhe sind die besten', 'de'],
  ['quelles sont les meilleures chaussures', 'fr'],
  ['cuáles son las mejores zapatillas', 'es'],
  ['scarpe running', null],
  ['CRM', null],
  ['', null],
])('the language of “%s” is %s', (text, language) => {
  expect(detectLanguage(text)).toBe(language)
})

test.each([
  ['it', 'it'],
  ['it-IT', 'it'],
  ['EN_us', 'en'],
  ['Inglese', 'en'],
  ['français', 'fr'],
  ['Deutsch', 'de'],
  ['xx', null],
  ['klingon', null],
  ['', null],
])('%j as a language is %s', (name, code) => expect(languageOf(name)).toBe(code))

test.each([
  ['it', 'IT'],
  ['en', 'US'],
  ['ja', 'JP'],
  ['be', 'BY'],
  ['eo', 'US'],
])('%s is written in %s', (language, country) => expect(countryOf(language)).toBe(country))

test.each([
  ['Che cos’è un CRM?', 'informational', 'awareness', 'question'],
  ['Acme o meglio Beta?', 'comparison', 'consideration', 'comparison'],
  ['Qual è il miglior CRM?', 'commercial', 'consideration', 'best-of'],
  ['Quanto costa un CRM?', 'transactional', 'decision', 'question'],
  ['Come cancellare l’abbonamento Acme', 'transactional', 'retention', 'how-to'],
  ['Sito ufficiale di Acme', 'navigational', 'decision', 'statement'],
  ['pizza vicino a me', 'informational', 'awareness', 'local'],
  ['How do I set up a CRM?', 'informational', 'retention', 'how-to'],
  ['Acme vs Beta', 'comparison', 'consideration', 'comparison'],
  ['best CRM for small teams', 'commercial', 'consideration', 'best-of'],
  ['buy CRM licence', 'transactional', 'decision', 'statement'],
])('“%s” is %s, %s, %s', (text, intent, funnel_stage, type) => {
  expect(classify(text)).toEqual({ intent, funnel_stage, type })
})

test('the prompts of an answer are its questions, or else the entries of its lists', () => {
  const answer = `Ecco alcune domande:\n\n1. **Quanto durano le scarpe?**\n2. "Quali scarpe scegliere?" [1]\n- [Meglio A o B?](https://x.test/a) (confronto)\n* Prezzi:\n\nFonti: x.test`
  expect(promptsIn(answer)).toEqual(['Quanto durano le scarpe?', 'Quali scarpe scegliere?', 'Meglio A o B?'])
  expect(promptsIn('- best shoes\n- cheap shoes\n- Best  shoes!')).toEqual(['best shoes', 'cheap shoes'])
  expect(promptsIn('Nothing to list.')).toEqual([])
})

const ideas = {
  prompts: [
    {
      text: 'Quanto durano le scarpe?',
      intent: 'informational',
      funnel_stage: 'awareness',
      type: 'question',
    },
    { text: 'quanto durano le scarpe', intent: 'informational', funnel_stage: 'awareness', type: 'question' },
    {
      text: 'Dove comprare scarpe online?',
      intent: 'transactional',
      funnel_stage: 'decision',
      type: 'question',
    },
    { text: '  ', intent: 'commercial', funnel_stage: 'decision', type: 'statement' },
  ],
  entities: ['Asics', 'Invented Inc', 'asics'],
  gaps: ['Scarpe per piedi larghi', ''],
}
const said = {
  openai: 'Asics e altri.\n1. Quanto durano le scarpe?\n2. Dove comprare scarpe online?',
  gemini: '- Quanto durano le scarpe?\n- Asics o Nike: quali scegliere?',
}

test('an answer without an end is read in a moment', () => {
  const began = performance.now()
  for (const sign of ['[', '[1](', '**', '- ']) promptsIn(sign.repeat(30_000))
  expect(performance.now() - began).toBeLessThan(1000)
})

test('what engines say is merged, sorted by one of them, and counted', async () => {
  const engines = [
    scriptedEngine('openai', { say: () => said.openai, read: () => ideas }),
    scriptedEngine('gemini', { say: () => ({ text: said.gemini, queries: ['scarpe domande'] }) }),
  ]
  const { language, result } = await research(meansOf(engines))
  expect(language).toBe('it')
  expect(result.prompts).toEqual([
    {
      text: 'Quanto durano le scarpe?',
      intent: 'informational',
      funnel_stage: 'awareness',
      type: 'question',
      engines: ['openai', 'gemini'],
      source: 'engine',
    },
    {
      text: 'Dove comprare scarpe online?',
      intent: 'transactional',
      funnel_stage: 'decision',
      type: 'question',
      engines: ['openai'],
      source: 'engine',
    },
    {
      text: 'Asics o Nike: quali scegliere?',
      intent: 'informational',
      funnel_stage: 'awareness',
      type: 'question',
      engines: ['gemini'],
      source: 'engine',
    },
  ])
  expect(result).toMatchObject({
    entities: [{ name: 'Asics', answers: 2 }],
    gaps: ['Scarpe per piedi larghi'],
    coverage: { cells_total: 20, cells_filled: 2 },
    queries: ['scarpe domande'],
    sorted_by: 'openai',
  })
  expect(result.coverage.missing).toHaveLength(18)
})

test('what nobody sorts is sorted by its words', async () => {
  const { result } = await research(meansOf([scriptedEngine('openai', { say: () => said.openai })]))
  expect(result.prompts.map(({ text, intent }) => [text, intent])).toEqual([
    ['Quanto durano le scarpe?', 'informational'],
    ['Dove comprare scarpe online?', 'transactional'],
  ])
  expect(result).toMatchObject({ entities: [], gaps: [], sorted_by: null })
})

test('what is refused, or lists nothing, leaves templates', async () => {
  for (const ended of ['refused', 'whole'] as const) {
    const { result } = await research(
      meansOf([scriptedEngine('openai', { say: () => ({ text: 'No.', ended }) })]),
      { prompt: 'CRM' },
    )
    expect(result.prompts[0]).toMatchObject({ text: "Che cos'è CRM?", source: 'template', engines: [] })
    expect(new Set(result.prompts.map(({ intent }) => intent)).size).toBeGreaterThan(2)
  }
})

test.each([
  [null, 'best running shoes', 'en'],
  ['tedesco', 'best running shoes', 'de'],
  ['klingon', 'best running shoes', 'en'],
  [null, 'CRM', 'it'],
])('language %s and seed “%s”: %s', async (language, prompt, expected) => {
  const engine = scriptedEngine('openai', {})
  expect(await research(meansOf([engine]), { prompt, language })).toMatchObject({ language: expected })
  expect(engine.asked[0]?.language).toBe(expected)
})

test('one engine down is said, all down is a failure', async () => {
  const down = scriptedEngine('gemini', {
    say: () => Promise.reject(new UpstreamFault('rate', 'gemini answers 429')),
  })
  const { result } = await research(meansOf([scriptedEngine('openai', { say: () => said.openai }), down]))
  expect(result.engines[1]).toMatchObject({
    engine: 'gemini',
    answered: 0,
    failed: 1,
    reason: 'gemini answers 429',
  })
  await expect(research(meansOf([down]))).rejects.toMatchObject({
    key: 'upstream_failed',
    params: { reason: 'gemini answers 429' },
  })
})
