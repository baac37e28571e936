import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { createCluster, findBinaries, keptSecret, lastLine, spawnPostgres, USER } from './cluster.ts'
import { pidFile, stopResidents } from './residents.ts'

/** A running server; `exited` resolves when it is gone, whoever ended it. */
export type Embedded = { url: string; port: number; exited: Promise<void>; stop: () => Promise<void> }

const POLL_MS = 20
const ATTEMPTS = 10
const RETRY_MS = 200
const READY_MS = 300_000 // recovery after a crash replays the log first
const FAST_STOP_MS = 30_000
const QUICK_STOP_MS = 5000
const SETTINGS = { max_connections: '200', autovacuum_naptime: '10s', unix_socket_directories: '' }
/** For data that nobody will miss: tests. */
export const unsafeSettings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

/**
 * Starts PostgreSQL on `dataDir/postgres`, on a loopback port. The caller makes sure that it is the only one to do so:
 * a server still living there has lost its parent and is stopped first.
 */
export async function startEmbedded(
  dataDir: string,
  { port, settings = {} }: { port?: number; settings?: Record<string, string> } = {},
): Promise<Embedded> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const home = realpathSync(dataDir)
  const cluster = join(home, 'postgres')
  const binaries = findBinaries()
  const password = keptSecret(join(home, 'postgres.password'))
  if (existsSync(cluster)) await stopResidents(cluster)
  else await createCluster(home, binaries)

  for (let attempt = 1; ; attempt++) {
    const chosen = port ?? (await freePort())
    const server = launch(join(binaries, 'postgres'), cluster, chosen, { ...SETTINGS, ...settings })
    const exited = ended(server)
    if (await becomesReady(server, cluster)) {
      const url = `postgresql://${USER}:${password}@127.0.0.1:${chosen}/postgres`
      return { url, port: chosen, exited, stop: () => stopServer(server, exited) }
    }
    const words = readFileSync(`${cluster}.log`, 'utf8')
    // Somebody took the port just now, or a killed server's last process has not quite let go of its memory.
    if (attempt === ATTEMPTS || !/in use/.test(words))
      throw new Error(`PostgreSQL does not start: ${lastLine(words)} (${cluster}.log)`)
    await sleep(RETRY_MS)
  }
}

function launch(postgres: string, cluster: string, port: number, settings: Record<string, string>) {
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const place = ['-D', cluster, '-h', '127.0.0.1', '-p', String(port)]
  const quiet = ['-c', 'log_min_error_statement=panic', '-c', 'log_timezone=UTC', '-c', 'TimeZone=UTC']
  return spawnPostgres([postgres, ...place, ...quiet, ...options], cluster, `${cluster}.log`)
}

async function becomesReady(server: ChildProcess, cluster: string): Promise<boolean> {
  const until = Date.now() + READY_MS
  while (!isOver(server) && Date.now() < until) {
    const lines = pidFile(cluster)
    if (lines[0] === String(server.pid) && lines[7] === 'ready') return true
    await sleep(POLL_MS)
  }
  server.kill('SIGQUIT')
  return false
}

async function stopServer(server: ChildProcess, exited: Promise<void>) {
  for (const [signal, patience] of [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', QUICK_STOP_MS],
  ] as const) {
    server.kill(signal)
    const late = new AbortController()
    await Promise.race([exited, sleep(patience, undefined, { signal: late.signal }).catch(() => {})])
    late.abort()
    if (isOver(server)) return
  }
  server.kill('SIGKILL')
  await exited
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  return port
}

function ended(server: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    server.once('exit', () => resolve())
    server.once('error', () => resolve())
  })
}

const isOver = (server: ChildProcess) =>
  server.pid === undefined || server.exitCode !== null || server.signalCode !== null
