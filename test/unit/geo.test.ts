import { describe, expect, test } from 'vitest'

import { statusOf, type Verdict } from '../../tasks/ai/geo/checks/check.ts'
import { geoChecks } from '../../tasks/ai/geo/checks/index.ts'
import { readEntities, standsForSite, texts } from '../../tasks/ai/geo/entities.ts'
import { isQuestion, sourcesIn, statisticsIn } from '../../tasks/ai/geo/evidence.ts'
import { readPassages } from '../../tasks/ai/geo/passages.ts'
import { choosePages } from '../../tasks/ai/geo/sample.ts'
import { judge, type Judged, recommend, resultsOf, scoreOf } from '../../tasks/ai/geo/score.ts'
import { randomOf } from '../fakes/site/html.ts'
import { geoSite } from '../support/geo.ts'
import { renderedReadme } from '../support/readme.ts'

describe.each(geoChecks)('$code', (check) => {
  const cases = Object.entries(check.examples).flatMap(([status, given]) =>
    given.map((example) => ({ status, example })),
  )
  test.each(cases)('$status: $example', ({ status, example }) => {
    const { share, value } = check.judge(geoSite(example))
    expect({ status: statusOf(share), value }).toEqual({ status, value })
  })

  test('has words, and examples of each outcome that earns something or nothing', () => {
    expect(check.examples.pass).not.toHaveLength(0)
    expect(check.examples.fail).not.toHaveLength(0)
    for (const words of [check.title, check.fix]) expect(words.it).not.toBe(words.en)
  })
})

describe('the score', () => {
  const [first, second, third] = geoChecks.filter(({ weight }) => weight > 0)
  const judged = (check = first!, share: number | null = 1, shown?: number): Judged => ({
    check,
    verdict: { share, value: null } satisfies Verdict,
    ...(shown !== undefined && { shown }),
  })
  const total = (all: readonly Judged[]) => recommend(all, 'en').reduce((sum, { gain }) => sum + gain, 0)

  test('is of 100 points, as the README has them', async () => {
    expect(geoChecks.reduce((sum, { weight }) => sum + weight, 0)).toBe(100)
    expect(new Set(geoChecks.map(({ code }) => code)).size).toBe(geoChecks.length)
    const { is } = await renderedReadme()
    const rows = [...is.matchAll(/^\| `(\w+)` \| (\d+) \| (\w+) \| (.+) \|$/gm)].map((row) => row.slice(1))
    expect(rows).toEqual(
      geoChecks.map(({ code, weight, area, title }) => [code, `${weight}`, area, title.en]),
    )
  })

  test('is what was earned of what could be decided', () => {
    const half = [judged(first, 1), judged(second, 0)]
    const expected = Math.round((100 * first!.weight) / (first!.weight + second!.weight))
    expect(scoreOf(half)).toBe(expected)
    expect(scoreOf([...half, judged(third, null)])).toBe(expected)
    expect(scoreOf([judged(first, null)])).toBe(0)
    expect(resultsOf([judged(first, 0.5), judged(second, null)], 'it')).toMatchObject([
      { status: 'warn', score: first!.weight / 2, title: first!.title.it, evidence: [] },
      { status: 'unknown', score: null },
    ])
  })

  test('never falls when a check fares better, and lacks what the remedies would gain', () => {
    const random = randomOf(7)
    for (let round = 0; round < 200; round++) {
      const all = geoChecks.map((check) => judged(check, random() < 0.2 ? null : random()))
      const at = Math.floor(random() * all.length)
      const { share } = all[at]!.verdict
      const better = all.with(
        at,
        judged(all[at]!.check, share === null ? null : share + (1 - share) * random()),
      )
      expect(scoreOf(better)).toBeGreaterThanOrEqual(scoreOf(all))
      expect(Math.abs(100 - scoreOf(all) - total(all))).toBeLessThan(2)
      const gains = recommend(all, 'it').map(({ gain }) => gain)
      expect(gains).toEqual(gains.toSorted((a, b) => b - a))
    }
  })

  test('counts what only scripts show as gained by sending the page whole', () => {
    const full = `<h1>A</h1><h2>How much?</h2><p>${'word '.repeat(300)}<ul><li>one<li>two</ul>`
    const shell = '<div id=root></div><script src=/app.js></script>'
    const all = judge(geoSite({ html: shell, rendered: full }))
    const remedies = recommend(all, 'en')
    expect(remedies[0]).toMatchObject({ check: 'content_without_js', priority: 'high' })
    expect(remedies[0]!.gain).toBeGreaterThan(20)
    expect(remedies.map(({ check }) => check)).not.toContain('lists_tables')
    expect(resultsOf(all, 'en').find(({ code }) => code === 'lists_tables')).toMatchObject({ status: 'fail' })
    expect(Math.abs(100 - scoreOf(all) - total(all))).toBeLessThan(2)
    const sent = judge(geoSite({ html: full + shell, rendered: full }))
    expect(scoreOf(sent)).toBeGreaterThan(scoreOf(all) + 20)
  })

  test('weighs the agents that most people ask three times as much as others', () => {
    const check = geoChecks.find(({ code }) => code === 'ai_search_allowed')!
    const lost = (agent: string) =>
      1 - (check.judge(geoSite({ robots: `User-agent: ${agent}\nDisallow: /` })).share ?? 0)
    expect(lost('OAI-SearchBot')).toBeCloseTo(3 * lost('YouBot'))
  })

  test('counts the audited page as much as all others together', () => {
    const list = '<ul><li>one<li>two</ul>'
    const check = geoChecks.find(({ code }) => code === 'lists_tables')!
    const others = { '/a': list, '/b': list, '/c': '<p>text' }
    const verdict = check.judge(geoSite({ html: '<p>text', others }))
    expect(verdict.share).toBeCloseTo(1 / 3)
    expect(verdict.pages?.map(({ status }) => status)).toEqual(['fail', 'pass', 'pass', 'fail'])
  })
})

