import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { files } from '../../charts/source/build.ts'
import { startGraph, star } from '../fakes/graph.ts'
import { alertGroups } from '../support/chart.ts'
import { clientOf } from '../support/client.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { exposed, selected } from '../support/promql.ts'
import { type Member, type Service, startService, waitFor } from '../support/service.ts'
import { output, promtool } from '../support/tools.ts'

const TOOL_MS = 180_000
/** What Prometheus and the operator add to every series. */
const added = ['namespace', 'pod', 'instance', 'job', 'le']

const database = useDatabase()
const texts = new Map<Member['kind'], string>()
let service: Service

beforeAll(async () => {
  service = await startService({ url: database.url, clock: true })
  const site = await startGraph(star(4))
  try {
    const mario = clientOf(service.origin, (await makePerson('mario')).key)
    await mario.crawl({ start_url: `${site.origin}/` })
  } finally {
    await site.close()
  }
  for (const { kind, metrics } of service.members) {
    const scraped = await waitFor(async () => {
      const text = await (await fetch(metrics)).text()
      return (kind !== 'clock' || /seo_database_size_bytes \d/.test(text)) && text
    })
    texts.set(kind, scraped)
  }
})
afterAll(() => service?.stop())

const all = () => exposed([...texts.values()].join('\n'))
const only = (kind: Member['kind']) => exposed(texts.get(kind)!)

const queriesOf = (text: string) =>
  (JSON.parse(text) as { panels: { targets?: { expr: string }[] }[] }).panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr),
  )
const dashboards = files.map(({ path, text }) => ({
  name: path.pathname.split('/').at(-1)!,
  queries: queriesOf(text),
}))

describe('every metric is told by a running service', () => {
  test.each(dashboards)('of the dashboard $name', ({ queries }) => {
    expect(queries.flatMap(untold)).toEqual([])
  })

  test('of the alerts', async () => {
    const rules = (await alertGroups()).flatMap((group) => group.rules)
    expect(rules.flatMap(({ expr }) => untold(expr))).toEqual([])
  })

  /** What a query names that nobody tells. Labels of what has not happened yet are not known. */
  function untold(query: string): string[] {
    const metrics = all()
    return selected(query).flatMap(({ metric, labels }) => {
      const known = metrics.get(metric)
      if (known === undefined) return [metric]
      const there = [...known, ...added]
      return known.size === 0
        ? []
        : labels.filter((label) => !there.includes(label)).map((label) => `${metric}{${label}}`)
    })
  }
})

test('what is true of the whole fleet is told by the clock alone', () => {
  const fleetwide = (kind: Member['kind']) =>
    [...only(kind).keys()].filter((name) => /^seo_(queue|database)_/.test(name))
  expect(fleetwide('clock').length).toBeGreaterThan(8)
  expect(fleetwide('web')).toEqual([])
  expect(fleetwide('worker')).toEqual([])
  for (const pool of ['crawl', 'render', 'scrape', 'interactive', 'alerts', 'maintenance'])
    expect(texts.get('clock')).toMatch(
      new RegExp(`seo_queue_jobs\\{task="\\S+",pool="${pool}",state="ready"\\} \\d`),
    )
})

test('a crawl is counted', () => {
  expect(texts.get('worker')).toMatch(/seo_crawl_pages_total\{engine="http",status_class="2xx"\} 4\n/)
  expect(texts.get('worker')).toMatch(/seo_crawl_fetch_seconds_count\{engine="http"\} 4\n/)
  expect(texts.get('worker')).toMatch(/seo_jobs_total\{task="crawl.finish",outcome="success"\} 1\n/)
})

test('labels have few values: none names a user, a host or an address', () => {
  for (const text of texts.values())
    expect(text.replaceAll(/^nodejs_.*$/gm, '')).not.toMatch(/127\.0\.0\.1|mario|http:\/\//)
})

test.for(['web', 'worker', 'clock'] as const)(
  'promtool finds nothing wrong with those of %s',
  { timeout: TOOL_MS },
  async (kind, context) => {
    const { path, why } = await promtool()
    if (path === undefined) return context.skip(why)
    const { stderr } = await output(path, ['check', 'metrics'], texts.get(kind))
    expect(stderr.split('\n').filter((line) => line.startsWith('seo_'))).toEqual([])
    expect(stderr).not.toContain('error')
  },
)
