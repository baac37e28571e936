import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

import { FetchFault, faultOf } from '../fault.ts'
import { type FetchOptions, openFollowing } from '../http.ts'
import { type Entry, type Found, sitemapReader } from './sitemap-reader.ts'

/** Limits of sitemaps.org for one file, uncompressed. */
const maxFileBytes = 50 * 1024 * 1024
const maxFileUrls = 50_000
const maxFiles = 50
const maxRedirects = 5
const fileMs = 120_000
const allFilesMs = 600_000
const batchUrls = 1_000

export type SitemapOptions = FetchOptions & {
  /** URLs at most, all files together. */
  limit: number
  /** Told of each file that could not be read, or not to its end. */
  onFault?: (file: URL, fault: FetchFault) => void
  /** Told when a limit left something unread. */
  onCut?: () => void
  /** Told of each file that was asked for, when it is done with. */
  onFile?: (report: FileReport) => void
}

export type FileReport = {
  url: URL
  /** `invalid`: a faulty sitemap; `foreign`: something else; `unknown`: nothing clear came back. */
  state: 'read' | 'missing' | 'invalid' | 'foreign' | 'unknown'
  /** Larger than the protocol allows. */
  large: boolean
  /** Pages it lists. */
  urls: number
}

/** An address that a sitemap lists. */
export type Listed = Entry & { url: URL }

/**
 * The addresses that sitemaps list, in batches while they arrive. Files named by an index follow, each file is read
 * once, and a file at fault does not keep the others from being read.
 */
export async function* sitemapUrls(
  start: readonly URL[],
  { limit, onFault, onCut, onFile, ...options }: SitemapOptions,
): AsyncGenerator<Listed[]> {
  const deadline = performance.now() + allFilesMs
  const files = new Map(start.map((url) => [url.href, url]))
  let left = limit
  for (const file of files.values()) {
    const timeoutMs = Math.min(options.timeoutMs ?? fileMs, deadline - performance.now())
    if (left <= 0 || timeoutMs <= 0) return onCut?.()
    const report: FileReport = { url: file, state: 'read', large: false, urls: 0 }
    try {
      for await (const { pages, sitemaps } of readFile(file, { ...options, timeoutMs }, report)) {
        if (![...pages, ...sitemaps].every(isSound)) report.state = 'invalid'
        for (const { url } of addresses(sitemaps)) {
          if (files.size < maxFiles) files.set(url.href, url)
          else if (!files.has(url.href)) onCut?.()
        }
        const listed = addresses(pages)
        const batch = listed.slice(0, left)
        left -= batch.length
        if (batch.length > 0) yield batch
        if (batch.length < listed.length) return onCut?.()
      }
    } catch (error) {
      options.signal?.throwIfAborted()
      if (report.state === 'read' && !report.large) report.state = 'unknown'
      onFault?.(file, faultOf(error))
    } finally {
      onFile?.(report)
    }
  }
}

async function* readFile(file: URL, options: FetchOptions, report: FileReport): AsyncGenerator<Found> {
  const { opened } = await openFollowing(file, { maxBytes: maxFileBytes, ...options, maxRedirects })
  const { status, body } = opened
  try {
    if (status === 404 || status === 410) report.state = 'missing'
    if (status < 200 || status > 299) throw new FetchFault('protocol', `${file.href} answers ${status}`)
    const reader = sitemapReader()
    const take = () => {
      const { pages, sitemaps } = reader.take(Infinity)
      const left = maxFileUrls - report.urls
      if (pages.length > left) report.large = true
      report.urls += Math.min(left, pages.length)
      return { pages: pages.slice(0, left), sitemaps }
    }
    for await (const chunk of unzipped(body, report)) {
      reader.write(chunk)
      if (reader.waiting() < batchUrls) continue
      yield take()
      if (report.large) return
    }
    reader.end()
    yield take()
    if (opened.truncated) {
      report.large = opened.headers['content-encoding'] === undefined
      throw new FetchFault('protocol', `${file.href} is not whole`)
    }
    if (!reader.isSitemap()) report.state = 'foreign'
    else if (!reader.isSound()) report.state = 'invalid'
    if (!reader.isSitemap()) throw new FetchFault('protocol', `${file.href} is no sitemap`)
  } finally {
    body.destroy()
  }
}

/** A `.gz` file arrives packed whatever its headers say, so its bytes decide. */
async function* unzipped(body: Readable, report: FileReport): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>
  const first = await chunks.next()
  if (first.done) return
  const all = startingWith(first.value, chunks)
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) return yield* all
  const gunzip = createGunzip()
  // Its error reaches whoever reads the stream.
  pipeline(all, gunzip, () => {})
  let bytes = 0
  for await (const chunk of gunzip as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxFileBytes) {
      report.large = true
      throw new FetchFault('encoding', `more than ${maxFileBytes} bytes when unpacked`)
    }
    yield chunk
  }
}

async function* startingWith(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}

/** A whole address, and a date as W3C writes it. */
const isSound = ({ loc, lastmod }: Entry) =>
  /^https?:$/.test(URL.parse(loc)?.protocol ?? '') && (lastmod === null || W3C_DATE.test(lastmod))
const W3C_DATE = /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?)?)?$/

const addresses = (found: readonly Entry[]): Listed[] =>
  found.flatMap((entry) => {
    const url = URL.parse(entry.loc)
    return url && /^https?:$/.test(url.protocol) ? [{ ...entry, url }] : []
  })
