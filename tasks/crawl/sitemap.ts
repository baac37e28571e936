import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

import { FetchFault, faultOf } from '../fault.ts'
import { type FetchOptions, openFollowing } from '../http.ts'
import { type Found, sitemapReader } from './sitemap-reader.ts'

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
}

/**
 * The addresses that sitemaps list, in batches while they arrive. Files named by an index follow, each file is read
 * once, and a file at fault does not keep the others from being read.
 */
export async function* sitemapUrls(
  start: readonly URL[],
  { limit, onFault, ...options }: SitemapOptions,
): AsyncGenerator<string[]> {
  const deadline = performance.now() + allFilesMs
  const files = new Map(start.map((url) => [url.href, url]))
  let left = limit
  for (const file of files.values()) {
    const timeoutMs = Math.min(options.timeoutMs ?? fileMs, deadline - performance.now())
    if (left <= 0 || timeoutMs <= 0) return
    try {
      for await (const { pages, sitemaps } of readFile(file, { ...options, timeoutMs })) {
        for (const url of addresses(sitemaps)) if (files.size < maxFiles) files.set(url.href, url)
        const batch = addresses(pages).slice(0, left)
        left -= batch.length
        if (batch.length > 0) yield batch.map(({ href }) => href)
        if (left <= 0) return
      }
    } catch (error) {
      options.signal?.throwIfAborted()
      onFault?.(file, faultOf(error))
    }
  }
}

async function* readFile(file: URL, options: FetchOptions): AsyncGenerator<Found> {
  const { opened } = await openFollowing(file, { maxBytes: maxFileBytes, ...options, maxRedirects })
  const { status, body } = opened
  try {
    if (status < 200 || status > 299) throw new FetchFault('protocol', `${file.href} answers ${status}`)
    const reader = sitemapReader()
    let left = maxFileUrls
    for await (const chunk of unzipped(body)) {
      reader.write(chunk)
      if (reader.waiting() < batchUrls) continue
      const found = reader.take(left)
      left -= found.pages.length
      yield found
      if (left === 0) return
    }
    reader.end()
    yield reader.take(left)
    if (!reader.isSitemap()) throw new FetchFault('protocol', `${file.href} is no sitemap`)
    if (opened.truncated) throw new FetchFault('protocol', `${file.href} is not whole`)
  } finally {
    body.destroy()
  }
}

/** A `.gz` file arrives packed whatever its headers say, so its bytes decide. */
async function* unzipped(body: Readable): AsyncGenerator<Buffer> {
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
    if (bytes > maxFileBytes)
      throw new FetchFault('encoding', `more than ${maxFileBytes} bytes when unpacked`)
    yield chunk
  }
}

async function* startingWith(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}

const addresses = (found: readonly string[]) =>
  found.flatMap((text) => {
    const url = URL.parse(text)
    return url && /^https?:$/.test(url.protocol) ? [url] : []
  })
