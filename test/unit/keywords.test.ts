import { expect, test } from 'vitest'

import { opportunityOf } from '../../tasks/keywords/opportunity.ts'
import { isQuestion } from '../../tasks/keywords/questions.ts'

test.each([
  [1_000_000, 0, 100],
  [999, 0, 50],
  [999, 50, 25],
  [0, 0, 0],
  [50_000_000, 10, 90],
  [1000, 100, 0],
  [null, 10, null],
  [1000, null, null],
])('a volume of %j at difficulty %j is an opportunity of %j', (search_volume, difficulty, expected) => {
  expect(opportunityOf({ search_volume, difficulty })).toBe(expected)
})

test.each([
  ['come fare il pane', 'it', true],
  ['Perché il cielo è blu', 'it', true],
  ['perche', 'it', true],
  ["qual e' la capitale", 'it', true],
  ['commercio', 'it', false],
  ['chianti', 'it', false],
  ['il pane come si fa', 'it', false],
  ['scarpe?', 'it', true],
  ['how to bake', 'it', true],
  ['howto', 'en', false],
  ['is it raining', 'en', true],
  ['island', 'en', false],
  ['wie geht das', 'de', true],
  ['wiesbaden', 'de', false],
  ['où manger', 'fr', true],
  ['cómo hacer', 'es', true],
  ['onde comprar', 'pt-BR', true],
  ['hoe laat', 'nl', true],
  ['czy pada', 'pl', true],
  ['how much', 'xx', true],
])('%s in %s: a question is %j', (keyword, language, expected) => {
  expect(isQuestion(keyword, language)).toBe(expected)
})
