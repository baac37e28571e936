import { expect, test } from 'vitest'

import { testEngines } from '../../tasks/ai/engine.ts'
import { readPage } from '../../tasks/ai/geo/page.ts'
import type { Look } from '../../tasks/ai/pages/look.ts'
import type { Answer } from '../../tasks/upstream/answer-engine.ts'
import { cite, meansOf, run, scriptedEngine, workerTools } from '../support/engines.ts'
import { visit } from '../support/visit.ts'

const rich = (topic: string) => `<!doctype html><html lang="it"><head><title>${topic}: guida</title>
  <meta name="author" content="Ada Verdi"><meta property="article:published_time" content="2026-01-02">
  <script type="application/ld+json">{"@context":"https://schema.org","@type":"Article"}</script></head><body><main>
  <h1>${topic}</h1><p>Le ${topic} si scelgono guardando appoggio, ammortizzazione e peso: chi corre poco prende un modello
  neutro, chi corre molto ne tiene due paia e le alterna ogni giorno, così durano di più.</p>
  <h2>Quanto durano le ${topic}?</h2><p>Circa 800 km, il 30% in meno sullo sterrato, secondo uno studio del 2025.</p>
  <h2>Come sceglierle?</h2><ul><li>Appoggio</li><li>Peso</li></ul><h2>Prezzi</h2>
  <table><tr><td>A</td><td>90 €</td></tr><tr><td>B</td><td>120 €</td></tr></table>
  <p>Vedi <a href="https://studio.test/x">lo studio</a>. ${'Altre parole utili qui. '.repeat(30)}</p></main></body></html>`
const poor = '<title>Benvenuti</title><body><main><p>Siamo qui.</p></main>'

const pages: Record<string, string> = {
  'https://acme.it/scarpe': poor,
  'https://rival.test/guida': rich('scarpe running'),
  'https://forum.test/t': rich('scarpe running'),
}
const look: Look = async (url) =>
  pages[url.href] === undefined ? null : readPage(visit({ url: url.href, html: pages[url.href] ?? '' }))

const given = { ...run, keyword: 'scarpe running', url: 'https://acme.it/scarpe' }
const testOne = (said: Partial<Answer>, more: Partial<typeof given> = {}) =>
  testEngines(
    { ...given, ...more },
    workerTools(),
    meansOf([scriptedEngine('openai', { say: () => said })]),
    look,
  )

const page = (host: string) => ({ url: `https://${host}/`, host, title: null })

test.each<[string, Partial<Answer>, number, object]>([
  [
    'the page first',
    { citations: [cite('https://www.acme.it/scarpe/?utm_source=openai')] },
    100,
    { cited: true, best_rank: 1 },
  ],
  [
    'the page second',
    { citations: [cite('https://a.test/'), cite('https://acme.it/scarpe')] },
    85,
    { cited: true, best_rank: 2 },
  ],
  [
    'another page of its host',
    { citations: [cite('https://blog.acme.it/x')] },
    72,
    { cited: false, host_cited: true, best_rank: 1 },
  ],
  [
    'only looked at',
    { retrieved: [page('acme.it')] },
    14,
    { cited: false, host_cited: false, retrieved: true, best_rank: null },
  ],
  [
    'a look-alike',
    { citations: [cite('https://acme.it.evil.test/scarpe'), cite('https://notacme.it/')] },
    0,
    { retrieved: false },
  ],
  ['written out in the text', { text: 'Vedi https://acme.it/scarpe.' }, 100, { cited: true }],
  [
    'an engine’s redirect',
    { citations: [{ ...cite('https://engine.test/redirect/1'), host: 'acme.it' }] },
    72,
    { host_cited: true },
  ],
  ['a refusal', { ended: 'refused', citations: [cite('https://acme.it/scarpe')] }, 0, { cited: false }],
  ['nothing', {}, 0, { cited: false, retrieved: false, citation_rate: 0, avg_rank: null }],
])('%s', async (_name, said, score, found) => {
  const { score: points, result } = await testOne(said)
  expect(points).toBe(score)
  expect(result).toMatchObject(found)
})

