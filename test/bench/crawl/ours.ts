import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createAccount, setPlan } from '../../../sql/accounts.ts'
import { startEmbedded } from '../../../sql/embedded.ts'
import { makeKey } from '../../../sql/keys.ts'
import { migrate } from '../../../sql/migrate.ts'
import { closePool, openPool } from '../../../sql/pool.ts'
import { clientOf } from '../../support/client.ts'
import { startService } from '../../support/service.ts'
import { meter } from '../meter.ts'

const POLL_MS = 100
const CRAWL_MS = 600_000

type Options = {
  concurrency: number
  maxPages: number
  /** Of PostgreSQL. */
  settings?: Record<string, string>
}

/** The service as it is run: PostgreSQL with its ordinary durability, one API process, one worker. */
export async function startOurs({ concurrency, maxPages, settings = {} }: Options) {
  const home = await mkdtemp(join(tmpdir(), 'seo-suite-bench-'))
  const postgres = await startEmbedded(home, { settings })
  await migrate(postgres.url)
  await openPool({ url: postgres.url, size: 2 })
  const key = makeKey()
  await setPlan('bench', { maxPages })
  await createAccount({ email: 'bench@example.test', key, type: 1, plan: 'bench' })
  await closePool()
  const env = { SPIDER_CONCURRENCY: String(concurrency), DATABASE_POOL_SIZE: '10', LOG_LEVEL: 'error' }
  const service = await startService({ url: postgres.url, env })
  const client = clientOf(service.origin, key)
  const postgresPid = Number(
    (await readFile(join(home, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0],
  )
  const pidOf = (kind: string) => service.members.find((member) => member.kind === kind)?.pid ?? 0

  const worker = service.members.find(({ kind }) => kind === 'worker')!
  const jobSeconds = async (): Promise<Record<string, number>> => {
    const text = await (await fetch(`${worker.origin}/metrics`)).text()
    return Object.fromEntries(
      [...text.matchAll(/^\w*job_duration_seconds_sum\{[^}]*task="([^"]+)"[^}]*\} (\S+)$/gm)].map(
        ([, job, sum]) => [job, Number(sum)],
      ),
    )
  }

  return {
    /** One crawl: from its creation until it is completed. */
    async crawl(origin: string, more: Record<string, unknown> = {}) {
      const meters = {
        worker: meter(pidOf('worker')),
        api: meter(pidOf('web')),
        postgres: meter(postgresPid),
      }
      const started = performance.now()
      const body = { start_url: origin, max_pages: maxPages, max_depth: 50, speed: 'turbo', ...more }
      const before = await jobSeconds()
      const id = await client.begin(body)
      const scan = await client.ended(id, CRAWL_MS, POLL_MS)
      const seconds = (performance.now() - started) / 1000
      return {
        seconds,
        pages: scan.pages_processed,
        status: scan.status,
        issues: await client.issues(id),
        /** Seconds its jobs ran, by name. */
        jobs: Object.fromEntries(
          Object.entries(await jobSeconds()).map(([job, sum]) => [job, sum - (before[job] ?? 0)]),
        ),
        worker: meters.worker.read(),
        api: meters.api.read(),
        postgres: meters.postgres.read(),
      }
    },
    async stop() {
      await service.stop()
      await postgres.stop()
      await rm(home, { recursive: true, force: true })
    },
  }
}
