import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type MirrorSite, startMirrorSite } from '../fakes/mirror-site.ts'
import { startServer } from '../fakes/site/server.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { type Manifest, type Scraper, scraperOf } from '../support/scraper.ts'
import { type Service, startService } from '../support/service.ts'

const MB = 1024 * 1024
const FILE_MB = 2
const JOB_MB = 20
/** A worker at rest has about 150 MB. */
const MAX_RSS_MB = 300

const database = useDatabase()
let service: Service
let scraper: Scraper
let site: MirrorSite
let dataDir: string
/** What takes a minute goes on beside the rest. */
let slow: ReturnType<Scraper['mirror']>
let began: number

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'seo-suite-faults-'))
  service = await startService({
    url: database.url,
    env: { DATA_DIR: dataDir, SCRAPER_MAX_FILE_MB: String(FILE_MB), SCRAPER_MAX_JOB_MB: String(JOB_MB) },
  })
  scraper = scraperOf(service.origin, (await makePerson('mario')).key)
  site = await startMirrorSite()
  began = Date.now()
  slow = faults('images', ['hang', 'hang-after-headers', 'drip'])
  slow.catch(() => {})
})
afterAll(async () => {
  await Promise.all([service?.stop(), site?.close()])
  await rm(dataDir, { recursive: true, force: true })
})

const faults = (kind: 'pages' | 'images', names: string[]) =>
  scraper.mirror({ url: `${site.origin}/faults?${kind}=${names.join(',')}`, depth: 1 })
const entryOf = ({ entries }: Manifest, end: string) => entries.find(({ url }) => url.endsWith(end))
/** Directories of runs, in those of workers. */
async function leftovers() {
  const workers = await readdir(join(dataDir, 'scrape')).catch(() => [])
  return (await Promise.all(workers.map((worker) => readdir(join(dataDir, 'scrape', worker))))).flat()
}

/** What misbehaves, and with which status it is in the manifest: 0 when no answer was whole. */
const broken: [name: string, status: number][] = [
  ['reset', 0],
  ['reset-at-once', 0],
  ['garbage', 0],
  ['wrong-length', 0],
  ['bad-gzip', 0],
  ['half-gzip', 200],
  ['gzip-thrice', 0],
  ['huge-header', 0],
  ['loop-a', 302],
  ['self-loop', 302],
  ['redirect-file', 302],
  ['bad-location', 302],
  ['chain/15', 301],
  ['status/404', 404],
  ['status/503', 503],
  ['endless', 200],
  ['bomb', 200],
]

describe.each(['pages', 'images'] as const)('what misbehaves among %s', (kind) => {
  let mirrored: Awaited<ReturnType<Scraper['mirror']>>
  beforeAll(async () => {
    mirrored = await faults(
      kind,
      broken.map(([name]) => name),
    )
  })

  test('costs no other file', () => {
    expect(mirrored.job.status).toBe('completed')
    expect(entryOf(mirrored.manifest, '/faults/ok')?.path).toMatch(/html$/)
    expect(entryOf(mirrored.manifest, '/img/fine.png')?.path).toMatch(/png$/)
  })

  test.each(broken)('%s is an error, and no file', (name, status) => {
    const entry = entryOf(mirrored.manifest, kind === 'pages' ? `/faults/${name}` : `/faults/${name}?image`)
    expect(entry).toMatchObject({ status, path: null, size: null, sha256: null })
  })

  test('is counted', () => {
    expect(mirrored.job.stats.errors).toBe(broken.length)
    expect(mirrored.files.size).toBe(5)
  })
})

describe('bounds', () => {
  test('a file that is too large is an error, by its header and by its bytes', async () => {
    const size = FILE_MB * MB + 1
    const large = await startServer((path) => {
      if (path === '/')
        return {
          body: '<title>Start</title><img src="/declared.png"><img src="/chunked.png"><img src="/right.png">',
        }
      const headers = { 'content-type': 'image/png' }
      if (path === '/right.png') return { headers, body: Buffer.alloc(FILE_MB * MB, 'right') }
      if (path === '/declared.png')
        return { headers: { ...headers, 'content-length': String(size) }, body: Buffer.alloc(size) }
      return {
        respond(_request, response) {
          response.writeHead(200, headers)
          response.write(Buffer.alloc(size - 1))
          response.end('!')
        },
      }
    })
    const { job, manifest } = await scraper.mirror({ url: large.origin })
    await large.close()
    expect(job).toMatchObject({ truncated: false, stats: { errors: 2, resources_downloaded: 1 } })
    expect(entryOf(manifest, '/right.png')).toMatchObject({ size: FILE_MB * MB })
    expect(entryOf(manifest, '/declared.png')).toMatchObject({ status: 200, path: null })
    expect(entryOf(manifest, '/chunked.png')).toMatchObject({ status: 200, path: null })
  })

  test('a job that is too large keeps what it has, and says so', async () => {
    const { job, manifest, files } = await scraper.mirror({ url: `${site.origin}/big?files=40&bytes=${MB}` })
    expect(job).toMatchObject({ status: 'completed', truncated: true, stats: { errors: 0 } })
    expect(manifest.truncated).toBe(true)
    expect(job.stats.bytes_downloaded).toBeGreaterThan(JOB_MB * MB)
    expect(job.stats.bytes_downloaded).toBeLessThan((JOB_MB + 2) * MB)
    expect(job.stats.resources_downloaded).toBeGreaterThanOrEqual(JOB_MB - 9)
    const saved = manifest.entries.filter(({ type }) => type === 'image/png')
    expect(saved.every(({ path, size }) => size === MB && files.get(path!)?.length === MB)).toBe(true)
    const start = files.get(manifest.entries[0]!.path!)!.toString()
    expect(start).toContain(`src="${site.origin}/bytes/39/`)
  })

  test('a start page beyond the bounds fails the job', async () => {
    const done = await scraper.ended(await scraper.begin({ url: `${site.origin}/faults/endless` }))
    expect(done).toMatchObject({ status: 'failed', error: expect.stringMatching(/too large/) })
  })
})

test('a server that never answers, or never ends, costs a minute', async () => {
  const { job, manifest } = await slow
  expect(job.stats).toMatchObject({ errors: 3, pages_downloaded: 2, resources_downloaded: 1 })
  expect(entryOf(manifest, 'hang?image')).toMatchObject({ status: 0, path: null })
  expect(job.duration).toBeLessThan(75)
  expect(Date.now() - began).toBeGreaterThan(59_000)
})

test('memory does not grow with the site', async () => {
  const worker = await service.start('worker', { SCRAPER_MAX_JOB_MB: '2048', SCRAPER_MAX_FILE_MB: '100' })
  await service.members.find(({ kind, pid }) => kind === 'worker' && pid !== worker.pid)!.kill('SIGTERM')
  const { job } = await scraper.mirror({ url: `${site.origin}/big?files=100&bytes=${4 * MB}` })
  expect(job).toMatchObject({ truncated: false, stats: { resources_downloaded: 100 } })
  const status = await readFile(`/proc/${worker.pid}/status`, 'utf8')
  expect(Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024).toBeLessThan(MAX_RSS_MB)
})

test('nothing is left of any run', async () => {
  expect(await leftovers()).toEqual([])
})
