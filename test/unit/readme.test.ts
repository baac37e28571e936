import { readFile } from 'node:fs/promises'

import { expect, test } from 'vitest'

import { renderedChartReadme, renderedReadme } from '../support/readme.ts'

test('the configuration table is that of config.ts (to update it: node test/support/readme.ts)', async () => {
  const { is, shouldBe } = await renderedReadme()
  expect(is).toContain('<!-- configuration -->\n| name |')
  expect(is).toBe(shouldBe)
})

test('the table of the chart’s values is that of its values.yaml (to update it likewise)', async () => {
  const { is, shouldBe } = await renderedChartReadme()
  expect(is).toContain('<!-- values -->\n| value |')
  expect(is).toBe(shouldBe)
})

test('the dependency table names every dependency, and nothing else', async () => {
  const manifest = JSON.parse(
    await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as Record<string, Record<string, string>>
  const { is } = await renderedReadme()
  const table = is.slice(is.indexOf('## Dependencies'))
  const named = [...table.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell]) =>
    [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  )
  const declared = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.keys(manifest[kind] ?? {}),
  )
  expect(new Set(named)).toEqual(new Set(declared))
})
