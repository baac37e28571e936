import { type FileHandle, open } from 'node:fs/promises'

import type { Document } from './references.ts'

/** Documents wait in memory until there are so many bytes of them; then one write takes them all. */
const BLOCK_BYTES = 1024 * 1024

type Place<Key> = { key: Key; bodyBytes: number; documentBytes: number }

/**
 * Documents and what they refer to, in a file from which they are read back in the order in which they came: their
 * links can be rewritten only when it is known what was saved.
 */
export class Spool<Key> {
  readonly #file: string
  #handle: Promise<FileHandle> | undefined
  #places: Place<Key>[] = []
  #block: Buffer[] = []
  #blockBytes = 0
  #writing = Promise.resolve()

  constructor(file: string) {
    this.#file = file
  }

  async add(key: Key, body: Buffer, document: Document): Promise<void> {
    const described = Buffer.from(JSON.stringify(document))
    this.#places.push({ key, bodyBytes: body.length, documentBytes: described.length })
    this.#block.push(body, described)
    this.#blockBytes += body.length + described.length
    if (this.#blockBytes >= BLOCK_BYTES) await this.#flush()
  }

  async *read(): AsyncGenerator<{ key: Key; body: Buffer; document: Document }> {
    await this.#flush()
    const handle = await this.#open()
    let position = 0
    for (let at = 0; at < this.#places.length;) {
      const block: Place<Key>[] = []
      let bytes = 0
      for (let place; bytes < BLOCK_BYTES && (place = this.#places[at]); at++) {
        block.push(place)
        bytes += place.bodyBytes + place.documentBytes
      }
      const { buffer } = await handle.read(Buffer.allocUnsafeSlow(bytes), 0, bytes, position)
      position += bytes
      let offset = 0
      for (const { key, bodyBytes, documentBytes } of block) {
        const end = offset + bodyBytes + documentBytes
        const body = buffer.subarray(offset, offset + bodyBytes)
        yield {
          key,
          body,
          document: JSON.parse(buffer.toString('utf8', offset + bodyBytes, end)) as Document,
        }
        offset = end
      }
    }
  }

  async close() {
    await this.#writing.catch(() => {})
    await (await this.#handle)?.close()
  }

  async #open() {
    return await (this.#handle ??= open(this.#file, 'wx+'))
  }

  #flush(): Promise<void> {
    const block = this.#block
    this.#block = []
    this.#blockBytes = 0
    this.#writing = this.#writing.then(async () => {
      const handle = await this.#open()
      for (const piece of block.length > 0 ? [Buffer.concat(block)] : []) await handle.appendFile(piece)
    })
    return this.#writing
  }
}
