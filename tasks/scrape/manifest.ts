import { Readable } from 'node:stream'

import { type Resource, settle } from './frontier.ts'

export type About = {
  /** As the API names it. */
  jobId: string
  url: string
  /** Milliseconds since 1970. */
  startedAt: number
  truncated: boolean
}

/** `manifest.json` of an archive, written as it is read: it may be longer than the memory for a job. */
export const manifest = (about: About, resources: Iterable<Resource>) =>
  Readable.from(lines(about, resources), { objectMode: false, highWaterMark: 64 * 1024 })

function* lines({ jobId, url, startedAt, truncated }: About, resources: Iterable<Resource>) {
  const head = {
    job_id: jobId,
    url,
    started_at: seconds(startedAt),
    completed_at: seconds(Date.now()),
    truncated,
  }
  yield `${JSON.stringify(head).slice(0, -1)},"entries":[`
  let separator = '\n'
  for (const resource of resources) {
    if (resource.status === null) continue
    yield `${separator}${JSON.stringify(entryOf(resource))}`
    separator = ',\n'
  }
  yield '\n]}\n'
}

function entryOf(resource: Resource) {
  const { url, status } = resource
  const isRedirect = status !== null && status >= 300 && status < 400
  const there = isRedirect ? null : settle(resource)
  return {
    url,
    path: there?.path ?? null,
    status,
    type: resource.type,
    size: there?.size ?? null,
    sha256: there ? Buffer.from(there.hash, 'base64url').toString('hex') : null,
  }
}

const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000)

/** A page at the root that leads to another. */
export function signpost(path: string): Buffer {
  const address = path.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return Buffer.from(
    `<!doctype html>\n<meta charset="utf-8">\n<meta http-equiv="refresh" content="0; url=${address}">\n` +
      `<title>Archive</title>\n<a href="${address}">Start page</a>\n`,
  )
}
