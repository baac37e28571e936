import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createAccount, setPlan } from '../../sql/accounts.ts'
import { startEmbedded } from '../../sql/embedded.ts'
import { makeKey } from '../../sql/keys.ts'
import { migrate } from '../../sql/migrate.ts'
import { closePool, openPool } from '../../sql/pool.ts'

/** A migrated PostgreSQL with its ordinary durability, and an administrator with a key, whom no rate limit stops. */
export async function startDatabase(
  plan: { maxPages?: number } = {},
  seed?: (userId: number) => Promise<void>,
) {
  const home = await mkdtemp(join(tmpdir(), 'seo-suite-bench-'))
  const postgres = await startEmbedded(home)
  await migrate(postgres.url)
  await openPool({ url: postgres.url, size: 2, statementTimeout: 600_000 })
  const key = makeKey()
  await setPlan('bench', plan)
  const { id } = await createAccount({ email: 'bench@example.test', key, type: 1, plan: 'bench' })
  await seed?.(id)
  await closePool()
  const [pid] = (await readFile(join(home, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')
  return {
    url: postgres.url,
    key,
    pid: Number(pid),
    async stop() {
      await postgres.stop()
      await rm(home, { recursive: true, force: true })
    },
  }
}
