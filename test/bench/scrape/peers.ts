import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startHelper } from '../crawl/messages.ts'
import { meter, type Used } from '../meter.ts'
import { isInstalled, run } from './command.ts'

export type Mirrored = Used & { seconds: number; pages: number; zipBytes: number }

export type Peer = {
  name: string
  /** Whether it can be run here. */
  isHere: boolean
  /** Mirrors a site into a directory. */
  mirror: (origin: string, directory: string) => Promise<Used>
  stop?: () => Promise<void>
}

export function peersOf(concurrency: number): Peer[] {
  const scraper = startHelper('../scrape/website-scraper-process.ts')
  return [
    {
      // It has no concurrency to set. 8 = some links are broken, which it calls an error.
      name: 'wget',
      isHere: isInstalled('wget'),
      mirror: (origin, directory) =>
        run('wget', ['-q', '--mirror', '-k', '-E', '-p', '-e', 'robots=off', `${origin}/`], directory),
    },
    {
      // Without `-%! -A0 -%c0` it limits itself to a few files a second.
      name: 'HTTrack',
      isHere: isInstalled('httrack'),
      mirror: (origin, directory) =>
        run(
          'httrack',
          [`${origin}/`, '-O', '.', '-%!', '-A0', '-%c0', `-c${concurrency}`, '-s0', '-q', '-I0'],
          directory,
        ),
    },
    {
      name: 'website-scraper',
      isHere: true,
      async mirror(origin, directory) {
        const used = meter(scraper.pid)
        await scraper.ask({ origin, directory: join(directory, 'site'), concurrency })
        return used.read()
      },
      stop: () => scraper.stop(),
    },
  ]
}

/** One mirror by a peer, and the ZIP of it by `zip`, in which all are alike. */
export async function mirrorBy(peer: Peer, origin: string): Promise<Mirrored> {
  const directory = await mkdtemp(join(tmpdir(), 'seo-suite-bench-peer-'))
  try {
    const started = performance.now()
    const mirror = await peer.mirror(origin, directory)
    const files = await readdir(directory, { recursive: true })
    const zip = await run('zip', ['-q', '-r', 'site.zip', '.', '-x', 'hts-cache/*'], directory)
    const seconds = (performance.now() - started) / 1000
    return {
      seconds,
      pages: files.filter((name) => /page-\d+\.html$/.test(name)).length,
      zipBytes: (await stat(join(directory, 'site.zip'))).size,
      cpuMs: mirror.cpuMs + zip.cpuMs,
      peakMb: Math.max(mirror.peakMb, zip.peakMb),
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
