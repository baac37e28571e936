import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { Logger, runMigrations } from 'graphile-worker'
import { runner } from 'node-pg-migrate'
import { Client } from 'pg'

import { config } from '../config.ts'
import { log } from '../telemetry.ts'

/** Brings a database to this version: our tables, then the queue's. Safe when several processes start at once. */
export async function migrate(url: string) {
  const client = new Client({ connectionString: url, application_name: 'migrate' })
  await client.connect().catch((cause: NodeJS.ErrnoException) => {
    // A host with several addresses fails with an error for each, and no message for all.
    const reason = cause.message || cause.code
    throw new Error(`PostgreSQL at ${new URL(url).host} cannot be used: ${reason}`, { cause })
  })
  try {
    const applied = await runner({
      dbClient: client,
      dir: join(import.meta.dirname, 'migrations'),
      migrationsTable: 'migrations',
      direction: 'up',
      checkOrder: true,
      advisoryLockMode: 'wait',
      logger: { ...quiet, error: (message: string) => log.error(message) },
    })
    for (const { name } of applied) log.info({ migration: name }, 'migrated')
    await runMigrations({ connectionString: url, maxPoolSize: 2, logger: new Logger(() => () => {}) })
    await tuneQueue(client)
    await client.query(await readFile(join(import.meta.dirname, 'grants.sql'), 'utf8'))
    await client.query(
      `insert into settings (name, value) values ('api_enabled', to_jsonb($1::boolean)) on conflict do nothing`,
      [config.API_ENABLED],
    )
  } finally {
    await client.end()
  }
}

const quiet = { debug() {}, info() {}, warn() {} }

/** The jobs table is all churn: three row versions a job. It is graphile-worker's own, so a refusal is no fault. */
async function tuneQueue(client: Client) {
  const wanted = {
    autovacuum_vacuum_scale_factor: '0',
    autovacuum_vacuum_threshold: '2000',
    autovacuum_vacuum_cost_delay: '0',
    autovacuum_vacuum_insert_scale_factor: '0',
    autovacuum_vacuum_insert_threshold: '20000',
    vacuum_truncate: 'off',
  }
  const options = Object.entries(wanted).map(([name, value]) => `${name}=${value}`)
  try {
    const { rows } = await client.query<{ reloptions: string[] | null }>(
      `select reloptions from pg_class where oid = 'graphile_worker._private_jobs'::regclass`,
    )
    // Setting them takes a lock that waits for running workers; once is enough.
    if (options.every((option) => rows[0]?.reloptions?.includes(option))) return
    await client.query(`alter table graphile_worker._private_jobs set (${options.join(', ')})`)
  } catch (error) {
    log.warn({ err: error }, 'the job table keeps its own vacuum settings')
  }
}

if (import.meta.main) {
  try {
    if (!config.DATABASE_URL)
      throw new Error('DATABASE_URL is not set; npm start migrates the embedded database by itself')
    await migrate(config.DATABASE_URL)
  } catch (error) {
    log.debug({ err: error }, 'migration failed')
    process.stderr.write(`migrate: ${(error as Error).message}\n`)
    process.exit(1)
  }
}
