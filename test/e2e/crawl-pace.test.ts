import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { startGraph, star } from '../fakes/graph.ts'
import { type Client, clientOf } from '../support/client.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { fetches } from '../support/fetched.ts'
import { type Service, startService, waitFor } from '../support/service.ts'

const DELAY_SCALE = 0.1
const CONCURRENCY = 3

const database = useDatabase()
let service: Service
let mario: Client

beforeAll(async () => {
  service = await startService({
    url: database.url,
    workers: 2,
    env: { SPIDER_DELAY_SCALE: String(DELAY_SCALE), SPIDER_CONCURRENCY: String(CONCURRENCY) },
  })
  mario = clientOf(service.origin, (await makePerson('mario')).key)
})
afterAll(() => service?.stop())

test.concurrent.each([
  ['safe', 4],
  ['fast', 2],
  ['turbo', 1],
  ['ludicrous', 2],
])('page starts at speed %s are %i s apart', async (speed, seconds) => {
  const site = await startGraph(star(8))
  const scan = await mario.crawl({ start_url: site.origin, speed })
  await site.close()
  expect(scan.pages_processed).toBe(8)
  const isPage = (path: string) => path === '/' || path.startsWith('/leaf/')
  const starts = fetches(site.log).flatMap(({ path, at }) => (isPage(path) ? [at] : []))
  expect(starts).toHaveLength(8)
  const delay = seconds * 1000 * DELAY_SCALE
  const gaps = starts.slice(1).map((at, index) => at - starts[index]!)
  // A request that left late arrives closer to the next one: single gaps may be shorter, the whole may not.
  expect(starts.at(-1)! - starts[0]!).toBeGreaterThanOrEqual(7 * delay * 0.9)
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(delay * 0.4)
})

test('a slow site never has more than SPIDER_CONCURRENCY requests of a scan to answer', async () => {
  const site = await startGraph(star(12))
  const release = site.hold((path) => path.startsWith('/leaf/'))
  const id = await mario.begin({ start_url: site.origin, speed: 'turbo' })
  await waitFor(() => site.inFlight() === CONCURRENCY, { what: `${CONCURRENCY} requests in flight` })
  await sleep(1000 * DELAY_SCALE * 8) // time for as many more page starts
  expect(site.inFlightMax()).toBe(CONCURRENCY)
  release()
  expect((await mario.ended(id)).pages_processed).toBe(12)
  expect(site.inFlightMax()).toBe(CONCURRENCY)
  await site.close()
})
