import { existsSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 20
const FAST_STOP_MS = 30_000
const QUICK_STOP_MS = 5000

/** Ends what still lives in a cluster, and the pid file with it: its number may be another process's by now. */
export async function stopResidents(cluster: string) {
  const began = Date.now()
  const postmaster = Number(pidFile(cluster)[0])
  for (let asked = ''; ; await sleep(POLL_MS)) {
    const pids = residents(cluster)
    if (pids.length === 0) break
    const waited = Date.now() - began
    const signal =
      waited > FAST_STOP_MS + QUICK_STOP_MS ? 'SIGKILL' : waited > FAST_STOP_MS ? 'SIGQUIT' : 'SIGINT'
    if (signal === asked) continue
    asked = signal
    // Without their postmaster the backends are on their way out; SIGQUIT hurries them.
    if (pids.includes(postmaster) && signal !== 'SIGKILL') signalTo(postmaster, signal)
    else for (const pid of pids) signalTo(pid, signal === 'SIGKILL' ? signal : 'SIGQUIT')
  }
  rmSync(join(cluster, 'postmaster.pid'), { force: true })
}

/** PostgreSQL's processes work in their data directory, so they are known without trusting any pid written down. */
function residents(cluster: string): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => linkOf(pid, 'cwd') === cluster && basename(linkOf(pid, 'exe')).startsWith('postgres'))
    .map(Number)
}

function linkOf(pid: string, name: string): string {
  try {
    return readlinkSync(`/proc/${pid}/${name}`)
  } catch {
    return ''
  }
}

function signalTo(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal)
  } catch {
    // gone already
  }
}

/** The lines of postmaster.pid: 1 is the process, 8 its state. */
export function pidFile(cluster: string): string[] {
  const file = join(cluster, 'postmaster.pid')
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line.trim())
    : []
}
