import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { alertGroups, chart } from '../support/chart.ts'
import { selected } from '../support/promql.ts'
import { output, promtool } from '../support/tools.ts'

const TOOL_MS = 180_000

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'seo-suite-alerts-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

test('alerts fire when they should, and not otherwise', { timeout: TOOL_MS }, async (context) => {
  const { path, why } = await promtool()
  if (path === undefined) return context.skip(why)
  const tests = join(directory, 'alerts.test.yaml')
  await copyFile(join(import.meta.dirname, 'alerts.test.yaml'), tests)
  await copyFile(`${chart}/files/alerts.yaml`, join(directory, 'alerts.yaml'))
  const { code, stdout, stderr } = await output(path, ['test', 'rules', tests])
  expect({ code, said: stdout + stderr }).toMatchObject({ code: 0, said: expect.stringContaining('SUCCESS') })
})

test('each alert has a name of its own, says what is wrong, and asks in PromQL', async () => {
  const rules = (await alertGroups()).flatMap((group) => group.rules)
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  for (const { alert, expr, annotations } of rules) {
    expect(selected(expr).length, `of ${alert}`).toBeGreaterThan(0)
    expect(annotations['summary'], `of ${alert}`).toBeTruthy()
  }
})
