import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createAccount, setPlan } from '../../sql/accounts.ts'
import { startEmbedded } from '../../sql/embedded.ts'
import { makeKey } from '../../sql/keys.ts'
import { migrate } from '../../sql/migrate.ts'
import { closePool, openPool } from '../../sql/pool.ts'
import { startService } from '../support/service.ts'
import { meter, type Used } from './meter.ts'

const SEED_MS = 600_000

/** The service as it is run: PostgreSQL with its ordinary durability, one API process, one worker or more. */
export async function startMeasured({
  env = {},
  maxPages,
  workers = 1,
  settings = {},
  seed,
}: {
  env?: Record<string, string>
  maxPages?: number
  workers?: number
  /** Of PostgreSQL. */
  settings?: Record<string, string>
  /** Fills the database before the service starts; the account is an administrator, whom no rate limit stops. */
  seed?: (userId: number) => Promise<void>
}) {
  const home = await mkdtemp(join(tmpdir(), 'seo-suite-bench-'))
  const postgres = await startEmbedded(home, { settings })
  await migrate(postgres.url)
  await openPool({ url: postgres.url, size: 2, statementTimeout: SEED_MS })
  const key = makeKey()
  await setPlan('bench', { maxPages })
  const { id } = await createAccount({ email: 'bench@example.test', key, type: 1, plan: 'bench' })
  await seed?.(id)
  await closePool()
  const service = await startService({
    url: postgres.url,
    workers,
    env: { DATABASE_POOL_SIZE: '10', LOG_LEVEL: 'error', ...env },
  })
  const postgresPid = Number(
    (await readFile(join(home, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0],
  )
  const pidOf = (kind: string) => service.members.find((member) => member.kind === kind)?.pid ?? 0
  const workersOf = () => service.members.filter(({ kind }) => kind === 'worker')

  /** Of all workers, what a metric says by job. */
  async function sums(line: RegExp): Promise<Record<string, number>> {
    const texts = await Promise.all(workersOf().map(async ({ metrics }) => (await fetch(metrics)).text()))
    const found: Record<string, number> = {}
    for (const [, job = '', sum] of texts.flatMap((text) => [...text.matchAll(line)]))
      found[job] = (found[job] ?? 0) + Number(sum)
    return found
  }

  return {
    origin: service.origin,
    url: postgres.url,
    key,
    pidOf,
    /** What each process uses from now until the function that this returns is called. */
    measure() {
      const crew = workersOf().map(({ pid }) => meter(pid))
      const api = meter(pidOf('web'))
      const database = meter(postgresPid)
      return () => ({
        worker: total(crew.map((each) => each.read())),
        api: api.read(),
        postgres: database.read(),
      })
    },
    /** Seconds that jobs ran so far, by name. */
    jobSeconds: () => sums(/^\w*job_duration_seconds_sum\{[^}]*task="([^"]+)"[^}]*\} (\S+)$/gm),
    /** Jobs that ended so far. */
    async jobsDone() {
      const counts = await sums(/^seo_jobs_total\{[^}]*task="([^"]+)"[^}]*\} (\S+)$/gm)
      return Object.values(counts).reduce((sum, count) => sum + count, 0)
    },
    async stop() {
      await service.stop()
      await postgres.stop()
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** The work of all, the memory of the largest. */
const total = (used: Used[]): Used => ({
  cpuMs: used.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
  peakMb: Math.max(...used.map(({ peakMb }) => peakMb)),
})
