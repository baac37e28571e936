import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { z } from 'zod'

import { closePool, db, openPool, sql } from '../../sql/pool.ts'
import { type Client, clientOf } from '../support/client.ts'
import { waitFor } from '../support/service.ts'
import { numbersOf } from './options.ts'
import { startMeasured } from './service.ts'
import { machine, table } from './table.ts'

const IN_HAND = 16
const SITES = 50
const ALL_MS = 1_800_000
const POLL_MS = 250
/** Scans of a fleet that has nothing else to do, one after the other. */
const CALM_SCANS = 40
const CALM_PAUSE_MS = 300

/** Very many scans of small sites at once, by several workers on one database; then single ones, when all is calm. */
export async function benchFleet(given: string[]) {
  const { workers, scans, pages } = numbersOf(given, { workers: 2, scans: 1000, pages: 10 })
  const service = await startMeasured({ workers, maxPages: pages })
  const sites = fork(join(import.meta.dirname, 'fleet/sites-process.ts'), [String(SITES), String(pages)])
  try {
    const [origins] = (await once(sites, 'message')) as [string[]]
    await openPool({ url: service.url, size: 2 })
    const client = clientOf(service.origin, service.key)
    const used = service.measure()
    const [jobsBefore, bytesBefore] = [await service.jobsDone(), await databaseBytes()]
    const began = performance.now()
    await begin(client, origins, scans)
    const created = (performance.now() - began) / 1000
    await waitFor(async () => (await crawling()) === 0, {
      within: ALL_MS,
      every: POLL_MS,
      what: 'the end of all scans',
    })
    const seconds = (performance.now() - began) / 1000
    const cpu = used()
    const burst = await summary()
    const jobs = (await service.jobsDone()) - jobsBefore
    const bytes = (await databaseBytes()) - bytesBefore
    for (let n = 0; n < CALM_SCANS; n++) {
      await begin(client, origins, 1)
      await sleep(CALM_PAUSE_MS)
    }
    await waitFor(async () => (await crawling()) === 0, { within: ALL_MS, what: 'the end of the last scans' })
    const calm = await summary(CALM_SCANS)
    process.stdout.write(
      [
        `\n${scans} scans of ${pages} pages at once, no page delay, ${workers} workers on one PostgreSQL`,
        machine(),
        '',
        table(
          ['', ''],
          [
            ['scans completed', String(burst.completed)],
            ['pages', String(burst.pages)],
            ['seconds', seconds],
            ['scans created/s', scans / created],
            ['jobs/s', jobs / seconds],
            ['pages/s', burst.pages / seconds],
            ['creation to first slice, p50 s', burst.p50],
            ['creation to first slice, p99 s', burst.p99],
            ['the same of single scans, p50 s', calm.p50],
            ['the same of single scans, p99 s', calm.p99],
            ['PostgreSQL, cores', cpu.postgres.cpuMs / 1000 / seconds],
            ['workers, cores', cpu.worker.cpuMs / 1000 / seconds],
            ['API, cores', cpu.api.cpuMs / 1000 / seconds],
            ['PostgreSQL, CPU ms/page', cpu.postgres.cpuMs / burst.pages],
            ['PostgreSQL, CPU ms/scan', cpu.postgres.cpuMs / scans],
            ['database grows, kB/page', bytes / 1000 / burst.pages],
            ['peak MB of a worker', cpu.worker.peakMb],
          ],
        ),
        '',
      ].join('\n'),
    )
  } finally {
    await closePool()
    sites.disconnect()
    await service.stop()
  }
}

async function begin(client: Client, origins: readonly string[], count: number) {
  let begun = 0
  const lane = async () => {
    while (begun < count)
      await client.begin({ start_url: origins[begun++ % origins.length]!, speed: 'turbo' })
  }
  await Promise.all(Array.from({ length: IN_HAND }, lane))
}

const crawling = () =>
  db().oneFirst(
    sql.type(z.object({ n: z.int() }))`select count(*) as n from crawls where status = 'crawling'`,
  )

const databaseBytes = () =>
  db().oneFirst(sql.type(z.object({ bytes: z.int() }))`select pg_database_size(current_database()) as bytes`)

const Summary = z.object({ completed: z.int(), pages: z.int(), p50: z.number(), p99: z.number() })

/** Of the newest crawls, as many as are asked for. */
const summary = (newest: number | null = null) =>
  db().one(sql.type(Summary)`
    select count(*) filter (where status = 'completed') as completed, sum(pages_processed)::int8 as pages,
           percentile_cont(0.5) within group (order by wait) as p50, percentile_cont(0.99) within group (order by wait) as p99
      from (select *, extract(epoch from started_at - created_at)::float8 as wait from crawls order by id desc limit ${newest}) c`)
