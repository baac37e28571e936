import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test, vi } from 'vitest'

import { scraper } from '../../api/scraper/index.ts'
import * as jobs from '../../sql/scrape-jobs.ts'
import * as runs from '../../sql/scrape-runs.ts'
import { useApi } from '../support/api.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'

// A name that begins with a dot, as the default does.
const home = vi.hoisted(() => `/tmp/scraper-download-${process.pid}/.data`)
vi.hoisted(() => vi.stubEnv('DATA_DIR', home))

const content = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251))

useDatabase()
const api = useApi(scraper)
let mario: Person
let id: string
let lost: string

beforeAll(async () => {
  await mkdir(join(home, 'archives'), { recursive: true })
  mario = await makePerson('mario')
  id = await makeCompleted('job_1_a')
  lost = await makeCompleted('job_1_b')
  await writeFile(join(home, 'archives', `${id}.zip`), content)
})
afterAll(() => rm(join(home, '..'), { recursive: true, force: true }))

const make = (publicId: string) =>
  jobs.create({
    publicId,
    userId: mario.id,
    url: 'http://site.test/',
    host: 'site.test',
    depth: 2,
    maxPages: 100,
    htmlOnly: false,
    filters: {},
    answer: null,
  })

async function makeCompleted(publicId: string) {
  const job = await make(publicId)
  const lease = randomUUID()
  await runs.take(job, lease, randomUUID())
  const stats = {
    pages_downloaded: 1,
    resources_downloaded: 0,
    bytes_downloaded: 1,
    duplicates_skipped: 0,
    errors: 0,
  }
  await runs.complete(job, lease, { stats, zipSize: content.length, truncated: false, cms: null })
  return publicId
}

const fetchArchive = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${api.url}/api/v1/jobs/${id}/download`, { method, headers: { 'X-API-Key': mario.key, ...headers } })

test('the whole file, under its name', async () => {
  const answer = await fetchArchive()
  expect(answer.status).toBe(200)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/zip',
    'content-disposition': `attachment; filename="${id}.zip"`,
    'content-length': String(content.length),
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'x-ratelimit-limit': '60',
  })
  expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true)
})

test('with the key in the address, as a browser would', async () => {
  const answer = await fetch(`${api.url}/api/v1/jobs/${id}/download?api_key=${mario.key}`)
  expect((await answer.arrayBuffer()).byteLength).toBe(content.length)
})

test('a part of it, and the rest after a break', async () => {
  const part = await fetchArchive({ Range: 'bytes=10-19' })
  expect(part.status).toBe(206)
  expect(part.headers.get('content-range')).toBe(`bytes 10-19/${content.length}`)
  expect(Buffer.from(await part.arrayBuffer()).equals(content.subarray(10, 20))).toBe(true)
  const rest = await fetchArchive({ Range: 'bytes=99990-', 'If-Range': part.headers.get('etag')! })
  expect(rest.status).toBe(206)
  expect((await rest.arrayBuffer()).byteLength).toBe(10)
  const other = await fetchArchive({ Range: 'bytes=99990-', 'If-Range': '"other"' })
  expect(other.status).toBe(200)
  await other.arrayBuffer()
})

test('a part that it does not have', async () => {
  const { status, body, headers } = await api.get(`/jobs/${id}/download`, {
    as: mario,
    headers: { Range: 'bytes=200000-' },
  })
  expect(status).toBe(416)
  expect(body.error.error).toBe('BAD_REQUEST')
  expect(headers.get('content-range')).toBe(`bytes */${content.length}`)
  expect(headers.has('content-disposition')).toBe(false)
})

test('HEAD, and what is known already', async () => {
  const head = await fetchArchive({}, 'HEAD')
  expect(head.headers.get('content-length')).toBe(String(content.length))
  const again = await fetchArchive({
    'If-None-Match': head.headers.get('etag')!,
    'Cache-Control': 'max-age=0',
  })
  expect(again.status).toBe(304)
})

test('none before the job has completed, after it failed, or when the file is gone', async () => {
  await make('job_2_a')
  const failed = await make('job_2_b')
  const lease = randomUUID()
  await runs.take(failed, lease, randomUUID())
  const stats = {
    pages_downloaded: 0,
    resources_downloaded: 0,
    bytes_downloaded: 0,
    duplicates_skipped: 0,
    errors: 0,
  }
  await runs.fail(failed, lease, { stats, reason: 'x' })
  for (const each of ['job_2_a', 'job_2_b', 'job_2_c', lost]) {
    const { status, body } = await api.get(`/jobs/${each}/download`, { as: mario })
    expect(status).toBe(404)
    expect(body.error.error).toBe('NOT_FOUND')
  }
})

test('whoever stops reading does not disturb', async () => {
  const controller = new AbortController()
  const answer = await fetch(`${api.url}/api/v1/jobs/${id}/download`, {
    headers: { 'X-API-Key': mario.key },
    signal: controller.signal,
  })
  controller.abort()
  await expect(answer.arrayBuffer()).rejects.toMatchObject({ name: 'AbortError' })
  expect((await fetchArchive({}, 'HEAD')).status).toBe(200)
})
