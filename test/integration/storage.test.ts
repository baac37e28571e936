import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { GetObjectCommand, HeadObjectCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { config } from '../../config.ts'
import type { Storage } from '../../tasks/storage.ts'
import { localStorage } from '../../tasks/storage/local.ts'
import { s3Storage } from '../../tasks/storage/s3.ts'
import { bucket, clientOf, type FakeS3, startFauxqs, startS3rver } from '../fakes/s3.ts'
import { waitFor } from '../support/service.ts'

const MIB = 2 ** 20
const never = new AbortController().signal

let home: string
let s3rver: FakeS3
let fauxqs: FakeS3
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'seo-suite-storage-'))
  s3rver = await startS3rver()
  fauxqs = await startFauxqs()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await Promise.all([s3rver?.close(), fauxqs?.close(), rm(home, { recursive: true, force: true })])
})

function open(
  { endpoint, env }: { endpoint: string; env: Record<string, string> },
  prefix?: string,
  name = bucket,
): Storage {
  for (const [key, value] of Object.entries(env)) vi.stubEnv(key, value)
  return s3Storage({ bucket: name, endpoint, region: undefined, forcePathStyle: true, prefix })
}

let files = 0
async function makeFile(bytes: number) {
  const file = join(home, `file-${++files}`)
  const content = randomBytes(bytes)
  await writeFile(file, content)
  return { file, hash: hashOf(content) }
}
const hashOf = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

/** Any other server that `S3_ENDPOINT` and `S3_BUCKET` name, with the credentials of this process. */
const own =
  config.S3_ENDPOINT && config.S3_BUCKET
    ? { endpoint: config.S3_ENDPOINT, name: config.S3_BUCKET }
    : undefined

describe.each([
  ['s3rver', () => open(s3rver)],
  ['fauxqs', () => open(fauxqs)],
  ['fauxqs below a prefix', () => open(fauxqs, 'some/where/')],
  ...(own
    ? [[own.endpoint, () => open({ endpoint: own.endpoint, env: {} }, 'test/', own.name)] as const]
    : []),
] as const)('%s', (_name, opened) => {
  test.each([0, 70_000, 12 * MIB])('%i bytes come back as they were', async (bytes) => {
    const store = opened()
    const { file, hash } = await makeFile(bytes)
    await store.put('job_1_a.zip', file, never)
    const address = await store.link('job_1_a.zip', { seconds: 60 })
    const answer = await fetch(address!)
    expect(answer.status).toBe(200)
    expect(hashOf(await answer.bytes())).toBe(hash)
  })

  test('what is put again replaces what was there', async () => {
    const store = opened()
    const second = await makeFile(1000)
    await store.put('job_1_b.zip', (await makeFile(2000)).file, never)
    await store.put('job_1_b.zip', second.file, never)
    const answer = await fetch((await store.link('job_1_b.zip', { seconds: 60 }))!)
    expect(hashOf(await answer.bytes())).toBe(second.hash)
  })

  test('what is removed is gone, and can be removed again', async () => {
    const store = opened()
    await store.put('job_1_c.zip', (await makeFile(1000)).file, never)
    await store.remove('job_1_c.zip')
    await store.remove('job_1_c.zip')
    expect((await fetch((await store.link('job_1_c.zip', { seconds: 60 }))!)).status).toBe(404)
  })
})

describe('a link', () => {
  test('is signed, and names the file', async () => {
    const store = open(s3rver)
    await store.put('job_2.zip', (await makeFile(10)).file, never)
    const link = (await store.link('job_2.zip', { seconds: 60 }))!
    const answer = await fetch(link)
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="job_2.zip"')
    expect(answer.headers.get('content-type')).toBe('application/zip')
    await answer.arrayBuffer()
    expect((await fetch(link.replace('job_2', 'job_1'))).status).toBe(403)
  })

  test('ends', async () => {
    const store = open(s3rver)
    await store.put('job_3.zip', (await makeFile(10)).file, never)
    const link = (await store.link('job_3.zip', { seconds: 1 }))!
    await expect.poll(async () => (await fetch(link)).status, { timeout: 5000, interval: 200 }).toBe(403)
  })
})

