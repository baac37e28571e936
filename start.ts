import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { childEnvironment, config, host, urlHost } from './config.ts'
import { createFirstAccount } from './sql/accounts.ts'
import { claim } from './sql/claim.ts'
import { startEmbedded } from './sql/embedded.ts'
import { makeKey } from './sql/keys.ts'
import { migrate } from './sql/migrate.ts'
import { closePool, openPool } from './sql/pool.ts'
import { secretKey } from './sql/secrets.ts'
import { declareWorkersDead } from './sql/workers.ts'
import { keep, type Kept, launch } from './supervisor.ts'

const POLL_MS = 200
const READY_MS = 60_000
const CLAIM_PATIENCE_MS = 60_000 // `npm run admin` may hold the database for a moment
const PORT_PATIENCE_MS = 2000 // a killed service is still letting go of its ports
const ORPHAN_PATIENCE_MS = 2000

/** In the environment of our processes, so that those of a killed service are known. */
const MARK = 'SEO_SUITE_HOME'

type Variables = Record<string, string>

const dataDir = ownDirectory(config.DATA_DIR)
const urlFile = join(dataDir, 'database.url')
const stopping = new AbortController()
const stopped = once(stopping.signal, 'abort')
const processes: Kept[] = []
let database: Kept | undefined

process.exit(await runUntilStopped())

function ownDirectory(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return realpathSync(path)
  } catch (error) {
    process.stderr.write(`DATA_DIR: ${(error as Error).message}\n`)
    process.exit(1)
  }
}

async function runUntilStopped(): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())
  stopWithNpm()
  let code = 0
  try {
    await serve()
  } catch (error) {
    if (!stopping.signal.aborted) {
      code = 1
      process.stderr.write(`start: ${(error as Error).message.split('\n')[0]}\n`)
    }
  }
  stopping.abort()
  await Promise.all(processes.map(({ stop }) => stop()))
  if (database) rmSync(urlFile, { force: true })
  await database?.stop()
  return code
}

async function serve() {
  const embedded = !config.DATABASE_URL
  if (embedded) await takeOver()
  const SECRET_KEY = secretKey()
  const commands = Object.entries(procfile())
  const port = await freePort('PORT', config.PORT)
  const metricsPorts = await Promise.all(commands.map((_, index) => metricsPort(index)))
  const { url, variables } = embedded
    ? await embeddedDatabase()
    : { url: config.DATABASE_URL!, variables: {} }
  await orStopped(migrate(url))
  await orStopped(openPool({ url, size: 2 }))
  if (embedded) await declareWorkersDead()
  if (embedded) writeFileSync(urlFile, url, { mode: 0o600 })

  const defaults = { HOST: host, SECRET_KEY, ...variables }
  const fixed = {
    DATABASE_URL: url,
    PORT: String(port),
    DATA_DIR: dataDir,
    ...(embedded && { [MARK]: dataDir }),
  }
  for (const [index, [name, command]] of commands.entries()) {
    const environment = childEnvironment(defaults, { ...fixed, METRICS_PORT: String(metricsPorts[index]) })
    processes.push(keep(name, () => launch(command, environment)))
  }

  await orStopped(becomesReady(port))
  const key = await firstKey()
  await closePool()
  const address = config.PUBLIC_URL?.replace(/\/+$/, '') ?? `http://${urlHost}:${port}`
  const parts = [`SEO Suite is ready: ${address}`, `docs ${address}/docs`, ...(key ? [`API key ${key}`] : [])]
  process.stdout.write(`${parts.join(' · ')}\n`)
  await orStopped(new Promise(() => {}))
}

/** The work, unless we are told to stop or something cannot stay up before it is done. */
async function orStopped<T>(work: Promise<T>): Promise<T> {
  const failed = [...processes, ...(database ? [database] : [])].map((member) => member.failed)
  return (await Promise.race([
    work,
    ...failed,
    stopped.then(() => Promise.reject(new Error('stopped'))),
  ])) as T
}

