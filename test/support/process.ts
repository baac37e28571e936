import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { env as inherited } from 'node:process'

import { afterEach } from 'vitest'

const root = join(import.meta.dirname, '../..')
const running = new Set<ChildProcess>()

export type Spawned = {
  pid: number
  child: ChildProcess
  /** Everything it wrote to stderr so far. */
  log: () => string
  /** Resolves when a line of its log contains this; rejects when it ends before. */
  says: (text: string) => Promise<void>
  /** Its exit code, or the signal that ended it. */
  exited: Promise<number | string>
}

/** Kills, after each test, the processes it started. */
export function useProcesses() {
  afterEach(async () => {
    for (const child of running) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    running.clear()
  })

  return function start(script: string, env: Record<string, string>, { ipc = false } = {}): Spawned {
    const child = spawn(process.execPath, ['--import', './telemetry.ts', script], {
      cwd: root,
      env: {
        PATH: inherited['PATH'],
        METRICS_PORT: '0',
        LOG_LEVEL: 'info',
        SECRET_KEY: '00'.repeat(32),
        ...env,
      },
      stdio: ['ignore', 'ignore', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
    })
    running.add(child)
    let written = ''
    child.stderr!.on('data', (chunk) => (written += chunk))
    const exited = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
    async function says(text: string) {
      while (!written.includes(text)) {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`ended without "${text}":\n${written}`)
        await Promise.race([once(child.stderr!, 'data'), exited])
      }
    }
    return { pid: child.pid!, child, log: () => written, says, exited }
  }
}
