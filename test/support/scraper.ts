import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'

import { fromBufferPromise } from 'yauzl'

import { waitFor } from './service.ts'

const JOB_MS = 100_000

export type ScrapeJob = {
  id: string
  url: string
  status: 'pending' | 'running' | 'completed' | 'failed'
  duration: number | null
  result: { zip_file: string; zip_size: number } | null
  stats: Record<
    'pages_downloaded' | 'resources_downloaded' | 'bytes_downloaded' | 'duplicates_skipped' | 'errors',
    number
  >
  truncated: boolean | null
  error?: string
}

export type Manifest = {
  job_id: string
  url: string
  started_at: number
  completed_at: number
  truncated: boolean
  entries: {
    url: string
    path: string | null
    status: number
    type: string | null
    size: number | null
    sha256: string | null
  }[]
}

/** Files of an archive by name. */
export type Files = Map<string, Buffer>

type Reply<T> = { status: number; text: string; data: T }

/** A user of the scraping service, over HTTP. */
export function scraperOf(origin: string, key: string) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const call = async <T = unknown>(method: string, path: string, body?: object): Promise<Reply<T>> => {
    const answer = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    const { data } = JSON.parse(text) as { data: T }
    return { status: answer.status, text, data }
  }
  const begin = async (order: object): Promise<string> => {
    const { status, text, data } = await call<{ job_id: string }>('POST', '/scrape', order)
    if (status !== 201) throw new Error(`POST /scrape is ${status}: ${text}`)
    return data.job_id
  }
  const job = async (id: string) => (await call<ScrapeJob>('GET', `/jobs/${id}`)).data
  const ended = (id: string, within = JOB_MS) =>
    waitFor(
      async () => {
        const it = await job(id)
        return (it.status === 'completed' || it.status === 'failed') && it
      },
      { within, what: `the end of ${id}` },
    )
  const files = async (id: string): Promise<Files> => {
    const answer = await fetch(`${origin}/api/v1/jobs/${id}/download`, { headers: { 'x-api-key': key } })
    if (answer.status !== 200) throw new Error(`the archive of ${id} is ${answer.status}`)
    return await unzip(Buffer.from(await answer.arrayBuffer()))
  }

  return {
    call,
    begin,
    job,
    ended,
    files,
    remove: (id: string) => call<{ job_id: string }>('DELETE', `/jobs/${id}`),
    /** Mirrors a site and reads its archive. */
    async mirror(order: object) {
      const id = await begin(order)
      const done = await ended(id)
      if (done.status !== 'completed') throw new Error(`${id} failed: ${done.error}`)
      const found = await files(id)
      return { id, job: done, files: found, manifest: manifestOf(found) }
    },
  }
}
export type Scraper = ReturnType<typeof scraperOf>

export const manifestOf = (files: Files) =>
  JSON.parse(files.get('manifest.json')?.toString() ?? 'null') as Manifest

/** Throws when a name leads out of the archive, is there twice, or a checksum is wrong. */
async function unzip(archive: Buffer): Promise<Files> {
  const files: Files = new Map()
  const zip = await fromBufferPromise(archive, { strictFileNames: true })
  for await (const entry of zip.eachEntry()) {
    if (files.has(entry.fileName)) throw new Error(`${entry.fileName} is there twice`)
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    const content = Buffer.concat(chunks)
    if (crc32(content) !== entry.crc32) throw new Error(`the checksum of ${entry.fileName} is wrong`)
    files.set(entry.fileName, content)
  }
  return files
}

export async function unpack(files: Files, directory: string) {
  for (const [name, content] of files) {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), content)
  }
}
