import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getuid } from 'node:process'

import { HeadObjectCommand } from '@aws-sdk/client-s3'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import { startGraph, star } from '../fakes/graph.ts'
import { bucket, clientOf, type FakeS3, startFauxqs, startS3rver } from '../fakes/s3.ts'
import { type FakeServer, startServer } from '../fakes/site/server.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { type Scraper, scraperOf } from '../support/scraper.ts'
import { type Service, startService, waitFor } from '../support/service.ts'

const MB = 1024 * 1024

const database = useDatabase()
let key: string
let dataDir: string
let service: Service | undefined
let scraper: Scraper
const servers: FakeServer[] = []

beforeAll(async () => {
  key = (await makePerson('mario')).key
})
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'seo-suite-life-'))
})
afterEach(async () => {
  await Promise.all([service?.stop(), ...servers.splice(0).map((server) => server.close())])
  service = undefined
  await rm(dataDir, { recursive: true, force: true })
  await db().query(sql.typeAlias('void')`delete from scrape_jobs`)
})

async function start(env: Record<string, string> = {}, options: { workers?: number; clock?: boolean } = {}) {
  service = await startService({ url: database.url, env: { DATA_DIR: dataDir, ...env }, ...options })
  scraper = scraperOf(service.origin, key)
  return service
}

async function open(starting: Promise<FakeServer>): Promise<FakeServer> {
  const server = await starting
  servers.push(server)
  return server
}

const list = (name: string) => readdir(join(dataDir, name)).catch(() => [] as string[])
/** Directories of runs, in those of workers. */
const workspaces = async () =>
  (await Promise.all((await list('scrape')).map((worker) => list(join('scrape', worker))))).flat()
const stats = async (id: string) => (await scraper.job(id)).stats

test('a job deleted under way stops within a second or so, and leaves nothing', async () => {
  await start()
  const site = await open(startGraph(star(60)))
  site.hold((path) => /leaf\/[345]\d/.test(path))
  const id = await scraper.begin({ url: site.origin })
  await waitFor(() => site.inFlight() >= 8)
  const began = Date.now()
  expect((await scraper.remove(id)).data).toEqual({ job_id: id })
  expect((await scraper.call('GET', `/jobs/${id}`)).status).toBe(404)
  await waitFor(async () => site.inFlight() === 0 && (await workspaces()).length === 0)
  expect(Date.now() - began).toBeLessThan(2000)
  expect(await list('archives')).toEqual([])
  const queued = () =>
    db().anyFirst(sql.type(z.object({ id: z.string() }))`
      select id::text from graphile_worker.jobs where task_identifier = 'scrape.run'`)
  await waitFor(async () => (await queued()).length === 0)
})

test('the archive of a deleted job goes with it', async () => {
  await start()
  const site = await open(startGraph(star(3)))
  const { id } = await scraper.mirror({ url: site.origin })
  expect(await list('archives')).toEqual([`${id}.zip`])
  await scraper.remove(id)
  await waitFor(async () => (await list('archives')).length === 0)
})

test('a worker that is told to stop hands its job to the next', async () => {
  await start()
  const site = await open(startGraph(star(20)))
  const release = site.hold((path) => path === '/leaf/19')
  const id = await scraper.begin({ url: site.origin })
  await waitFor(async () => (await stats(id)).pages_downloaded === 19)
  const [, worker] = service!.members
  const began = Date.now()
  await worker!.kill('SIGTERM')
  expect(Date.now() - began).toBeLessThan(8000)
  expect(await scraper.job(id)).toMatchObject({ status: 'pending' })
  expect(await workspaces()).toEqual([])
  release()
  await service!.start('worker')
  expect(await scraper.ended(id)).toMatchObject({ status: 'completed', stats: { pages_downloaded: 20 } })
  expect(await list('archives')).toEqual([`${id}.zip`])
})

test('a killed worker costs its job a new beginning, and leaves nothing behind', async () => {
  await start()
  const site = await open(startGraph(star(20)))
  const release = site.hold((path) => path === '/leaf/19')
  const id = await scraper.begin({ url: site.origin })
  await waitFor(async () => (await stats(id)).pages_downloaded === 19)
  const [, worker] = service!.members
  expect(await workspaces()).toHaveLength(1)
  await worker!.kill('SIGKILL')
  await service!.start('worker')
  expect(await scraper.job(id)).toMatchObject({ status: 'running', result: null })
  release()
  const done = await scraper.ended(id)
  expect(done).toMatchObject({ status: 'completed', stats: { pages_downloaded: 20, errors: 0 } })
  expect((await scraper.files(id)).size).toBe(22)
  expect(await list('archives')).toEqual([done.result!.zip_file])
  await waitFor(async () => (await workspaces()).length === 0 && (await list('scrape')).length <= 1)
})

test('fifteen jobs at once all end as they should', async () => {
  await start({ WORKER_CONCURRENCY: '40' }, { workers: 2 })
  const sites = await Promise.all(
    Array.from({ length: 15 }, (_, n) => open(startGraph(star(10 + n), undefined, 20))),
  )
  const ids = await Promise.all(sites.map((site) => scraper.begin({ url: site.origin })))
  const done = await Promise.all(ids.map((id) => scraper.ended(id)))
  expect(done.map(({ status, stats: { pages_downloaded: pages } }) => [status, pages])).toEqual(
    sites.map((_, n) => ['completed', 10 + n]),
  )
  expect(await list('archives')).toHaveLength(15)
  expect(await workspaces()).toEqual([])
})