describe('passages', () => {
  const blocks = (html: string) =>
    readPassages(html).blocks.map(({ kind, level, text }) => `${kind}${level || ''}: ${text}`)

  test('are the blocks of the main text, in order', () => {
    expect(
      blocks(`<title>No</title><nav>menu</nav><header><h1>Shoes <b>by</b> hand</h1></header>
        <p>One&nbsp;&amp; two<br>three<p>Four<ul><li>five <a href=/x>six</a></ul>
        <table><tr><th>seven<td>eight</table><details><summary>Nine?</summary>ten</details>
        <aside>no</aside><script>no()</script><div role=navigation>no</div><footer>no</footer>`),
    ).toEqual([
      'heading1: Shoes by hand',
      'paragraph: One & two',
      'paragraph: three',
      'paragraph: Four',
      'item: five six',
      'cell: seven',
      'cell: eight',
      'label: Nine?',
      'paragraph: ten',
    ])
  })

  test('survive whatever a page is', () => {
    expect(blocks('')).toEqual([])
    expect(blocks('a\0b \ud800 <')).toEqual(['paragraph: ab \ufffd <'])
    expect(readPassages('<div>'.repeat(100_000) + 'deep').blocks).toEqual([])
    expect(readPassages(`${'<b>'.repeat(200)}text</p></table></li>`).blocks).toHaveLength(1)
    expect(readPassages('<script type="application/ld+json">{').data).toEqual(['{'])
    const many = readPassages('<p>word word word word</p>'.repeat(200_000))
    expect(many.blocks).toHaveLength(3000)
    expect(readPassages(`<p>${'word '.repeat(1_000_000)}`).length).toBeLessThan(500_000)
  })

  test('are searched in linear time', () => {
    const startedAt = performance.now()
    for (const text of [
      '1 '.repeat(200_000),
      '1,'.repeat(200_000),
      '9'.repeat(400_000),
      'secondo '.repeat(50_000),
    ])
      statisticsIn(text)
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })
})

test.each([
  ['How much is it?', true],
  ['Cosa sono le scarpe artigianali', true],
  ['¿Cuánto cuesta?', true],
  ['Chi siamo', false],
  ['Whatever works best here', false],
  ['Our prices', false],
])('%s: a question, %s', (text, expected) => expect(isQuestion(text)).toBe(expected))

test('sources are hosts outside the site, each once', () => {
  const page = new URL('https://www.example.test/a')
  const links = [
    '/b',
    'https://example.test/',
    'https://who.int/1',
    'https://who.int/2',
    'mailto:a@b.c',
    'https://t.me/x',
    'http://[',
  ]
  expect(sourcesIn(links, page)).toEqual(['who.int'])
})

test('entities are found wherever they are nested, and faulty JSON is none', () => {
  const found = readEntities([
    '{',
    '// <![CDATA[\n{"@type": ["Organization", "https://schema.org/Brand"], "name": "A"}\n// ]]>',
    '[{"@graph": [{"@type": "Article", "author": [{"@type": "Person", "name": "B"}, "C"], "publisher": {"@id": "#a"}}]}]',
    'null',
    `${'{"a":'.repeat(100)}{"@type":"Deep"}${'}'.repeat(100)}`,
  ])
  expect(found.map(({ types, as }) => [types.join(), as])).toEqual([
    ['Organization,Brand', null],
    ['Article', null],
    ['Person', 'author'],
  ])
  expect(found.filter(standsForSite)).toEqual([found[0]])
  expect(texts(found[1]!, 'author')).toEqual(['B', 'C'])
  expect(texts(found[1]!, 'publisher')).toEqual(['#a'])
})

test('other pages are chosen by what they tell, those of the own site alone', () => {
  const links =
    '/ /login /shop/ /a.pdf /how-to-tie-shoes /chi-siamo https://other.test/a-b-c /page?x=1 /privacy-policy /page#top'
  const { pages } = geoSite(
    links
      .split(' ')
      .map((href) => `<a href="${href}">x</a>`)
      .join(''),
  )
  const listed = [
    { url: new URL('https://example.test/an-old-article'), lastmod: '2020-01-01' },
    { url: new URL('https://www.example.test/a-new-article/'), lastmod: '2026-01-01' },
    { url: new URL('http://example.test/how-to-tie-shoes/'), lastmod: null },
    { url: new URL('https://else.test/a-b-c'), lastmod: null },
  ]
  const chosen = choosePages(pages[0], listed, 5).map(({ href }) => href)
  expect(chosen).toEqual([
    'https://example.test/chi-siamo',
    'https://example.test/how-to-tie-shoes',
    'https://www.example.test/a-new-article/',
    'https://example.test/an-old-article',
    'https://example.test/',
  ])
})
