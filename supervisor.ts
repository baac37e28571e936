import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

import { config } from './config.ts'
import { log } from './telemetry.ts'

const KILL_AFTER_MS = (config.SHUTDOWN_GRACE_SECONDS + 5) * 1000
const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000
const MOST_DEATHS = 5
const CALM_MS = 60_000 // deaths longer ago are forgotten

/** Something that runs; `ended` tells in words how it came to an end. */
export type Running = { ended: Promise<string>; stop: () => Promise<void> }

/** Something that is started again whenever it ends; `failed` rejects when that is no use. */
export type Kept = { failed: Promise<never>; stop: () => Promise<void> }

/** Starts a thing and starts it again, after a growing delay, whenever it ends. */
export function keep(name: string, start: () => Promise<Running>, first?: Running): Kept {
  const ending = new AbortController()
  let current = first
  const watch = async () => {
    for (let deaths: number[] = []; !ending.signal.aborted;) {
      const how = await attempt()
      if (ending.signal.aborted) return
      deaths = [...deaths.filter((time) => time > Date.now() - CALM_MS), Date.now()]
      if (deaths.length === MOST_DEATHS) throw new Error(`${name} cannot stay up: ${how}`)
      const delay = Math.min(FIRST_DELAY_MS * 2 ** (deaths.length - 1), LONGEST_DELAY_MS)
      log.warn({ process: name, reason: how, delay }, 'a process ended and is started again')
      await sleep(delay, undefined, { signal: ending.signal }).catch(() => {})
    }
  }
  const attempt = async () => {
    try {
      current ??= await start()
      if (ending.signal.aborted) await current.stop()
      return await current.ended
    } catch (error) {
      return (error as Error).message
    } finally {
      current = undefined
    }
  }
  const watched = watch()
  const failed = watched.then(() => new Promise<never>(() => {}))
  failed.catch(() => {})
  const stop = async () => {
    ending.abort()
    await current?.stop()
    await watched.catch(() => {})
  }
  return { failed, stop }
}

/**
 * In its own process group, so that a terminal's Ctrl-C comes once, from us. The channel tells it when we are gone.
 * Its stdout is our stderr: our own stdout has one line.
 */
export async function launch(
  [program, ...options]: string[],
  env: Record<string, string | undefined>,
): Promise<Running> {
  const child = spawn(program === 'node' ? process.execPath : program!, options, {
    cwd: import.meta.dirname,
    detached: true,
    env,
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    child.once('error', (error) => resolve(error.message))
  })
  const stop = async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS)
    await ended
    clearTimeout(timer)
  }
  return { ended, stop }
}
