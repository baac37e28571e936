import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'

import { cloneDatabase } from '../support/database.ts'

let database: Awaited<ReturnType<typeof cloneDatabase>>
const running: Web[] = []

beforeAll(async () => {
  database = await cloneDatabase()
})
afterEach(async () => {
  for (const { child } of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})
afterAll(() => database.drop())

type Web = {
  child: ChildProcess
  url: string
  metrics: string
  lines: string[]
  exit: Promise<number | null>
}

/** The API process, on ports that were free a moment ago. */
async function web(environment: Record<string, string> = {}): Promise<Web> {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const child = spawn(process.execPath, ['--import', './telemetry.ts', 'api/main.ts'], {
    env: {
      DATABASE_URL: database.url,
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      SHUTDOWN_GRACE_SECONDS: '5',
      SECRET_KEY: '00'.repeat(32),
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const lines: string[] = []
  child.stderr
    ?.setEncoding('utf8')
    .on('data', (text: string) => lines.push(...text.split('\n').filter(Boolean)))
  const started: Web = {
    child,
    url: `http://127.0.0.1:${port}`,
    metrics: `http://127.0.0.1:${metricsPort}`,
    lines,
    exit: once(child, 'exit').then(([code]) => code as number | null),
  }
  running.push(started)
  return started
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await close(server)
  return port
}

const close = (server: Server) => new Promise((resolve) => server.close(resolve))
const status = async (address: string) => (await fetch(address)).status
const listening = ({ lines }: Web) =>
  vi.waitFor(() => expect(lines.join('\n')).toContain('the API listens'), { timeout: 20_000 })

test('serves, tells how it is, and stops at once when idle, though a connection is kept alive', async () => {
  const api = await web()
  await listening(api)
  expect(await status(`${api.url}/livez`)).toBe(200)
  expect(await status(`${api.metrics}/livez`)).toBe(200)
  expect(await status(`${api.metrics}/readyz`)).toBe(503)
  expect(await status(`${api.url}/api/seo/status`)).toBe(401)
  const metrics = await (await fetch(`${api.metrics}/metrics`)).text()
  expect(metrics).toMatch(/^seo_http_request_duration_seconds_count\{.*status_class="4xx".*\} 1$/m)
  expect(metrics).toContain('process_cpu_user_seconds_total')

  const agent = new Agent({ keepAlive: true })
  await new Promise((resolve, reject) => {
    request(`${api.url}/livez`, { agent }, (answer) => answer.resume().on('end', resolve))
      .on('error', reject)
      .end()
  })
  const asked = Date.now()
  api.child.kill('SIGTERM')
  expect(await api.exit).toBe(0)
  expect(Date.now() - asked).toBeLessThan(3000)
  agent.destroy()
})

test('finishes what is in hand, and takes nothing new', async () => {
  const api = await web()
  await listening(api)
  const lock = new Client({ connectionString: database.url })
  await lock.connect()
  await lock.query('begin')
  await lock.query('lock table settings in access exclusive mode')
  const answer = fetch(`${api.url}/api/seo/status`)
  await vi.waitFor(async () => {
    const { rows } = await lock.query('select 1 from pg_locks where not granted')
    expect(rows).toHaveLength(1)
  })
  api.child.kill('SIGTERM')
  await vi.waitFor(async () => expect(await status(`${api.metrics}/readyz`)).toBe(503))
  await vi.waitFor(() => expect(fetch(`${api.url}/livez`)).rejects.toThrow('fetch failed'))
  await lock.query('rollback')
  await lock.end()
  expect((await answer).status).toBe(401)
  expect(await api.exit).toBe(0)
})

test('a request that takes longer than the grace time is cut off', async () => {
  const api = await web({ SHUTDOWN_GRACE_SECONDS: '1' })
  await listening(api)
  const lock = new Client({ connectionString: database.url })
  await lock.connect()
  await lock.query('begin')
  await lock.query('lock table settings in access exclusive mode')
  const answer = fetch(`${api.url}/api/seo/status`).then(
    () => 'answered',
    () => 'cut off',
  )
  await vi.waitFor(async () =>
    expect((await lock.query('select 1 from pg_locks where not granted')).rows).toHaveLength(1),
  )
  api.child.kill('SIGTERM')
  expect(await answer).toBe('cut off')
  expect(await api.exit).toBe(0)
  await lock.query('rollback')
  await lock.end()
})

test('ends with the process that started it', async () => {
  const api = await web()
  await listening(api)
  api.child.disconnect()
  expect(await api.exit).toBe(0)
})

test('a port in use is one clear line', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const api = await web({ PORT: String(port), METRICS_PORT: '0' })
  expect(await api.exit).toBe(1)
  expect(api.lines).toHaveLength(1)
  expect(api.lines[0]).toContain(`port ${port} of 127.0.0.1 is already in use`)
  await close(other)
})

test('a metrics port in use is told and lived without', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const api = await web({ METRICS_PORT: String((other.address() as AddressInfo).port) })
  await listening(api)
  expect(api.lines.join('\n')).toContain('no metrics are served')
  expect(await status(`${api.url}/livez`)).toBe(200)
  await close(other)
})

test.each(['DATABASE_URL', 'SECRET_KEY'])('without %s it says so', async (name) => {
  const api = await web({ [name]: '' })
  expect(await api.exit).toBe(1)
  expect(api.lines.join('\n')).toContain(`${name}: is required`)
})

test('waits for a PostgreSQL that is away, and can be stopped meanwhile', async () => {
  const gone = await freePort()
  const api = await web({ DATABASE_URL: `postgres://nobody@127.0.0.1:${gone}/none` })
  await vi.waitFor(() => expect(api.lines.join('\n')).toContain('PostgreSQL does not answer'), {
    timeout: 20_000,
  })
  expect(await status(`${api.metrics}/livez`)).toBe(200)
  expect(await status(`${api.metrics}/readyz`)).toBe(503)
  api.child.kill('SIGTERM')
  expect(await api.exit).toBe(0)
})

test('a request whose head never ends is cut off', async () => {
  const api = await web()
  await listening(api)
  const { hostname, port } = new URL(api.url)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.setEncoding('utf8').on('data', (data) => (text += String(data)))
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
  await once(socket, 'close')
  expect(text).toContain('408')
}, 30_000)
