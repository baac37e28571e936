import { setTimeout as sleep } from 'node:timers/promises'

import { Pool } from 'pg'

import { config } from '../config.ts'
import { openPool } from '../sql/pool.ts'
import { log } from '../telemetry.ts'

const START_PATIENCE_MS = 60_000
const RETRY_MS = 1000
/** More would only wait for each other inside PostgreSQL. */
const BUSY_CONNECTIONS = 10

/** Opens our pool; at start PostgreSQL may still be on its way. */
export async function openDatabase(): Promise<string> {
  const url = config.DATABASE_URL
  if (!url) {
    log.fatal('DATABASE_URL: is required')
    process.exit(1)
  }
  const until = Date.now() + START_PATIENCE_MS
  for (;;) {
    try {
      await openPool({ url, size: config.DATABASE_POOL_SIZE })
      return url
    } catch (error) {
      if (Date.now() > until) throw error
      log.warn({ reason: (error as Error).message }, 'PostgreSQL does not answer; trying again')
      await sleep(RETRY_MS)
    }
  }
}

/** The queue's own pool, for graphile-worker takes no other kind. Each runner keeps one connection to listen. */
export function openQueuePool(url: string, runners: number, concurrency: number): Pool {
  const pool = new Pool({
    connectionString: url,
    max: runners + Math.min(concurrency, BUSY_CONNECTIONS) + 1,
    application_name: 'worker',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    options: '-c statement_timeout=30000 -c idle_in_transaction_session_timeout=30000',
  })
  // Without these, a connection that breaks ends the process.
  pool.on('error', (error) => log.warn({ err: error }, 'queue connection lost while idle'))
  pool.on('connect', (client) => {
    client.on('error', (error) => log.warn({ err: error }, 'queue connection lost'))
  })
  return pool
}
