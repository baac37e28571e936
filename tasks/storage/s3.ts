import { createReadStream } from 'node:fs'

import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { SpanKind } from '@opentelemetry/api'

import { inSpan, log } from '../../telemetry.ts'
import { type Storage, StorageFault } from '../storage.ts'

/** Parts of an upload: 10,000 of them are 48 GB, and the upload holds two in memory. */
const PART_BYTES = 5 * 1024 * 1024
const PARTS_AT_ONCE = 2
const CONNECT_MS = 5_000
/** A server that says nothing for this long is away. */
const SILENCE_MS = 60_000

export type S3Settings = {
  bucket: string
  endpoint: string | undefined
  region: string | undefined
  forcePathStyle: boolean
  prefix: string | undefined
}

/** Objects in a bucket. Credentials, checksums and the rest come from the SDK's own settings (`AWS_…`). */
export function s3Storage({ bucket, endpoint, region, forcePathStyle, prefix = '' }: S3Settings): Storage {
  const client = new S3Client({
    forcePathStyle,
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
    // Servers of one's own have no regions, but a signature names one.
    ...((region ?? endpoint) && { region: region ?? 'us-east-1' }),
    ...(endpoint !== undefined && { endpoint }),
  })
  // Here, past where addresses are signed, which sends nothing.
  client.middlewareStack.add(
    (next, { commandName = 'call' }) =>
      (call) => {
        const attributes = {
          'rpc.system': 'aws-api',
          'rpc.method': `S3/${commandName}`,
          'aws.s3.bucket': bucket,
        }
        return inSpan(`S3 ${commandName}`, { kind: SpanKind.CLIENT, attributes }, () => next(call))
      },
    { step: 'finalizeRequest', priority: 'high' },
  )
  const object = (key: string) => ({ Bucket: bucket, Key: prefix + key })

  return {
    async put(key, file, signal) {
      await translated(async () => {
        await abortUploads(key)
        await upload(key, file, signal)
      })
    },
    link: (key, { seconds }) =>
      translated(() => {
        const disposition = `attachment; filename="${key}"`
        const command = new GetObjectCommand({ ...object(key), ResponseContentDisposition: disposition })
        return getSignedUrl(client, command, { expiresIn: seconds })
      }),
    remove: (key) =>
      translated(async () => {
        await abortUploads(key)
        await client.send(new DeleteObjectCommand(object(key)))
      }),
  }

  async function upload(key: string, file: string, signal: AbortSignal) {
    signal.throwIfAborted()
    const body = createReadStream(file, { highWaterMark: PART_BYTES / 5 })
    const uploading = new Upload({
      client,
      params: { ...object(key), Body: body, ContentType: 'application/zip' },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
    })
    // Its own way to abort does not wait until the parts are gone.
    const stop = () => body.destroy(signal.reason as Error)
    signal.addEventListener('abort', stop)
    try {
      await uploading.done()
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
      body.destroy()
    }
  }

  /** Parts that a killed worker left, or one that lost the bucket on the way: nobody sees them, but they are paid for. */
  async function abortUploads(key: string) {
    try {
      const { Uploads = [] } = await client.send(
        new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix + key }),
      )
      for (const { Key, UploadId } of Uploads)
        if (Key === prefix + key)
          await client.send(new AbortMultipartUploadCommand({ ...object(key), UploadId }))
    } catch (error) {
      if (faultOf(error)?.kind === 'away') throw error
      // Not every server lists them, nor may everybody who may write.
      log.debug({ err: error, key }, 'unfinished uploads could not be listed')
    }
  }
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw faultOf(error) ?? error
  }
}

const network = /^(E(CONN|PIPE|AI_|NOTFOUND|TIMEDOUT|HOST|NET)|TimeoutError$|NetworkingError$)/

/** What the SDK's error means for us; undefined when it is about something else, a file that cannot be read for one. */
function faultOf(error: unknown): StorageFault | undefined {
  const { name, message, code, $metadata } = error as Error & {
    code?: string
    $metadata?: { httpStatusCode?: number }
  }
  const status = $metadata?.httpStatusCode
  const what = status === undefined ? message : `${name}, HTTP ${status}`
  if (/Credential|Region is missing/.test(`${name} ${message}`) && status === undefined)
    return new StorageFault('refused', `there are no usable S3 credentials: ${message}`, { cause: error })
  if (status !== undefined && status >= 300 && status < 500 && status !== 408 && status !== 429)
    return new StorageFault('refused', `the bucket refuses it (${what})`, { cause: error })
  if (status !== undefined || network.test(code ?? '') || network.test(name))
    return new StorageFault('away', `the bucket cannot be reached (${what})`, { cause: error })
  return undefined
}
