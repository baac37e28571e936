import { startHelper } from './crawl/messages.ts'
import { numbersOf } from './options.ts'
import { isInstalled } from './scrape/command.ts'
import { startOurs } from './scrape/ours.ts'
import { type Mirrored, mirrorBy, type Peer, peersOf } from './scrape/peers.ts'
import { machine, median, table } from './table.ts'

type Ours = Awaited<ReturnType<Awaited<ReturnType<typeof startOurs>>['scrape']>>
type Round = { ours: Ours; peers: Map<string, Mirrored> }

/** The size of the large site's files. */
const LARGE_FILE_BYTES = 4_000_000

/**
 * This service and its peers mirror the same generated site into a ZIP, in turn, with as many requests in flight where
 * they let one say so. Then this service alone, begun anew, mirrors a site of a gigabyte, for its memory.
 */
export async function benchScrape(given: string[]) {
  const { pages, rounds, concurrency, kilobytes, links, gigabytes } = numbersOf(given, {
    pages: 2000,
    rounds: 3,
    concurrency: 8,
    kilobytes: 14,
    links: 20,
    gigabytes: 1,
  })

  const site = startHelper('../scrape/site-process.ts')
  const all = peersOf(concurrency)
  const peers = isInstalled('zip') ? all.filter(({ isHere }) => isHere) : []
  let ours = await startOurs({ concurrency })
  try {
    const { origin } = await site.ask<{ origin: string }>({ size: { pages, kilobytes, links, seed: 1 } })
    const results: Round[] = []
    for (let round = 1; round <= rounds; round++) {
      process.stderr.write(`round ${round} of ${rounds}\n`)
      results.push(await compete(origin, pages, ours, peers))
    }
    await ours.stop()
    ours = await startOurs({ concurrency })
    const files = Math.round((gigabytes * 1e9) / LARGE_FILE_BYTES)
    const large = await ours.scrape(`${origin}/big?files=${files}&bytes=${LARGE_FILE_BYTES}`)
    process.stdout.write(`${report(results, { pages, concurrency, kilobytes, gigabytes }, large)}\n`)
    for (const { name } of all)
      if (!peers.some((peer) => peer.name === name))
        process.stdout.write(`${name} was left out: it, or zip, is not installed.\n`)
  } finally {
    await Promise.all([site.stop(), ours.stop(), ...all.map((peer) => peer.stop?.())])
  }
}

async function compete(
  origin: string,
  pages: number,
  ours: Awaited<ReturnType<typeof startOurs>>,
  peers: Peer[],
): Promise<Round> {
  const mine = await ours.scrape(`${origin}/`)
  if (mine.pages !== pages) throw new Error(`this service saved ${mine.pages} of ${pages} pages`)
  const theirs = new Map<string, Mirrored>()
  for (const peer of peers) {
    const mirrored = await mirrorBy(peer, origin)
    // The front page has another name.
    if (mirrored.pages < pages - 1) throw new Error(`${peer.name} saved ${mirrored.pages} of ${pages} pages`)
    theirs.set(peer.name, mirrored)
  }
  return { ours: mine, peers: theirs }
}

function report(rounds: Round[], size: Record<string, number>, large: Ours): string {
  const { pages = 0, concurrency, kilobytes, gigabytes } = size
  const names = [...rounds[0]!.peers.keys()]
  const row = (title: string, mine: (ours: Ours) => number, theirs?: (peer: Mirrored) => number) => [
    title,
    median(rounds.map(({ ours }) => mine(ours))),
    ...names.map((name) =>
      theirs ? median(rounds.map(({ peers }) => theirs(peers.get(name)!))) : Number.NaN,
    ),
  ]
  const perSecond = row(
    'pages/s, until the ZIP is there',
    ({ seconds }) => pages / seconds,
    ({ seconds }) => pages / seconds,
  )
  const rows = [
    perSecond,
    row(
      'CPU ms/page, mirroring and zipping',
      ({ worker }) => worker.cpuMs / pages,
      ({ cpuMs }) => cpuMs / pages,
    ),
    row('CPU ms/page, API', ({ api }) => api.cpuMs / pages),
    row('CPU ms/page, PostgreSQL', ({ postgres }) => postgres.cpuMs / pages),
    row(
      'peak MB, largest process',
      ({ worker }) => worker.peakMb,
      ({ peakMb }) => peakMb,
    ),
    row(
      'MB of ZIP',
      ({ zipBytes }) => zipBytes / 1e6,
      ({ zipBytes }) => zipBytes / 1e6,
    ),
  ]
  return [
    `\nMirror of ${pages} pages of about ${kilobytes} kB, ${concurrency} requests in flight (wget: 1), medians of ${rounds.length} rounds`,
    machine(),
    '',
    table(['', 'seo-suite', ...names], rows),
    '',
    ...names.map(
      (name, at) =>
        `seo-suite: ${(Number(perSecond[1]) / Number(perSecond[at + 2])).toFixed(2)} times the pages a second of ${name}.`,
    ),
    `A site of ${gigabytes} GB: ${large.seconds.toFixed(1)} s, at most ${large.worker.peakMb.toFixed(0)} MB in the worker.`,
  ].join('\n')
}
