import { describe, expect, test } from 'vitest'

import { pageChecks, registry, responseChecks, siteChecks } from '../../tasks/crawl/checks/index.ts'
import { examine } from '../../tasks/crawl/page.ts'
import { visit } from '../support/visit.ts'

describe.each([...responseChecks, ...pageChecks])('$code', ({ code, examples }) => {
  test.each(examples.bad)('finds %j', (example) => expect(examine(visit(example)).issues).toContain(code))
  test.each(examples.good)('passes %j', (example) =>
    expect(examine(visit(example)).issues).not.toContain(code),
  )
})

test('codes are unique', () => {
  const codes = registry.map(({ code }) => code)
  expect(codes.toSorted()).toEqual([...new Set(codes)].toSorted())
})

test('every check has a bad and a good example', () => {
  for (const { code, examples } of [...responseChecks, ...pageChecks, ...siteChecks])
    expect([code, examples.bad.length > 0, examples.good.length > 0]).toEqual([code, true, true])
})

test('every check says what is wrong and how to fix it, in sentences', () => {
  const texts = registry.flatMap(({ code, about, fix }) => [
    [code, about],
    [code, fix],
  ])
  expect(texts.filter(([, text]) => !/^\S.{15,}[.]$/.test(text!))).toEqual([])
  const fixes = registry.map(({ fix }) => fix)
  expect(
    fixes.filter((fix, i) => fixes.indexOf(fix) !== i && fix !== 'Link to the target of the redirect.'),
  ).toEqual([])
})

test('what says nothing about the page is not scored', () => {
  const unscored = registry.filter(({ scored }) => scored === false).map(({ code }) => code)
  expect(unscored.toSorted()).toEqual([
    'ai_training_bot_blocked',
    'canonicalized',
    'link_external_blocked',
    'llms_txt_missing',
    'nofollow_page',
    'noimageindex',
    'noindex',
    'noindex_header',
    'nosnippet',
    'redirect_internal',
  ])
})
