import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

import { createAccount, setPlan } from '../../sql/accounts.ts'
import { type Embedded, startEmbedded } from '../../sql/embedded.ts'
import { makeKey } from '../../sql/keys.ts'
import { migrate } from '../../sql/migrate.ts'
import { closePool, openPool } from '../../sql/pool.ts'
import { pidFile } from '../../sql/residents.ts'
import { startDataForSeo } from '../fakes/dataforseo.ts'
import { bucket, startFauxqs } from '../fakes/s3.ts'
import { type Service, startService } from '../support/service.ts'
import { startSites } from './sites.ts'

const MOST_PAGES = 500
const SOURCE_LATENCY_MS = 150
/** How long whoever was cut off from the database may be busy with that. */
const AFTERMATH_MS = 3000
/** What of PostgreSQL's durability only matters when the machine itself goes down. */
const settings = { fsync: 'off', full_page_writes: 'off' }

/** A span of time, in milliseconds of the monotonic clock. */
export type Span = { from: number; to: number }
export type Message = { id: string; at: number; body: string; taken: boolean }

export type Stage = Awaited<ReturnType<typeof setStage>>

/** A service of its own, and all that it talks to: sites, a paid source, a bucket, webhooks. */
export async function setStage({ workers }: { workers: number }) {
  const home = await mkdtemp(join(tmpdir(), 'seo-suite-chaos-'))
  const database = join(home, 'database')
  const dataDir = join(home, 'data')
  let postgres: Embedded = await startEmbedded(database, { settings })
  const { url, port } = postgres
  await migrate(url)
  await openPool({ url, size: 6 })
  await setPlan('chaos', { maxPages: MOST_PAGES })

  const [source, s3, sites, hooks] = await Promise.all([
    startDataForSeo(),
    startFauxqs(),
    startSites(),
    startHooks(),
  ])
  source.latency = SOURCE_LATENCY_MS
  /** When each call of the source was answered, in the order of its log of calls of this kind. */
  const billed: { path: string; task: Record<string, unknown>; at: number }[] = []
  source.fault = (path, task) => void billed.push({ path, task, at: performance.now() })
  const service: Service = await startService({
    url,
    workers,
    clock: true,
    env: {
      ...s3.env,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'info',
      SPIDER_CONCURRENCY: '4',
      S3_BUCKET: bucket,
      S3_ENDPOINT: s3.endpoint,
      S3_FORCE_PATH_STYLE: 'true',
      DATAFORSEO_LOGIN: source.login,
      DATAFORSEO_PASSWORD: source.password,
      DATAFORSEO_URL: source.url,
    },
  })
  /** When work may have been lost on its way from the outside world to the database. */
  const losses: Span[] = []
  let users = 0

  return {
    service,
    source,
    s3,
    sites,
    hooks,
    billed,
    losses,
    dataDir,
    workers,
    async user() {
      const key = makeKey()
      const email = `chaos-${++users}-${key.slice(-6)}@example.test`
      return { key, id: (await createAccount({ email, key, plan: 'chaos' })).id }
    },
    /** Ends PostgreSQL, politely or by killing its first process, and starts it on the same port. */
    async restartPostgres(how: 'politely' | 'hard') {
      const from = performance.now()
      if (how === 'politely') await postgres.stop()
      else process.kill(Number(pidFile(join(database, 'postgres'))[0]), 'SIGKILL')
      await postgres.exited
      await sleep(500)
      postgres = await startEmbedded(database, { port, settings })
      losses.push({ from, to: performance.now() + AFTERMATH_MS })
    },
    async strike() {
      await service.stop()
      await closePool()
      await Promise.all([postgres.stop(), source.close(), s3.close(), sites.close(), hooks.close()])
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** Takes webhooks; every third message is refused when it first comes. */
async function startHooks() {
  const messages: Message[] = []
  let ids = 0
  const server = createServer(async (request, response) => {
    const id = String(request.headers['webhook-id'])
    const body = await text(request)
    const isNew = !messages.some((message) => message.id === id)
    const taken = !isNew || ++ids % 3 !== 0
    messages.push({ id, at: performance.now(), body, taken })
    response.writeHead(taken ? 200 : 500).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    messages,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}
