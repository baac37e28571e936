import { startHelper } from './crawl/messages.ts'
import { startOurs } from './crawl/ours.ts'
import { meter, type Used } from './meter.ts'
import { numbersOf } from './options.ts'
import { machine, median, table } from './table.ts'

type Round = {
  ours: { seconds: number; fetchSeconds: number; worker: Used; api: Used; postgres: Used }
  crawlee: { seconds: number; fetchSeconds: number; process: Used }
}

/**
 * This service and Crawlee's CheerioCrawler on the same generated site, in turn. Ours runs all checks, stores everything in
 * PostgreSQL and is driven over HTTP; Crawlee extracts title, description, h1 and links, and stores in memory. Every process
 * lives through all rounds; nobody waits between pages.
 */
export async function benchCrawl(given: string[]) {
  const { pages, rounds, concurrency, kilobytes, links } = numbersOf(given, {
    pages: 2000,
    rounds: 3,
    concurrency: 16,
    kilobytes: 14,
    links: 20,
  })

  const site = startHelper('site-process.ts')
  const crawlee = startHelper('crawlee-process.ts')
  const ours = await startOurs({ concurrency, maxPages: Math.min(10_000, pages + 100) })
  try {
    const { origin, expected } = await site.ask<{ origin: string; expected: Record<string, number> }>({
      size: { pages, kilobytes, links, seed: 1 },
    })
    const results: Round[] = []
    for (let round = 1; round <= rounds; round++) {
      process.stderr.write(`round ${round} of ${rounds}\n`)
      const mine = await ours.crawl(origin)
      const { seconds: fetchSeconds } = await site.ask<{ seconds: number }>({})
      verify(mine, pages, expected)

      const used = meter(crawlee.pid)
      const theirs = await crawlee.ask<{ pages: number; seconds: number }>({ origin, concurrency })
      const { seconds: theirFetchSeconds } = await site.ask<{ seconds: number }>({})
      if (theirs.pages !== pages) throw new Error(`Crawlee saw ${theirs.pages} of ${pages} pages`)
      results.push({
        ours: { ...mine, fetchSeconds },
        crawlee: { seconds: theirs.seconds, fetchSeconds: theirFetchSeconds, process: used.read() },
      })
    }
    process.stdout.write(`${report(results, { pages, concurrency, kilobytes })}\n`)
  } finally {
    await Promise.all([site.stop(), crawlee.stop(), ours.stop()])
  }
}

/** A fast crawl that is wrong is no result. */
function verify(
  crawl: { pages: number; status: string; issues: { issues: { code: string; pages: number }[] } },
  pages: number,
  expected: Record<string, number>,
) {
  if (crawl.status !== 'completed' || crawl.pages !== pages)
    throw new Error(`the crawl is ${crawl.status} with ${crawl.pages} of ${pages} pages`)
  for (const [code, count] of Object.entries(expected)) {
    const found = crawl.issues.issues.find((issue) => issue.code === code)?.pages ?? 0
    if (found !== count) throw new Error(`${code} was found on ${found} pages, and is on ${count}`)
  }
}

const row = (name: string, mine: number, other = Number.NaN) => [name, mine, other, mine / other]

function report(rounds: Round[], { pages, concurrency, kilobytes }: Record<string, number>): string {
  const of = (pick: (round: Round) => number) => median(rounds.map(pick))
  const perSecond = of(({ ours }) => pages! / ours.seconds)
  const theirs = of(({ crawlee }) => pages! / crawlee.seconds)
  const cpu = (pick: (round: Round) => Used) => of((round) => pick(round).cpuMs / pages!)
  const rows = [
    row('pages/s, creation to completed', perSecond, theirs),
    row(
      'pages/s, first to last request',
      of(({ ours }) => pages! / ours.fetchSeconds),
      of(({ crawlee }) => pages! / crawlee.fetchSeconds),
    ),
    row(
      'CPU ms/page, crawling process',
      cpu(({ ours }) => ours.worker),
      cpu(({ crawlee }) => crawlee.process),
    ),
    row(
      'CPU ms/page, API',
      cpu(({ ours }) => ours.api),
    ),
    row(
      'CPU ms/page, PostgreSQL',
      cpu(({ ours }) => ours.postgres),
    ),
    row(
      'peak MB, crawling process',
      of(({ ours }) => ours.worker.peakMb),
      of(({ crawlee }) => crawlee.process.peakMb),
    ),
    row(
      'peak MB, API',
      of(({ ours }) => ours.api.peakMb),
    ),
  ]
  return [
    `\nCrawl of ${pages} pages of about ${kilobytes} kB, ${concurrency} requests in flight, medians of ${rounds.length} rounds`,
    machine(),
    '',
    table(['', 'seo-suite', 'Crawlee', 'ratio'], rows),
    '',
    `seo-suite crawls ${(perSecond / theirs).toFixed(2)} times as many pages a second as Crawlee's CheerioCrawler.`,
  ].join('\n')
}
