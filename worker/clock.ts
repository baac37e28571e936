import { config } from '../config.ts'
import { closePool } from '../sql/pool.ts'
import { log, serveMetrics, stopTracing } from '../telemetry.ts'
import { openDatabase } from './database.ts'
import { endWith, within } from './lifecycle.ts'
import { gaugeQueue } from './metrics.ts'
import { startReaper } from './reaper.ts'
import { schedule } from './schedule.ts'
import { startTicking } from './tick.ts'

const undo: (() => unknown)[] = []
let ready = false

const fail = endWith(async () => {
  ready = false
  for (const step of undo.toReversed()) await within(2000, (async () => step())())
  log.info('stopped')
}, config.SHUTDOWN_GRACE_SECONDS)

try {
  await openDatabase()
  undo.push(stopTracing, closePool, startReaper(), gaugeQueue(), startTicking(schedule))
  const server = serveMetrics(config.METRICS_PORT, {
    live: async () => undefined,
    ready: async () => (ready ? undefined : 'not serving'),
  })
  undo.push(() => server?.close())
  ready = true
  log.info('clock ready')
} catch (error) {
  fail(error, 'the clock could not start')
}
