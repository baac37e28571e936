import { setTimeout as sleep } from 'node:timers/promises'

import { log } from '../telemetry.ts'

/** How long jobs may end, and all the rest be closed, in a process that failed. */
const FAIL_MS = 2500
const FAIL_CLOSING_MS = 2500
/** After the grace time: closing browser, connections and traces. */
const CLOSING_MS = 5000

/** Ends this process because of what cannot be mended; somebody outside starts it again. */
export type Fail = (error: unknown, what: string) => void

/**
 * Ends the process in one of two ways: on a signal, or when the parent that spawned it has gone, `stop` has the grace
 * time and the code is 0; after a failure it has 5 s and the code is 1. A stop that hangs is cut short.
 */
export function endWith(stop: (patienceMs: number) => Promise<void>, graceSeconds: number): Fail {
  let ending = false

  async function end(code: number, patienceMs: number, closingMs: number) {
    if (ending) return
    ending = true
    setTimeout(() => {
      log.fatal('the process does not stop; leaving at once')
      process.exit(1)
    }, patienceMs + closingMs)
    try {
      await stop(patienceMs)
    } catch (error) {
      log.error({ err: error }, 'not stopped cleanly')
    }
    // graphile-worker sets a code of its own when its schema has moved on.
    process.exit(code || Number(process.exitCode ?? 0))
  }

  const fail: Fail = (error, what) => {
    log[ending ? 'warn' : 'fatal']({ err: error }, what)
    void end(1, FAIL_MS, FAIL_CLOSING_MS)
  }
  const leave = (why: string) => {
    log.info({ why }, 'stopping')
    void end(0, graceSeconds * 1000, CLOSING_MS)
  }
  process.on('SIGTERM', leave)
  process.on('SIGINT', leave)
  process.on('disconnect', () => leave('the parent process is gone'))
  process.on('unhandledRejection', (error) => fail(error, 'unhandled rejection'))
  process.on('uncaughtException', (error) => fail(error, 'uncaught exception'))
  return fail
}

/** Whether it was done in time. */
export async function within(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  const late = new AbortController()
  const done = work.then(
    () => true,
    (error: unknown) => {
      log.warn({ err: error }, 'while stopping')
      return true
    },
  )
  const out = sleep(milliseconds, false, { signal: late.signal }).catch(() => false)
  try {
    return await Promise.race([done, out])
  } finally {
    late.abort()
  }
}
