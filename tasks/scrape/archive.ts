import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { ZipArchive } from 'archiver'

/** Entries that wait for their turn, for the ZIP takes one at a time; small ones wait in memory. */
const PENDING = 24
/** On 400 pages, scripts and style sheets: 6 % smaller than level 1 for a tenth more time; level 6 gains 2 % for a quarter. */
const LEVEL = 4

export type Content = Buffer | { file: string }

/** A ZIP file being written. After a fault every call rejects with it. */
export class Archive {
  readonly #file: string
  readonly #date: Date
  readonly #zip = new ZipArchive({ zlib: { level: LEVEL } })
  readonly #written: Promise<void>
  readonly #sources = new Set<Readable>()
  #fault: Error | undefined
  #pending = 0
  #change = Promise.withResolvers<void>()

  constructor(file: string, date: Date) {
    this.#file = file
    this.#date = date
    this.#written = pipeline(this.#zip, createWriteStream(file))
    this.#written.catch((error: Error) => this.destroy(error))
    this.#zip.on('entry', () => {
      this.#pending--
      this.#tell()
    })
  }

  /** Adds a Buffer, or a file, which is deleted behind it. Resolves when there is room for another. */
  async add(name: string, content: Content, type: string): Promise<void> {
    this.#append(name, Buffer.isBuffer(content) ? streamOf(content) : consume(content.file), type)
    await this.#until(() => this.#pending < PENDING)
  }

  /** Adds what a stream gives, and resolves when it is all there. */
  async stream(name: string, source: Readable, type: string): Promise<void> {
    this.#append(name, source, type)
    await this.#until(() => this.#pending === 0)
  }

  /** Ends the file; returns its size in bytes. */
  async close(): Promise<number> {
    await this.#until(() => this.#pending === 0)
    this.#zip.finalize().catch(() => {})
    await this.#written
    return (await stat(this.#file)).size
  }

  destroy(reason: Error) {
    if (this.#fault) return
    this.#fault = reason
    this.#zip.destroy(reason)
    for (const source of this.#sources) source.destroy()
    this.#tell()
  }

  #append(name: string, source: Readable, type: string) {
    if (this.#fault) return void source.destroy()
    this.#pending++
    this.#sources.add(source)
    // Half an entry cannot be taken back.
    source.on('error', (error) => this.destroy(error)).on('close', () => this.#sources.delete(source))
    this.#zip.append(source, { name, date: this.#date, store: COMPRESSED.test(type) })
  }

  async #until(condition: () => boolean) {
    while (!this.#fault && !condition()) await this.#change.promise
    if (this.#fault) throw this.#fault
  }

  #tell() {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }
}

const consume = (file: string) =>
  createReadStream(file).on('close', () => void rm(file, { force: true }).catch(() => {}))

/** Not a Buffer: archiver keeps those until its end, 1 GB of them if need be. */
const streamOf = (content: Buffer) =>
  new Readable({
    highWaterMark: 1,
    read() {
      if (content.length > 0) this.push(content)
      this.push(null)
    },
  })

/** Compressing these again costs time and gains nothing. */
const COMPRESSED =
  /^(image\/(?!svg|bmp|x-ms-bmp|x-icon|vnd\.microsoft\.icon|tiff)|video\/|audio\/(?!wav|x-wav|midi)|font\/woff|application\/(font-woff|x-font-woff|zip|gzip|x-gzip|x-7z|x-rar|vnd\.rar|pdf|epub|java-archive|vnd\.openxmlformats|x-bzip|x-xz|zstd))/
