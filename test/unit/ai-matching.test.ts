import { describe, expect, test } from 'vitest'

import { brandOf } from '../../tasks/ai/reading/brands.ts'
import { pageKey } from '../../tasks/ai/reading/sources.ts'
import { standingsIn } from '../../tasks/ai/reading/standing.ts'
import { cite } from '../support/engines.ts'

const said = (text: string) => ({ text, citations: [], ended: 'whole' as const })
const names = (name: string, text: string, domain: string | null = null) =>
  standingsIn(said(text), [brandOf(name, domain)])[0]?.named

test.each([
  ['Acme', 'Try ACME today.'],
  ['Acme', "Acme's shoes"],
  ['Acme', 'Acme’s shoes'],
  ['Acme', "le scarpe dell'Acme e l’Acme"],
  ['Acme', 'an Acme-based setup'],
  ['Acme', '**Acme**, _Acme_ and `Acme`'],
  ['Acme', 'Acme™ is a mark'],
  ['Acme', 'Acme² says a note'],
  ['Acme', '(Acme)'],
  ['Acme', 'ac\u00adme with a soft hyphen'],
  ['Acme', 'Ａｃｍｅ in full width'],
  ['Acme', '使ってAcmeは'],
  ['Acme', 'visit acme.io'],
  ['Acme', '[Acme](https://other.test/review) is fine'],
  ['Acme S.r.l.', 'Acme was founded'],
  ['acme.it', 'Acme was founded'],
  ['https://www.acme.co.uk/shop', 'Acme was founded'],
  ['acme.it', 'see acme.it for more'],
  ['acme.it', 'see blog.acme.it/news for more'],
  ['acme.it', 'write to info@acme.it'],
  ['caffè-roma.it', 'il Caffe Roma apre'],
  ['Citroën', 'a Citroen'],
  ['Straße', 'STRASSE'],
  ['Coca-Cola', 'Coca Cola, Coca‑Cola'],
  ["McDonald's", 'McDonalds'],
  ['Dolce & Gabbana', 'Dolce e Gabbana'],
  ['C++', 'C++ is old'],
  ['!!!', 'the band !!! plays'],
  ['ソニー', '最新のソニーです'],
  ['a.b(c)[d]*', 'so a.b(c)[d]* it is'],
])('%s is named in “%s”', (name, text) => {
  expect(names(name, text)).toBe(true)
})

test.each([
  ['Acme', 'Acmecorp, NotAcme, Acme2 and acme_x'],
  ['Acme', 'acme-outlet.com sells it'],
  ['Acme', 'acme@gmail.com'],
  ['Acme', 'https://reddit.com/r/acme'],
  ['Acme', 'in a source ([acme.it](https://acme.it/x))'],
  ['Acme', 'in a source ([Acme: the shop](https://acme.it/x), [Acme blog](https://acme.it/y))'],
  ['Acme', '![Acme](https://cdn.test/acme.png)'],
  ['Acme', 'Аcme with a Cyrillic letter'],
  ['acme.it', 'notacme.it and acme.it.evil.test'],
  ['C++', 'C is older'],
  ['Acme', ''],
  ['', 'Anything'],
  ['  ', 'Anything at all'],
])('%j is not named in “%s”', (name, text) => {
  expect(names(name, text)).toBe(false)
})

test('another domain with the same name is no look-alike’s mention once the own domain is known', () => {
  expect(names('Acme', 'visit acme.io', 'acme.it')).toBe(false)
  expect(names('Acme', 'visit Acme at acme.it', 'www.acme.it')).toBe(true)
})

test('of two names that overlap the longer one is meant', () => {
  const [short, long] = standingsIn(said('Acme Pro wins; Acme comes after'), [
    brandOf('Acme'),
    brandOf('Acme Pro'),
  ])
  expect([short?.place, long?.place]).toEqual([2, 1])
  expect(standingsIn(said('Acme Pro wins'), [brandOf('Acme'), brandOf('Acme Pro')])[0]?.named).toBe(false)
})

