import { parseArgs } from 'node:util'

import { startHelper } from './crawl/messages.ts'
import { startOurs } from './crawl/ours.ts'
import { machine, table } from './table.ts'

type Planted = { origin: string; pages: number; expected: Record<string, number> }

/** Addresses beside the ordinary pages, for each of these. */
const EXTRA = 0.11
const MOST_PAGES = 10_000

/**
 * A site with every fault that can be planted, some thousand of them, crawled and audited: whether exactly these are
 * found, how long that takes, and what memory. `--autovacuum off`: without any statistics of what was just stored.
 */
export async function benchAudit(given: string[]) {
  const options = { pages: '10000', rounds: '2', kilobytes: '14', links: '30', autovacuum: 'off' }
  const known = Object.fromEntries(Object.keys(options).map((name) => [name, { type: 'string' }] as const))
  const values = { ...options, ...parseArgs({ args: given, options: known }).values }
  const size = { kilobytes: Number(values.kilobytes), links: Number(values.links), seed: 1 }
  const pages = Math.floor(Math.min(MOST_PAGES, Number(values.pages)) / (1 + EXTRA))

  const site = startHelper('site-process.ts')
  const settings = { autovacuum: values.autovacuum }
  const ours = await startOurs({ concurrency: 16, maxPages: MOST_PAGES, settings })
  try {
    const planted = await site.ask<Planted>({ size: { ...size, pages }, faults: 'all' })
    const rows: (string | number)[][] = []
    for (let round = 1; round <= Number(values.rounds); round++) {
      const crawl = await ours.crawl(planted.origin, { use_sitemap: true })
      const { seconds: fetchSeconds } = await site.ask<{ seconds: number }>({})
      const { jobs } = crawl
      if (crawl.status !== 'completed' || crawl.pages !== planted.pages)
        throw new Error(`the crawl is ${crawl.status} with ${crawl.pages} of ${planted.pages} pages`)
      const found = Object.fromEntries(crawl.issues.issues.map(({ code, pages: on }) => [code, on]))
      rows.push([
        `round ${round}`,
        crawl.seconds,
        fetchSeconds,
        jobs['crawl.probe'] ?? 0,
        jobs['crawl.finish'] ?? Number.NaN,
        crawl.worker.peakMb,
        crawl.worker.cpuMs / crawl.pages,
        crawl.postgres.cpuMs / crawl.pages,
        ...exactness(found, planted.expected),
      ])
    }
    const sum = Object.values(planted.expected).reduce((all, count) => all + count, 0)
    const head = [
      '',
      's in all',
      's fetching',
      's probes',
      's finish',
      'peak MB',
      'CPU ms/page',
      'PG ms/page',
      'recall',
      'precision',
    ]
    process.stdout.write(
      `\nAudit of ${planted.pages} pages of about ${values.kilobytes} kB with ${sum} faults of ${Object.keys(planted.expected).length} kinds, ` +
        `autovacuum ${values.autovacuum}\n${machine()}\n\n${table(head, rows)}\n`,
    )
  } finally {
    await Promise.all([site.stop(), ours.stop()])
  }
}

/** The share of what is there that is found, and the share of what is found that is there. */
function exactness(found: Record<string, number>, expected: Record<string, number>): [string, string] {
  let [hits, there, all] = [0, 0, 0]
  for (const code of new Set([...Object.keys(found), ...Object.keys(expected)])) {
    const [is, should] = [found[code] ?? 0, expected[code] ?? 0]
    if (is !== should) {
      process.stderr.write(`${code} was found on ${is} pages, and is on ${should}\n`)
      process.exitCode = 1
    }
    hits += Math.min(is, should)
    there += should
    all += is
  }
  const percent = (share: number) => `${(Math.floor(share * 1000) / 10).toFixed(1)} %`
  return [percent(hits / there), percent(hits / all)]
}
