import { config } from '../config.ts'
import { closePool } from '../sql/pool.ts'
import { publishPools } from '../sql/queue.ts'
import { jobs } from '../tasks/jobs.ts'
import { log, serveMetrics, stopTracing } from '../telemetry.ts'
import { openDatabase } from './database.ts'
import { startGauges } from './gauges.ts'
import { endWith, within } from './lifecycle.ts'
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
  undo.push(stopTracing, closePool)
  const pools = Object.entries(jobs).map(([task, { pool }]) => ({ task, pool }))
  await publishPools(pools)
  const gauges = startGauges(pools)
  undo.push(startReaper(), gauges.stop, startTicking(schedule))
  const server = serveMetrics(config.METRICS_PORT, {
    live: async () => gauges.ailment(),
    ready: async () => (ready ? undefined : 'not serving'),
  })
  undo.push(() => server?.close())
  ready = true
  log.info('clock ready')
} catch (error) {
  fail(error, 'the clock could not start')
}
