import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { env as inherited } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

const ROOT = resolve(import.meta.dirname, '../..')
const START_MS = 60_000
const STOP_MS = 15_000
const POLL_MS = 40
const KEPT_OUTPUT = 40_000
const PROCFILE = readFileSync(join(ROOT, 'Procfile'), 'utf8')

/** One process of the service. */
export type Member = {
  kind: 'web' | 'worker' | 'clock'
  pid: number
  /** Where it answers: the API, or a worker's metrics. */
  origin: string
  /** Where its metrics are. */
  metrics: string
  alive: () => boolean
  exited: Promise<void>
  output: () => string
  /** Sends a signal and waits for the end. */
  kill: (signal: NodeJS.Signals) => Promise<void>
}

export type Service = {
  origin: string
  members: Member[]
  start: (kind: Member['kind'], environment?: Record<string, string>) => Promise<Member>
  /** Ends every process, and those that will not are killed. */
  stop: () => Promise<void>
}

/** The processes of the Procfile on a database, on free ports, without page delays. Stop them in `afterAll`. */
export async function startService(options: {
  url: string
  /** For kinds that reach the database under a role of their own. */
  urls?: Partial<Record<Member['kind'], string>>
  workers?: number
  clock?: boolean
  env?: Record<string, string>
}): Promise<Service> {
  const home = await mkdtemp(join(tmpdir(), 'seo-suite-e2e-'))
  const port = await freePort()
  const environment = {
    PATH: inherited['PATH'] ?? '',
    HOME: inherited['HOME'] ?? '',
    DATABASE_URL: options.url,
    DATABASE_POOL_SIZE: '5',
    DATA_DIR: home,
    HOST: '127.0.0.1',
    PORT: String(port),
    SECRET_KEY: '00'.repeat(32),
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_MINUTE: '1000000',
    SHUTDOWN_GRACE_SECONDS: '10',
    SPIDER_DELAY_SCALE: '0',
    SPIDER_CONCURRENCY: '16',
    ALLOW_PRIVATE_NETWORKS: 'true',
    ...(inherited['CHROMIUM_PATH'] ? { CHROMIUM_PATH: inherited['CHROMIUM_PATH'] } : {}),
    ...options.env,
  }
  const members: Member[] = []
  const start: Service['start'] = async (kind, more = {}) => {
    const metrics = await freePort()
    const DATABASE_URL = options.urls?.[kind] ?? options.url
    const env = { ...environment, DATABASE_URL, METRICS_PORT: String(metrics), ...more }
    const member = launch(kind, kind === 'web' ? port : metrics, env)
    members.push(member)
    await becomesReady(member)
    return member
  }
  const stop = async () => {
    await Promise.all(members.filter((member) => member.alive()).map((member) => member.kill('SIGTERM')))
    await rm(home, { recursive: true, force: true })
  }

  const kinds: Member['kind'][] = [
    'web',
    ...Array<'worker'>(options.workers ?? 1).fill('worker'),
    ...(options.clock ? (['clock'] as const) : []),
  ]
  try {
    await Promise.all(kinds.map((kind) => start(kind)))
  } catch (error) {
    await stop()
    throw error
  }
  return { origin: `http://127.0.0.1:${port}`, members, start, stop }
}

function launch(kind: Member['kind'], port: number, env: Record<string, string>): Member {
  const command = new RegExp(`^${kind}: (.+)$`, 'm').exec(PROCFILE)![1]!.split(' ')
  const [program = '', ...words] = command.map((word) => (word === 'node' ? process.execPath : word))
  const child = spawn(program, words, {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-KEPT_OUTPUT)))
  const exited = new Promise<void>((done) => child.once('exit', () => done()))
  return {
    kind,
    pid: child.pid ?? 0,
    origin: `http://127.0.0.1:${port}`,
    metrics: `http://127.0.0.1:${env['METRICS_PORT']}/metrics`,
    alive: () => isAlive(child),
    exited,
    output: () => output,
    async kill(signal) {
      child.kill(signal)
      const late = new AbortController()
      await Promise.race([exited, sleep(STOP_MS, undefined, { signal: late.signal }).catch(() => {})])
      late.abort()
      if (!isAlive(child)) return
      child.kill('SIGKILL')
      await exited
    },
  }
}

const isAlive = (child: ChildProcess) => child.exitCode === null && child.signalCode === null

async function becomesReady(member: Member) {
  try {
    await waitFor(
      async () => {
        if (!member.alive()) throw new Error('ended')
        return fetch(`${member.origin}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        )
      },
      { within: START_MS },
    )
  } catch (cause) {
    throw new Error(`${member.kind} is not ready:\n${member.output()}`, { cause })
  }
}

type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>

/** What the condition says once it says something true; past `within` milliseconds it fails. */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { within = 60_000, every = POLL_MS, what = 'the condition' } = {},
): Promise<Truthy<T>> {
  const until = performance.now() + within
  for (;;) {
    const met = await condition()
    if (met) return met as Truthy<T>
    if (performance.now() > until) throw new Error(`${what} did not come true within ${within} ms`)
    await sleep(every)
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
