import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { meter, type Used } from '../meter.ts'
import { isInstalled, run } from '../scrape/command.ts'
import { startHelper } from './messages.ts'

/** One site gone through; `pages` is null where the peer does not say. */
export type Crawled = Used & { seconds: number; pages: number | null }

export type Peer = {
  name: string
  /** Whether it can be run here. */
  isHere: boolean
  crawl: (start: string) => Promise<Crawled>
  stop?: () => Promise<void>
}

/** What else goes through a site; none of them keeps more than links, titles or files. */
export function peersOf(concurrency: number): Peer[] {
  return [
    inNode('Crawlee', 'crawlee-process.ts', concurrency),
    inNode('linkinator', 'linkinator-process.ts', concurrency),
    {
      // Without `-%! -A0 -%c0` it limits itself to a few files a second.
      name: 'HTTrack',
      isHere: isInstalled('httrack'),
      crawl: (start) =>
        command('httrack', [start, '-O', '.', '-%!', '-A0', '-%c0', `-c${concurrency}`, '-s0', '-q', '-I0']),
    },
    {
      // Without the settings in the file it asks a host for ten pages a second.
      name: 'linkchecker',
      isHere: isInstalled('linkchecker'),
      crawl: (start) =>
        command('linkchecker', [
          '-f',
          join(import.meta.dirname, 'linkcheckerrc'),
          '--no-status',
          '-o',
          'none',
          '-t',
          String(concurrency),
          start,
        ]),
    },
    {
      // One request at a time: it cannot more.
      name: 'wget',
      isHere: isInstalled('wget'),
      crawl: (start) => command('wget', ['-q', '--mirror', '-k', '-E', '-np', '-e', 'robots=off', start]),
    },
  ]
}

function inNode(name: string, file: string, concurrency: number): Peer {
  const helper = startHelper(file)
  return {
    name,
    isHere: true,
    async crawl(start) {
      const used = meter(helper.pid)
      const { pages, seconds } = await helper.ask<{ pages: number; seconds: number }>({ start, concurrency })
      return { pages, seconds, ...used.read() }
    },
    stop: () => helper.stop(),
  }
}

async function command(name: string, args: string[]): Promise<Crawled> {
  const directory = await mkdtemp(join(tmpdir(), 'seo-suite-bench-peer-'))
  try {
    const started = performance.now()
    const used = await run(name, args, directory)
    const seconds = (performance.now() - started) / 1000
    const files = await readdir(directory, { recursive: true })
    const pages = files.filter((file) => file.endsWith('.html') && !file.includes('hts-cache')).length
    return { seconds, pages: pages || null, ...used }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