/** A page that shows so many images of a megabyte that do not compress. */
const heavy = (images: number) =>
  startServer((path) => {
    if (path === '/')
      return { body: Array.from({ length: images }, (_, n) => `<img src="/${n}.png">`).join('') }
    const body = Buffer.alloc(MB, path)
    for (let at = 0, state = 1; at < MB; at += 4)
      body.writeInt32LE((state = Math.imul(state, 48_271) | 0), at)
    body.write(path)
    return { headers: { 'content-type': 'image/png' }, body }
  })

describe.runIf(getuid?.() === 0)('a disk that is full', () => {
  let mounted = false
  beforeEach(async () => {
    await mkdir(join(dataDir, 'small'))
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', join(dataDir, 'small')], {
        stdio: 'ignore',
      })
      mounted = true
    } catch {
      // Without the right to mount there is no small disk.
    }
  })
  afterEach(async () => {
    await service?.stop()
    if (mounted) execFileSync('umount', [join(dataDir, 'small')])
  })

  test('fails the job, and no other', async ({ skip }) => {
    skip(!mounted, 'nothing can be mounted here')
    await start({ DATA_DIR: join(dataDir, 'small') })
    const large = await open(heavy(20))
    const done = await scraper.ended(await scraper.begin({ url: large.origin }))
    expect(done).toMatchObject({
      status: 'failed',
      result: null,
      error: expect.stringMatching(/disk .* is full/),
    })
    expect(await workspaces()).toEqual([])
    expect(await list('small/archives')).toEqual([])
    const small = await open(startGraph(star(5)))
    expect((await scraper.mirror({ url: small.origin })).job.status).toBe('completed')
  })
})

describe('a bucket', () => {
  let s3: FakeS3
  afterEach(() => s3?.close())
  const settings = () => ({
    S3_BUCKET: bucket,
    S3_ENDPOINT: s3.endpoint,
    S3_FORCE_PATH_STYLE: 'true',
    ...s3.env,
  })

  test('takes an archive of several parts, gives it, and loses it', async () => {
    s3 = await startS3rver()
    await start(settings())
    const site = await open(heavy(12))
    const { id, files, job } = await scraper.mirror({ url: site.origin })
    expect(job.result!.zip_size).toBeGreaterThan(12 * MB)
    expect(files.size).toBe(15)
    expect(existsSync(join(dataDir, 'archives'))).toBe(false)
    const link = await fetch(`${service!.origin}/api/v1/jobs/${id}/download`, {
      headers: { 'x-api-key': key },
      redirect: 'manual',
    })
    const address = link.headers.get('location')!
    expect((await fetch(address, { method: 'GET' })).status).toBe(200)
    await scraper.remove(id)
    await waitFor(async () => (await fetch(address)).status === 404)
  })

  test('that is away is waited for, and nothing is fetched twice', async () => {
    s3 = await startFauxqs()
    await start(settings())
    const site = await open(heavy(8))
    await s3.leave()
    const id = await scraper.begin({ url: site.origin })
    await waitFor(() => service!.members.some((member) => member.output().includes('waits for its bucket')))
    expect(await scraper.job(id)).toMatchObject({ status: 'running', result: null })
    await s3.comeBack()
    expect(await scraper.ended(id)).toMatchObject({ status: 'completed' })
    expect((await scraper.files(id)).size).toBe(11)
    expect([...site.hits.values()].every((hits) => hits === 1)).toBe(true)
    expect(await workspaces()).toEqual([])
  })

  test('that refuses the credentials fails the job, and the log says why', async () => {
    s3 = await startS3rver()
    await start({ ...settings(), AWS_SECRET_ACCESS_KEY: 'wrong' })
    const site = await open(startGraph(star(3)))
    const done = await scraper.ended(await scraper.begin({ url: site.origin }))
    expect(done).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/could not be stored.*SignatureDoesNotMatch/),
    })
    expect(service!.members.some((member) => member.output().includes('SignatureDoesNotMatch'))).toBe(true)
  })

  test('has nothing of a job that is deleted while its archive goes there', async () => {
    s3 = await startFauxqs()
    await start(settings())
    const site = await open(heavy(60))
    const id = await scraper.begin({ url: site.origin })
    const before = s3.received()
    await waitFor(() => s3.received() - before > 6 * MB, { every: 5 })
    await scraper.remove(id)
    await waitFor(async () => (await workspaces()).length === 0)
    const client = clientOf(s3)
    const head = new HeadObjectCommand({ Bucket: bucket, Key: `${id}.zip` })
    await waitFor(() =>
      client.send(head).then(
        () => false,
        () => true,
      ),
    )
    const listed = await fetch(`${s3.endpoint}/${bucket}?uploads`)
    expect(await listed.text()).not.toContain('<Upload>')
    client.destroy()
  })
})
