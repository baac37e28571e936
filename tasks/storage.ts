import { join } from 'node:path'

import { config } from '../config.ts'
import { localStorage } from './storage/local.ts'

/** Where finished archives are kept. Keys are plain file names. */
export type Storage = {
  /** Puts a finished file under a key: there is all of it, or nothing new. The file may be moved away. */
  put(key: string, file: string, signal: AbortSignal): Promise<void>
  /** An address that gives the file to whoever has it, for so long; null when it is to be read from `DATA_DIR`. */
  link(key: string, options: { seconds: number }): Promise<string | null>
  /** What is not there is removed too. */
  remove(key: string): Promise<void>
}

/** Why nothing could be stored. `away` passes by itself, `refused` does not: somebody has to mend the settings. */
export class StorageFault extends Error {
  override readonly name = 'StorageFault'
  readonly kind: 'away' | 'refused'

  constructor(kind: StorageFault['kind'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

let opened: Promise<Storage> | undefined

/** The bucket of this service, or its own disk. */
export const storage = (): Promise<Storage> => (opened ??= open())

async function open(): Promise<Storage> {
  const { S3_BUCKET: bucket } = config
  if (bucket === undefined) return localStorage(join(config.DATA_DIR, 'archives'))
  // 40 MB of memory and a third of a second, for those who have a bucket.
  const { s3Storage } = await import('./storage/s3.ts')
  return s3Storage({
    bucket,
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
    prefix: config.S3_PREFIX,
  })
}
