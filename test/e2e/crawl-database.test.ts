import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { createAccount } from '../../sql/accounts.ts'
import { type Embedded, startEmbedded, unsafeSettings } from '../../sql/embedded.ts'
import { makeKey } from '../../sql/keys.ts'
import { migrate } from '../../sql/migrate.ts'
import { closePool, openPool } from '../../sql/pool.ts'
import { startGraph, star } from '../fakes/graph.ts'
import { type Client, clientOf } from '../support/client.ts'
import { type Service, startService, waitFor } from '../support/service.ts'

const PAGES = 150
const SCANS = 4
const LATENCY_MS = 30 // so that the crawls last longer than the restart

let home: string
let postgres: Embedded
let service: Service
let mario: Client

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'seo-suite-restart-'))
  postgres = await startEmbedded(home, { settings: unsafeSettings })
  await migrate(postgres.url)
  await openPool({ url: postgres.url, size: 2 })
  const key = makeKey()
  await createAccount({ email: 'mario@example.test', key })
  await closePool()
  service = await startService({
    url: postgres.url,
    workers: 2,
    clock: true,
    env: { SPIDER_CONCURRENCY: '4' },
  })
  mario = clientOf(service.origin, key)
})
afterAll(async () => {
  await service?.stop()
  await postgres?.stop()
  await rm(home, { recursive: true, force: true })
})

test('PostgreSQL restarted under load: processes recover or exit to be started again, and nothing is lost', async () => {
  const sites = await Promise.all(
    Array.from({ length: SCANS }, () => startGraph(star(PAGES), undefined, LATENCY_MS)),
  )
  const ids = await Promise.all(sites.map(({ origin }) => mario.begin({ start_url: origin })))
  await waitFor(() => sites.every(({ hits }) => hits.size > 20), { what: 'all crawls under way' })

  const { port } = postgres
  await postgres.stop()
  postgres = await startEmbedded(home, { port, settings: unsafeSettings })

  for (const [index, id] of ids.entries()) {
    expect(await ended(id)).toMatchObject({ status: 'completed', pages_processed: PAGES })
    const urls = (await mario.pages(id)).map(({ url }) => url.slice(sites[index]!.origin.length))
    expect(urls.toSorted()).toEqual(Object.keys(star(PAGES)).toSorted())
    expect(await mario.history(id)).toHaveLength(1)
  }
  await Promise.all(sites.map((site) => site.close()))
})

/** The end of a scan, while this test does what a supervisor does: processes that gave up are started again. */
function ended(id: number) {
  return waitFor(
    async () => {
      for (const dead of service.members.filter((member) => !member.alive())) {
        service.members.splice(service.members.indexOf(dead), 1)
        await service.start(dead.kind)
      }
      const scan = await mario.scan(id).catch(() => null)
      return scan?.status !== 'crawling' && scan
    },
    { within: 100_000, what: `the end of scan ${id}` },
  )
}
