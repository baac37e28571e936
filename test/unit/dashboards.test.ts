import { readdir, readFile } from 'node:fs/promises'

import { describe, expect, test } from 'vitest'

import { files } from '../../charts/source/build.ts'
import { selected } from '../support/promql.ts'

type Grid = { x: number; y: number; w: number; h: number }
type Panel = { id: number; type: string; title: string; gridPos: Grid; targets?: { expr: string }[] }
type Dashboard = {
  uid: string
  schemaVersion: number
  panels: Panel[]
  templating: { list: { name: string }[] }
}

test('there are files for these dashboards, and no others', async () => {
  const there = await readdir(new URL('../../charts/dashboards', import.meta.url))
  expect(there.toSorted()).toEqual([
    'api.json',
    'crawl.json',
    'database.json',
    'fleet.json',
    'upstreams.json',
  ])
  const asTheChartSeesThem = await readdir(new URL('../../charts/seo-suite/dashboards', import.meta.url))
  expect(asTheChartSeesThem.toSorted()).toEqual(there.toSorted())
})

describe.each(files.map(({ path, text }) => [path.pathname.split('/').at(-1)!, { path, text }] as const))(
  '%s',
  (_, { path, text }) => {
    const dashboard = JSON.parse(text) as Dashboard
    const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

    test('is what its source says (to update it: node charts/source/build.ts)', async () => {
      expect(await readFile(path, 'utf8')).toBe(text)
    })

    test('asks in PromQL, within the chosen namespaces', () => {
      expect(queries.length).toBeGreaterThan(5)
      for (const query of queries)
        for (const { metric, labels } of selected(query))
          expect(labels, `${metric} in ${query}`).toContain('namespace')
    })

    test('uses no variable that it does not have', () => {
      const known = new Set([
        ...dashboard.templating.list.map(({ name }) => name),
        '__rate_interval',
        '__all',
      ])
      const used = [...text.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name)
      expect(used.filter((name) => !known.has(name!))).toEqual([])
    })

    test('has room for each panel', () => {
      expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
      const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
      )
      expect(new Set(cells).size).toBe(cells.length)
      expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24)
    })
  },
)
