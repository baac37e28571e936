import { type Beating, heartbeatConnection } from '../sql/heartbeat.ts'
import { log } from '../telemetry.ts'

const BEAT_MS = 5000
/** Who could not beat for this long stops by itself, before the reaper gives its jobs to others after 30 s. */
const SILENT_MS = 20_000

/**
 * Keeps this worker's row alive. `onLost` is called once when it cannot be, or when the row is gone because the others
 * took this worker for dead: from then on its jobs are theirs.
 */
export function heartbeat(url: string, worker: () => Beating, onLost: (reason: string) => void) {
  const connection = heartbeatConnection(url)
  let last = performance.now()
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  /** Rejects when it cannot be written; the next one may. */
  async function beatNow() {
    const began = performance.now()
    if (!(await connection.beat(worker()))) return lose('this worker was taken for dead')
    last = began
  }

  // One after the other: after a pause of the whole process the row decides, not the clock.
  async function loop() {
    const began = performance.now()
    try {
      await beatNow()
    } catch (error) {
      log.warn({ err: error }, 'heartbeat failed')
      if (performance.now() - last > SILENT_MS) lose('no heartbeat could be written')
    }
    if (!stopped) timer = setTimeout(() => void loop(), Math.max(0, BEAT_MS - (performance.now() - began)))
  }

  function lose(reason: string) {
    if (!stopped) onLost(reason)
    stop()
  }

  function stop() {
    stopped = true
    clearTimeout(timer)
    connection.close()
  }

  return { beatNow, start: () => void loop(), stop, ageMs: () => performance.now() - last }
}
