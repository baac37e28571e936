import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

import autocannon from 'autocannon'

import { seed, type Seeded } from './api/seed.ts'
import { meter } from './meter.ts'
import { numbersOf } from './options.ts'
import { startMeasured } from './service.ts'
import { machine, median, table } from './table.ts'

const POOL_SIZE = 10
/** Of each kind of request, so that not always the same record is read. */
const ADDRESSES = 500

type Asked = { path: string; key: string }
type Measured = { perSecond: number; p50: number; p99: number; cpuMs: number }

/**
 * Reads by ordinary accounts, one API process, beside the least that answers the same record: Express and pg alone. Both
 * are asked in turn, in the same run.
 */
export async function benchApi(given: string[]) {
  const options = numbersOf(given, {
    accounts: 100,
    rankings: 1_000_000,
    pages: 1_000_000,
    connections: 32,
    seconds: 5,
    rounds: 3,
  })
  let seeded: Seeded | undefined
  const began = performance.now()
  const service = await startMeasured({
    maxPages: 10_000,
    env: { DATABASE_POOL_SIZE: String(POOL_SIZE) },
    seed: async () => void (seeded = await seed(options)),
  })
  const seedSeconds = (performance.now() - began) / 1000
  const bare = await startBare(service.url)
  try {
    const kinds = kindsOf(seeded!)
    const measured = new Map<string, Measured[]>()
    for (let round = 0; round < options.rounds; round++)
      for (const [name, ask] of kinds) {
        const target =
          name === BARE ? bare : { origin: `${service.origin}/api/seo`, pid: service.pidOf('web') }
        const asked = Array.from({ length: ADDRESSES }, ask)
        measured.set(name, [...(measured.get(name) ?? []), await load(target, asked, options)])
      }
    const of = (name: string, what: keyof Measured) => median(measured.get(name)!.map((each) => each[what]))
    process.stdout.write(
      [
        `\nReads: ${options.accounts} accounts, ${seeded!.rankings} positions, ${seeded!.pages} pages (seeded in ${seedSeconds.toFixed()} s), ${options.connections} connections, medians of ${options.rounds} rounds of ${options.seconds} s`,
        machine(),
        '',
        table(
          ['', 'requests/s', 'of bare', 'p50 ms', 'p99 ms', 'API CPU ms/request'],
          [...measured.keys()].map((name) => [
            name,
            of(name, 'perSecond'),
            `${Math.round((of(name, 'perSecond') / of(BARE, 'perSecond')) * 100)} %`,
            of(name, 'p50'),
            of(name, 'p99'),
            of(name, 'cpuMs'),
          ]),
        ),
        '',
      ].join('\n'),
    )
  } finally {
    bare.stop()
    await service.stop()
  }
}

const BARE = 'bare Express and pg, one keyword'

const any = (count: number) => 1 + Math.floor(Math.random() * count)

function kindsOf({ project, keyword, scan, page }: Seeded): [name: string, ask: () => Asked][] {
  const keywordAt = (rest: string) => () => {
    const id = any(keyword.count)
    return { path: `/keywords/${id}${rest}`, key: keyword.owner(id).key }
  }
  const scanAt = (rest: string) => () => {
    const id = any(scan.count)
    return { path: `/spider/${id}${rest}`, key: scan.owner(id).key }
  }
  return [
    [BARE, keywordAt('')],
    ['/keywords/{id}', keywordAt('')],
    ['/spider/{id}', scanAt('')],
    [
      '/spider/{id}/pages/{page}',
      () => {
        const id = any(page.count)
        const owner = page.scanOf(id)
        return { path: `/spider/${owner}/pages/${id}`, key: scan.owner(owner).key }
      },
    ],
    ['/keywords/{id}/history, 90 days', keywordAt('/history')],
    ['/projects, 25 of them', () => ({ path: '/projects', key: project.owner(any(project.count)).key })],
    ['/spider/{id}/pages, 25 of 1,000', scanAt('/pages')],
    ['/spider/{id}/issues', scanAt('/issues')],
  ]
}

async function load(
  { origin, pid }: { origin: string; pid: number },
  asked: readonly Asked[],
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Measured> {
  const { pathname } = new URL(origin)
  const used = meter(pid)
  const result = await autocannon({
    url: new URL(origin).origin,
    connections,
    duration: seconds,
    requests: asked.map(({ path, key }) => ({
      path: (pathname === '/' ? '' : pathname) + path,
      headers: { authorization: `Bearer ${key}` },
    })),
  })
  if (result.non2xx + result.errors > 0)
    throw new Error(`${asked[0]!.path}: ${result.non2xx} answers not 2xx, ${result.errors} errors`)
  return {
    perSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuMs: used.read().cpuMs / result.requests.total,
  }
}

async function startBare(url: string) {
  const child = fork(join(import.meta.dirname, 'api/bare-process.ts'), [url, String(POOL_SIZE)])
  const [port] = (await once(child, 'message')) as [number]
  return { origin: `http://127.0.0.1:${port}`, pid: child.pid!, stop: () => child.disconnect() }
}
