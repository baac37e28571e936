import type { Duplex, Readable, Writable } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'

import { FetchFault } from './fault.ts'

const maxLayers = 2
/** RFC 9659: content coding zstd uses windows of 8 MiB at most; a larger one only costs memory. */
const zstdWindowLog = 23

/** What this door accepts; every coding here is undone below. */
export const acceptEncoding = 'gzip, deflate, br, zstd'

/** Streams that undo a `Content-Encoding`; null when the body is as it is. */
export function decoder(header: string, firstBytes: Buffer): { input: Writable; output: Readable } | null {
  // Browsers ignore a coding that nobody knows ("utf-8", "none"), so servers get away with them.
  const layers = header
    .toLowerCase()
    .split(',')
    .map((name) => coders[name.trim()])
    .filter((coder) => coder !== undefined)
    .toReversed()
  if (layers.length > maxLayers)
    throw new FetchFault('encoding', `more than ${maxLayers} content encodings: ${header}`)
  const [outer, inner] = layers
  if (!outer) return null
  const input = outer(firstBytes)
  if (!inner) return { input, output: input }
  const output = inner(zlibHeader)
  input.on('error', (error) => output.destroy(error))
  output.on('close', () => input.destroy())
  return { input, output: input.pipe(output) }
}

const zlibHeader = Buffer.of(0x78)

const coders: Record<string, ((firstBytes: Buffer) => Duplex) | undefined> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  // Meant to be zlib, sent raw by some servers; the low nibble of a zlib header is always 8.
  deflate: (firstBytes) => (((firstBytes[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } }),
}
