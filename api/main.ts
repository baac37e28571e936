import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

import { config, host } from '../config.ts'
import { closePool, openPool } from '../sql/pool.ts'
import { endWaiting } from '../tasks/jobs.ts'
import { log, serveMetrics, stopTracing } from '../telemetry.ts'
import { app } from './app.ts'
import { readiness } from './health.ts'

const STATEMENT_TIMEOUT_MS = 15_000
const DATABASE_RETRY_MS = 2000
/** A sender that is slower than this is cut off, so that idle half-requests cannot pile up. */
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 60_000
/** Longer than load balancers keep a connection, or they send a request into one that we are closing. */
const KEEP_ALIVE_MS = 65_000
const SWEEP_MS = 100
/** Before the grace time is over, those who wait for workers are answered: a proper answer beats a broken connection. */
const LAST_ANSWERS_MS = 1000
/** A statement that still runs is not waited for. */
const POOL_CLOSE_MS = 1000

let draining = false
const ready = readiness(() => draining)
const server = createServer(
  {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 2000,
  },
  app({ draining: () => draining }),
)

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
// Whoever started us is gone.
process.on('disconnect', () => void stop('disconnect'))
process.on('uncaughtException', (error) => quit(error, 'the API stops on an unexpected error'))

if (!config.DATABASE_URL) quit(undefined, 'DATABASE_URL: is required')
else if (!config.SECRET_KEY) quit(undefined, 'SECRET_KEY: is required')
else {
  serveMetrics(config.METRICS_PORT, { live: async () => undefined, ready })
  await connect(config.DATABASE_URL)
  server.once('error', (error: NodeJS.ErrnoException) =>
    error.code === 'EADDRINUSE'
      ? quit(undefined, `port ${config.PORT} of ${host} is already in use`)
      : quit(error, 'the API cannot listen'),
  )
  server.listen(config.PORT, host, () =>
    log.info({ host, port: portOf(server.address()) }, 'the API listens'),
  )
}

/** Waits for PostgreSQL for as long as it takes. */
async function connect(url: string) {
  for (;;) {
    try {
      await openPool({ url, size: config.DATABASE_POOL_SIZE, statementTimeout: STATEMENT_TIMEOUT_MS })
      return
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'PostgreSQL does not answer; trying again')
      await sleep(DATABASE_RETRY_MS)
    }
  }
}

/** Answers what is in hand, accepts no more, and ends. */
async function stop(reason: string) {
  if (draining) return
  draining = true
  log.info({ reason }, 'the API stops')
  const closed = new Promise((resolve) => server.close(resolve))
  // Connections that were busy when the server closed stay open after their answer.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
  const graceMs = config.SHUTDOWN_GRACE_SECONDS * 1000
  const hurry = setTimeout(endWaiting, graceMs - LAST_ANSWERS_MS)
  const late = sleep(graceMs, 'late', { ref: false })
  if ((await Promise.race([closed, late])) === 'late') log.warn('requests were cut off')
  clearTimeout(hurry)
  clearInterval(sweep)
  server.closeAllConnections()
  await Promise.race([closePool(), sleep(POOL_CLOSE_MS)])
  await stopTracing()
  process.exit(0)
}

function quit(error: unknown, message: string) {
  log.fatal(error ? { err: error } : {}, message)
  process.exit(1)
}

function portOf(address: ReturnType<typeof server.address>) {
  return typeof address === 'object' ? address?.port : address
}