test.each<[string, [number | null, number | null], [number | null, number | null]]>([
  ['1. **Beta** - better than Acme\n2. **Acme** - fine', [2, 2], [1, 1]],
  ['1. Beta beats Acme\n   - Acme: no\n2. The Acme suite', [2, 2], [1, 1]],
  ['1) Acme\n2) Beta', [1, 1], [2, 2]],
  ['1. Beta\n\nA paragraph.\n\n2. Acme\n\nAnother.', [2, 2], [1, 1]],
  ['1. Beta\n- Pro: cheap\n- Contro: worse than Acme\n2. Acme\n- Pro: x', [2, 2], [1, 1]],
  ['1. Gamma\n1. Beta\n1. Acme', [3, 3], [2, 2]],
  ['1.Beta\n2.Acme', [2, 2], [1, 1]],
  ['The best: 1) Beta, 2) Acme.', [2, 2], [1, 1]],
  ['1. Beta (1. cheap 2. old)\n2. Acme', [2, 2], [1, 1]],
  ['- Beta: good\n- Acme: bad', [2, 2], [1, 1]],
  ['• [Acme](https://acme.it) – x\n• Beta – y', [1, 1], [2, 2]],
  ['### 1. Beta\ntext\n\n### 2. Acme\ntext', [2, 2], [1, 1]],
  ['**1. Beta**\ntext\n\n**2. Acme**: text', [2, 2], [1, 1]],
  ['**Beta** is good.\n\n**Acme** is fine.', [2, 2], [1, 1]],
  ['1. **Best overall: Acme**\n2. **Best for teams:** Beta - x', [1, 1], [2, 2]],
  ['| # | Name |\n|---|---|\n| 1 | Beta |\n| 2 | **Acme** |', [2, 2], [1, 1]],
  ['| Name | Price |\n|:--|--:|\n| Gamma | 3 |\n| Acme | 4 |', [2, 2], [null, null]],
  ['Acme and Beta lead:\n\n1. Beta\n2. Acme', [2, 2], [1, 1]],
  ['Beta is good, and so is Acme.', [null, 2], [null, 1]],
  ['1. Gamma\n2. Delta\n\nAcme is another.', [null, 3], [null, null]],
  ['- A good price\n\nAcme is fine.', [null, 1], [null, null]],
  ['Nobody.', [null, null], [null, null]],
])('positions in %j', (text, acme, beta) => {
  const found = standingsIn(said(text), [brandOf('Acme'), brandOf('Beta')])
  expect(found.map(({ position, place }) => [position, place])).toEqual([acme, beta])
})

describe('links', () => {
  const acme = brandOf('Acme', 'acme.it')
  const linked = (text: string, ...urls: string[]) =>
    standingsIn({ text, citations: urls.map((url) => cite(url)), ended: 'whole' }, [acme])[0]

  test.each([
    ['', 'https://www.acme.it/a'],
    ['', 'https://shop.acme.it/'],
    ['more at https://acme.it/b.', undefined],
    ['[here](http://acme.it/a_(b)?x=1)', undefined],
  ])('%j citing %s links the domain', (text, url) => {
    expect(linked(text, ...(url ? [url] : []))?.linked).toBe(true)
  })

  test.each([
    'https://notacme.it/',
    'https://acme.it.evil.test/',
    'https://other.test/?u=acme.it',
    'https://acme.com/',
  ])('%s does not', (url) => expect(linked('', url)?.linked).toBe(false))

  test('without a domain nobody can tell', () => {
    expect(
      standingsIn({ ...said('Acme'), citations: [cite('https://acme.it/')] }, [brandOf('Acme')])[0]?.linked,
    ).toBeNull()
  })

  test('a page counts once, however it is written', () => {
    expect(linked('see https://acme.it/a#top', 'https://www.acme.it/a/?utm_source=openai')?.links).toEqual([
      'https://www.acme.it/a/?utm_source=openai',
    ])
    expect(pageKey('http://www.acme.it/a/?b=2&a=1&gclid=x#y')).toBe(pageKey('https://acme.it/a?a=1&b=2'))
    expect(pageKey('https://acme.it/a')).not.toBe(pageKey('https://acme.it/b'))
  })
})

test('a refusal names nobody, whatever it says', () => {
  const [own] = standingsIn({ ...said('I cannot speak about Acme'), ended: 'refused' }, [
    brandOf('Acme', 'acme.it'),
  ])
  expect(own).toMatchObject({ named: false, linked: false, place: null, passage: null })
})

test('the passage is the sentence that names the brand', () => {
  const text = 'There are many.\n\n1. **Beta**: good.\n2. **Acme**: the one to   take. Really.'
  expect(standingsIn(said(text), [brandOf('Acme')])[0]?.passage).toBe('Acme: the one to take.')
})

test('answers of any shape are read in a moment', () => {
  const hostile = [
    'a.'.repeat(50_000),
    '[('.repeat(30_000),
    '**'.repeat(50_000),
    '| '.repeat(50_000),
    '1. '.repeat(30_000),
    '-'.repeat(100_000),
    ' - '.repeat(30_000),
    'x@'.repeat(50_000),
    '\n'.repeat(100_000),
    '1.\n'.repeat(30_000),
    'acme '.repeat(20_000),
  ]
  const began = performance.now()
  for (const text of hostile) standingsIn(said(`${text} Acme`), [brandOf('Acme', 'acme.it')])
  expect(performance.now() - began).toBeLessThan(5000)
})