describe('an upload', () => {
  const unfinished = async () => {
    const client = clientOf(fauxqs)
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
    client.destroy()
    return Uploads.map(({ Key }) => Key)
  }
  const exists = async (key: string) => {
    const client = clientOf(fauxqs)
    const found = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key })).then(
      () => true,
      () => false,
    )
    client.destroy()
    return found
  }

  test('that is aborted leaves nothing, not even parts', async () => {
    const store = open(fauxqs)
    const { file } = await makeFile(64 * MIB)
    const before = fauxqs.received()
    const stop = new AbortController()
    const putting = store.put('job_4.zip', file, stop.signal)
    await waitFor(() => fauxqs.received() - before > 6 * MIB, { every: 1 })
    expect(await unfinished()).toEqual(['job_4.zip'])
    stop.abort(new Error('cancelled'))
    await expect(putting).rejects.toThrow('cancelled')
    expect(await unfinished()).toEqual([])
    expect(await exists('job_4.zip')).toBe(false)
  })

  test('that loses the bucket says so, and the next one clears up behind it', async () => {
    const store = open(fauxqs)
    const { file, hash } = await makeFile(24 * MIB)
    const before = fauxqs.received()
    const putting = store.put('job_5.zip', file, never)
    putting.catch(() => {})
    await waitFor(() => fauxqs.received() - before > 6 * MIB, { every: 1 })
    await fauxqs.leave()
    await expect(putting).rejects.toMatchObject({ name: 'StorageFault', kind: 'away' })
    await expect(store.put('job_5.zip', file, never)).rejects.toMatchObject({ kind: 'away' })
    await fauxqs.comeBack()
    expect(await unfinished()).toEqual(['job_5.zip'])
    expect(await exists('job_5.zip')).toBe(false)
    await store.put('job_5.zip', file, never)
    expect(await unfinished()).toEqual([])
    const client = clientOf(fauxqs)
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'job_5.zip' }))
    expect(hashOf(await Body!.transformToByteArray())).toBe(hash)
    client.destroy()
  })

  test.each([
    ['wrong credentials', { AWS_ACCESS_KEY_ID: 'somebody', AWS_SECRET_ACCESS_KEY: 'else' }, bucket, /403/],
    ['a wrong secret', { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'else' }, bucket, /403/],
    ['a bucket that is not there', {}, 'nowhere', /NoSuchBucket, HTTP 404/],
  ])('with %s is refused with a reason', async (_what, env, name, reason) => {
    const store = open({ endpoint: s3rver.endpoint, env: { ...s3rver.env, ...env } }, undefined, name)
    const { file } = await makeFile(1000)
    await expect(store.put('job_6.zip', file, never)).rejects.toMatchObject({
      name: 'StorageFault',
      kind: 'refused',
      message: expect.stringMatching(reason),
    })
  })

  test('of a file that is not there is no fault of the bucket', async () => {
    await expect(open(s3rver).put('job_7.zip', join(home, 'none'), never)).rejects.toMatchObject({
      code: 'ENOENT',
    })
  })
})

describe('the disk', () => {
  test('keeps files by name below one directory, and nowhere else', async () => {
    const directory = join(home, 'archives')
    const store = localStorage(directory)
    const { file, hash } = await makeFile(70_000)
    await store.put('job_1.zip', file, never)
    expect(existsSync(file)).toBe(false)
    expect(hashOf(await readFile(join(directory, 'job_1.zip')))).toBe(hash)
    expect(await store.link('job_1.zip', { seconds: 60 })).toBe(null)
    await store.put('../../outside.zip', (await makeFile(10)).file, never)
    expect(await readdir(directory)).toEqual(['job_1.zip', 'outside.zip'])
    await store.remove('job_1.zip')
    await store.remove('job_1.zip')
    expect(await readdir(directory)).toEqual(['outside.zip'])
  })
})