/** One service on a data directory. What a killed one left running is ended first. */
async function takeOver() {
  if (!(await claim(dataDir, 'service'))) throw new Error(`SEO Suite is already running on ${dataDir}`)
  const until = Date.now() + ORPHAN_PATIENCE_MS
  for (let pids = orphans(); pids.length > 0; pids = orphans()) {
    if (Date.now() > until) for (const pid of pids) killHard(pid)
    await sleep(POLL_MS)
  }
  const limit = Date.now() + CLAIM_PATIENCE_MS
  while (!(await claim(dataDir, 'postgres'))) {
    if (Date.now() > limit) throw new Error(`the database in ${dataDir} is in use`)
    await sleep(POLL_MS)
  }
}

function orphans(): number[] {
  if (process.platform !== 'linux') return []
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.filter(isMarked).map(Number)
}

function isMarked(pid: string): boolean {
  return fileOfProcess(pid, 'environ').split('\0').includes(`${MARK}=${dataDir}`)
}

async function embeddedDatabase(): Promise<{ url: string; variables: Variables }> {
  const first = await startEmbedded(dataDir)
  const running = ({ exited, stop }: typeof first) => ({ ended: exited.then(() => 'ended'), stop })
  database = keep(
    'postgres',
    async () => running(await startEmbedded(dataDir, { port: first.port })),
    running(first),
  )
  return { url: first.url, variables: { ALLOW_PRIVATE_NETWORKS: 'true' } }
}

/** The Procfile's processes by name; releasing is what this program does itself. */
function procfile(): Record<string, string[]> {
  const lines = readFileSync(join(import.meta.dirname, 'Procfile'), 'utf8')
    .trim()
    .split('\n')
  const entries = lines.map((line) => /^(\w+): (.+)$/.exec(line)!.slice(1) as [string, string])
  const kept = entries.filter(([name]) => name !== 'release')
  return Object.fromEntries(kept.map(([name, command]) => [name, command.split(' ')]))
}

async function becomesReady(port: number) {
  const local = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : urlHost
  const until = Date.now() + READY_MS
  for (;;) {
    const answer = await fetch(`http://${local}:${port}/readyz`).catch(() => undefined)
    if (answer?.status === 200) return
    if (Date.now() > until) throw new Error(`the service is not ready after ${READY_MS / 1000} s`)
    await sleep(POLL_MS)
  }
}

async function firstKey(): Promise<string | undefined> {
  const key = makeKey()
  const account = await createFirstAccount({ email: 'admin@localhost', name: 'First account', key })
  return account ? key : undefined
}

async function metricsPort(index: number): Promise<number> {
  return config.METRICS_PORT === 0 ? 0 : freePort('METRICS_PORT', config.METRICS_PORT + index)
}

/** The port, once it is known to be free; 0 is any. */
async function freePort(name: string, port: number): Promise<number> {
  for (const until = Date.now() + PORT_PATIENCE_MS; ; await sleep(POLL_MS)) {
    const probe = createServer().listen({ port, host })
    try {
      await once(probe, 'listening')
      return (probe.address() as AddressInfo).port
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EADDRINUSE')
        throw new Error(`${name}: cannot listen on ${urlHost}:${port} (${code})`, { cause: error })
      if (Date.now() > until)
        throw new Error(`${name}: ${urlHost}:${port} is already in use`, { cause: error })
    } finally {
      probe.close()
    }
  }
}

/** npm killed outright cannot pass a signal on; then we are adopted by another process. */
function stopWithNpm() {
  const parent = process.ppid
  if (!fileOfProcess(parent, 'cmdline').startsWith('npm ')) return
  setInterval(() => process.ppid !== parent && stopping.abort(), 1000).unref()
}

/** Empty when the process is gone or not ours. */
function fileOfProcess(pid: number | string, name: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

function killHard(pid: number) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // gone meanwhile
  }
}
