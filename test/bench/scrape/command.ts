import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

import { endedChildrenMs, peakMb, type Used } from '../meter.ts'

const LOOK_MS = 10

export const isInstalled = (command: string) => spawnSync('which', [command]).status === 0

/** Runs a command to its end, and tells what it used. */
export async function run(command: string, args: string[], directory: string): Promise<Used> {
  const cpuBefore = endedChildrenMs()
  const child = spawn(command, args, { cwd: directory, stdio: 'ignore' })
  let peak = 0
  const look = setInterval(() => {
    try {
      peak = Math.max(peak, peakMb(child.pid ?? 0))
    } catch {
      clearInterval(look) // it has ended
    }
  }, LOOK_MS)
  await once(child, 'exit')
  clearInterval(look)
  return { cpuMs: endedChildrenMs() - cpuBefore, peakMb: peak }
}