test('where it is cited, by whom, and in which words', async () => {
  const passage = 'Secondo Acme durano 800 km.'
  const citing = scriptedEngine('openai', {
    say: (prompt) =>
      prompt === 'scarpe running'
        ? {
            text: 'Acme dice.',
            citations: [cite('https://x.test/'), cite('https://acme.it/scarpe', passage)],
          }
        : '',
  })
  const { score, result } = await testEngines(
    given,
    workerTools(),
    meansOf([citing, scriptedEngine('gemini', {})]),
    look,
  )
  expect(citing.asked).toHaveLength(3)
  expect(citing.asked[0]).toEqual({ prompt: 'scarpe running', language: 'it', country: 'IT' })
  // One of six answers: (70 + 30 / 2) / 6.
  expect(score).toBe(14)
  expect(result).toMatchObject({
    formula: 'citation-1',
    host: 'acme.it',
    cited: true,
    best_rank: 2,
    avg_rank: 2,
    citation_rate: 16.7,
    engines: [
      {
        engine: 'openai',
        cited: 1,
        host_cited: 1,
        best_rank: 2,
      },
      {
        engine: 'gemini',
        cited: 0,
        host_cited: 0,
        best_rank: null,
      },
    ],
    passages: [
      {
        engine: 'openai',
        prompt: 'scarpe running',
        url: 'https://acme.it/scarpe',
        passage,
      },
    ],
  })
  expect(result.prompts[0]?.answers[0]).toMatchObject({
    presence: 'page',
    rank: 2,
    cited_pages: 2,
    mentioned: true,
  })
})

const cited = {
  text: 'Contano ammortizzazione e appoggio.',
  citations: [cite('https://rival.test/guida'), cite('https://forum.test/t')],
}

test('what the cited pages have and the page lacks', async () => {
  const { result } = await testOne(cited)
  expect(result.compared.map(({ url }) => url)).toEqual(['https://forum.test/t', 'https://rival.test/guida'])
  expect(result.missing.map(({ feature }) => feature)).toEqual([
    'title',
    'headings_about',
    'opening_answer',
    'question_headings',
    'headings',
    'lists',
    'tables',
    'structured_data',
    'dates',
    'author',
    'statistics',
    'source_links',
    'length',
  ])
  expect(result.missing_terms).toEqual(['ammortizzazione', 'appoggio'])
  expect(result.steps.map(({ id }) => id).slice(0, 4)).toEqual([
    'unknown',
    'title',
    'headings_about',
    'opening_answer',
  ])
  expect(result.steps.find(({ id }) => id === 'sources')?.text).toContain('forum.test, rival.test')
})

test('a page that has it all lacks nothing', async () => {
  const { result } = await testOne(cited, { url: 'https://forum.test/t' })
  expect([result.missing, result.missing_terms]).toEqual([[], []])
  expect(result.steps.map(({ id }) => id)).toEqual(['rank', 'keep'])
})

test('pages that cannot be read degrade the comparison', async () => {
  const { result } = await testOne(cited, { url: 'gone.test/x' })
  expect(result).toMatchObject({ host: 'gone.test', page: null, missing: [], missing_terms: [] })
  expect(result.steps[0]).toMatchObject({ id: 'unreachable', priority: 'high' })
  const alone = await testOne({ citations: [cite('https://nowhere.test/')] })
  expect(alone.result).toMatchObject({ compared: [], missing: [] })
})

test('steps are in the account’s language', async () => {
  const { result } = await testEngines(
    { ...given, locale: 'en' },
    workerTools(),
    meansOf([scriptedEngine('openai', { say: () => cited })]),
    look,
  )
  expect(result.steps[0]?.text).toContain('Engines do not find the site')
})

test.each(['', 'ftp://acme.it/', 'http://'])('%j is no page', async (url) => {
  await expect(testOne({}, { url })).rejects.toMatchObject({ key: 'invalid' })
})
