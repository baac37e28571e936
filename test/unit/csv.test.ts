import { expect, test } from 'vitest'

import { CSV_ROWS, toCsv } from '../../api/csv.ts'

test('no record is an empty file', () => expect(toCsv([])).toBe(''))

test('the columns are the keys of the first record', () => {
  expect(
    toCsv([
      { a: 1, b: 'x' },
      { b: 'y', c: 'left out' },
    ]),
  ).toBe('a,b\r\n1,x\r\n,y\r\n')
})

test.each([
  ['true', true, '1'],
  ['false', false, '0'],
  ['null', null, ''],
  ['undefined', undefined, ''],
  ['negative number', -3.5, '-3.5'],
  ['array', ['a', 'b'], '"[""a"",""b""]"'],
  ['empty array', [], '[]'],
  ['object', { a: 1 }, '"{""a"":1}"'],
  ['comma', 'a,b', '"a,b"'],
  ['quote', 'say "hi"', '"say ""hi"""'],
  ['LF', 'a\nb', '"a\nb"'],
  ['CRLF', 'a\r\nb', '"a\r\nb"'],
  ['letters of all kinds', 'perché 日本 😀', 'perché 日本 😀'],
  ['=', '=1+1', "'=1+1"],
  ['+', '+39', "'+39"],
  ['-', '-1', "'-1"],
  ['@', '@SUM(A1)', "'@SUM(A1)"],
  ['tab', '\t=1', "'\t=1"],
  ['CR', '\r=1', `"'\r=1"`],
  ['formula with a quote', '=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
  ['formula later on', 'a=1', 'a=1'],
])('%s', (_what, value, cell) => {
  expect(toCsv([{ value, end: 'end' }])).toBe(`value,end\r\n${cell},end\r\n`)
})

test('a column name is no formula either', () => expect(toCsv([{ '=a': 1 }])).toBe("'=a\r\n1\r\n"))

test('no more than the cap', () => {
  const rows = Array.from({ length: CSV_ROWS + 1 }, (_, n) => ({ n }))
  const lines = toCsv(rows).trimEnd().split('\r\n')
  expect(lines).toHaveLength(CSV_ROWS + 1)
  expect(lines.at(-1)).toBe(String(CSV_ROWS - 1))
})
