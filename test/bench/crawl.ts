import { startHelper } from './crawl/messages.ts'
import { startOurs } from './crawl/ours.ts'
import { type Crawled, type Peer, peersOf } from './crawl/peers.ts'
import { numbersOf } from './options.ts'
import { openDocumentations, type Site } from './sites.ts'
import { machine, median, table } from './table.ts'

type Ours = Awaited<ReturnType<Awaited<ReturnType<typeof startOurs>>['crawl']>>
type Round = { ours: Ours; peers: Map<string, Crawled> }

const MAX_PAGES = 10_000
/** Some pages nothing links to; who sees fewer than this share has not gone through the site. */
const SEEN = 0.98

/**
 * This service and its peers go through the same sites in turn: real documentation where it is installed, and a generated
 * site on which the audit has to be exact. Ours runs all checks, stores everything in PostgreSQL and is driven over HTTP;
 * Crawlee extracts title, description, h1 and links, and stores in memory. Processes live through all rounds; nobody
 * waits between pages.
 */
export async function benchCrawl(given: string[]) {
  const size = { pages: 2000, kilobytes: 14, links: 20 }
  const { rounds, concurrency, peers, ...generated } = numbersOf(given, {
    ...size,
    rounds: 3,
    concurrency: 16,
    peers: 1,
  })
  const sites = [...(await openDocumentations()), await openGenerated(generated)]
  const all = peers ? peersOf(concurrency) : []
  const ours = await startOurs({ concurrency, maxPages: MAX_PAGES })
  try {
    for (const site of sites) {
      const results: Round[] = []
      for (let round = 1; round <= rounds; round++) {
        process.stderr.write(`${site.name}: round ${round} of ${rounds}\n`)
        results.push(
          await compete(
            site,
            ours,
            all.filter(({ isHere }) => isHere),
          ),
        )
      }
      process.stdout.write(`${report(site, results, concurrency)}\n`)
    }
    for (const { name } of all.filter(({ isHere }) => !isHere))
      process.stdout.write(`${name} was left out: it is not installed.\n`)
  } finally {
    await Promise.all([ours, ...all, ...sites].map(async (each) => each.stop?.()))
  }
}

type Checked = Site & { verify?: (crawl: Ours) => void }

async function openGenerated(size: { pages: number; kilobytes: number; links: number }): Promise<Checked> {
  const helper = startHelper('site-process.ts')
  const { origin, expected } = await helper.ask<{ origin: string; expected: Record<string, number> }>({
    size: { ...size, seed: 1 },
  })
  return {
    name: `Generated site, about ${size.kilobytes} kB a page`,
    origin,
    start: `${origin}/`,
    pages: size.pages,
    /** A fast crawl that is wrong is no result. */
    verify({ issues }) {
      for (const [code, count] of Object.entries(expected)) {
        const found = issues.issues.find((issue) => issue.code === code)?.pages ?? 0
        if (found !== count) throw new Error(`${code} was found on ${found} pages, and is on ${count}`)
      }
    },
    stop: () => helper.stop(),
  }
}

async function compete(
  site: Checked,
  ours: Awaited<ReturnType<typeof startOurs>>,
  peers: readonly Peer[],
): Promise<Round> {
  const mine = await ours.crawl(site.start)
  if (mine.status !== 'completed' || mine.pages < site.pages * SEEN)
    throw new Error(`the crawl is ${mine.status} with ${mine.pages} of ${site.pages} pages`)
  site.verify?.(mine)
  const theirs = new Map<string, Crawled>()
  for (const peer of peers) {
    const crawled = await peer.crawl(site.start)
    if ((crawled.pages ?? site.pages) < site.pages * SEEN)
      process.stderr.write(`${peer.name} saw ${crawled.pages} of ${site.pages} pages\n`)
    else theirs.set(peer.name, crawled)
  }
  return { ours: mine, peers: theirs }
}

function report({ name, pages }: Site, rounds: Round[], concurrency: number): string {
  const names = [...rounds[0]!.peers.keys()].filter((peer) => rounds.every(({ peers }) => peers.has(peer)))
  const row = (title: string, mine: (ours: Ours) => number, theirs?: (peer: Crawled) => number) => [
    title,
    median(rounds.map(({ ours }) => mine(ours))),
    ...names.map((peer) =>
      theirs ? median(rounds.map(({ peers }) => theirs(peers.get(peer)!))) : Number.NaN,
    ),
  ]
  const speed = row(
    'pages/s',
    ({ seconds }) => pages / seconds,
    ({ seconds }) => pages / seconds,
  )
  const rows = [
    speed,
    [
      'seo-suite is so many times as fast',
      1,
      ...speed.slice(2).map((other) => Number(speed[1]) / Number(other)),
    ],
    row(
      'CPU ms/page, crawling process',
      ({ worker }) => worker.cpuMs / pages,
      ({ cpuMs }) => cpuMs / pages,
    ),
    row('CPU ms/page, API', ({ api }) => api.cpuMs / pages),
    row('CPU ms/page, PostgreSQL', ({ postgres }) => postgres.cpuMs / pages),
    row(
      'peak MB, crawling process',
      ({ worker }) => worker.peakMb,
      ({ peakMb }) => peakMb,
    ),
  ]
  return [
    `\n${name}: ${pages} pages, ${concurrency} requests in flight (wget: 1), medians of ${rounds.length} rounds`,
    machine(),
    '',
    table(['', 'seo-suite', ...names], rows),
  ].join('\n')
}
