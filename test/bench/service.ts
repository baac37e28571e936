import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createAccount, setPlan } from '../../sql/accounts.ts'
import { startEmbedded } from '../../sql/embedded.ts'
import { makeKey } from '../../sql/keys.ts'
import { migrate } from '../../sql/migrate.ts'
import { closePool, openPool } from '../../sql/pool.ts'
import { startService } from '../support/service.ts'
import { meter } from './meter.ts'

const SEED_MS = 600_000

/** The service as it is run: PostgreSQL with its ordinary durability, one API process, one worker. */
export async function startMeasured({
  env = {},
  maxPages,
  settings = {},
  seed,
}: {
  env?: Record<string, string>
  maxPages?: number
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
    env: { DATABASE_POOL_SIZE: '10', LOG_LEVEL: 'error', ...env },
  })
  const postgresPid = Number(
    (await readFile(join(home, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0],
  )
  const pidOf = (kind: string) => service.members.find((member) => member.kind === kind)?.pid ?? 0

  return {
    origin: service.origin,
    key,
    /** What each process uses from now until the function that this returns is called. */
    measure() {
      const worker = meter(pidOf('worker'))
      const api = meter(pidOf('web'))
      const database = meter(postgresPid)
      return () => ({ worker: worker.read(), api: api.read(), postgres: database.read() })
    },
    /** Seconds that jobs ran so far, by name. */
    async jobSeconds(): Promise<Record<string, number>> {
      const worker = service.members.find(({ kind }) => kind === 'worker')
      const text = await (await fetch(`${worker?.origin}/metrics`)).text()
      const sums = text.matchAll(/^\w*job_duration_seconds_sum\{[^}]*task="([^"]+)"[^}]*\} (\S+)$/gm)
      return Object.fromEntries([...sums].map(([, job, sum]) => [job, Number(sum)]))
    },
    async stop() {
      await service.stop()
      await postgres.stop()
      await rm(home, { recursive: true, force: true })
    },
  }
}
