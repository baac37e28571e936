import { expect, test } from 'vitest'

import { titles, titlesOf } from '../../api/titles.ts'
import { Problem, type ProblemKey, problems } from '../../problem.ts'

const keys = Object.keys(problems) as ProblemKey[]

const slots = (title: string) => title.match(/\{\w+\}/g) ?? []

test.each(keys)('%s has a title in both languages, with the same slots', (key) => {
  expect(titles.it[key]).toMatch(/\S/)
  expect(titles.en[key]).toMatch(/\S/)
  expect(slots(titles.it[key])).toEqual(slots(titles.en[key]))
})

test('parameters fill the slots', () => {
  expect(titlesOf(new Problem('rate_limited', { limit: 60 }), 'it')).toEqual([
    'Troppe richieste: superato il limite di 60 al minuto',
  ])
  expect(titlesOf(new Problem('rate_limited', { limit: 60 }), 'en')[0]).toContain('60')
})

test('one title for each refused field', () => {
  expect(titlesOf(new Problem('invalid', { field: 'name,start_url' }), 'en')).toEqual([
    'Missing or invalid value: name',
    'Missing or invalid value: start_url',
  ])
})

test('without a field, one title', () => {
  expect(titlesOf(new Problem('invalid'), 'it')).toEqual([titles.it.invalid])
  expect(titlesOf(new Problem('invalid', { field: '' }), 'it')).toEqual([titles.it.invalid])
})

test('a hidden service is called what an absent one is', () => {
  expect(titles.it.api_disabled).toBe(titles.it.not_found)
  expect(titles.en.api_disabled).toBe(titles.en.not_found)
})
