import { expect, test } from 'vitest'

import italian from '../../api/seo/checks.it.json' with { type: 'json' }
import { worded } from '../../api/seo/wording.ts'
import { registry } from '../../tasks/crawl/checks/index.ts'

const figures = (text: string) => text.match(/\d+/g) ?? []
const spans = (text: string) => text.match(/`[^`]*`/g)?.length ?? 0

test('every check has Italian words, and nothing else has', () => {
  expect(Object.keys(italian).toSorted()).toEqual([...new Set(registry.map(({ code }) => code))].toSorted())
})

test.each(registry)(
  '$code says the same in Italian: its figures and code are those of the English words',
  (check) => {
    const { about, fix, lang } = worded(check, 'it')
    expect(lang).toBe('it')
    expect([about, fix]).not.toContain('')
    expect([figures(about), figures(fix)]).toEqual([figures(check.about), figures(check.fix)])
    expect([spans(about), spans(fix)]).toEqual([spans(check.about), spans(check.fix)])
  },
)

test('English stays English', () => {
  const check = { code: 'title_missing', about: 'No title.', fix: 'Write one.' }
  expect(worded(check, 'en')).toEqual({ ...check, lang: 'en' })
})
