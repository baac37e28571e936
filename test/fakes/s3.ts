import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import S3rver from '@20minutes/s3rver'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { buildApp } from 'fauxqs'

export const bucket = 'archives'

export type FakeS3 = {
  endpoint: string
  /** What the AWS SDK is to find in its environment. */
  env: { AWS_ACCESS_KEY_ID: string; AWS_SECRET_ACCESS_KEY: string }
  /** Cuts all connections and takes no more, until it is back on the same port. */
  leave: () => Promise<void>
  comeBack: () => Promise<void>
  /** Bytes sent to it so far. */
  received: () => number
  close: () => Promise<void>
}

/** Checks signatures and expiry, keeps objects on disk, knows nothing of buckets and of aborting. */
export async function startS3rver(): Promise<FakeS3> {
  const directory = await mkdtemp(join(tmpdir(), 'seo-suite-s3-'))
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: bucket, configs: [] }],
  })
  const { port } = await server.run()
  return await inFrontOf(port, { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' }, async () => {
    await server.close()
    await rm(directory, { recursive: true, force: true })
  })
}

/** Knows all of S3's operations, keeps objects in memory, checks no signature. */
export async function startFauxqs(): Promise<FakeS3> {
  const app = buildApp({ logger: false })
  listUploads(app)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const env = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' }
  const fake = await inFrontOf(port, env, () => app.close())
  const client = clientOf(fake)
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  client.destroy()
  return fake
}

/** The one operation that it lacks: unfinished uploads are listed. */
function listUploads(app: ReturnType<typeof buildApp>) {
  const keys = new Map<string, string>()
  app.addHook('onSend', async ({ method, url }, { statusCode }, payload) => {
    if (statusCode >= 300) return payload
    const [path = '', query = ''] = url.split('?')
    const begun = /<UploadId>(.*)<\/UploadId>/.exec(String(payload))?.[1]
    const ended = new URLSearchParams(query).get('uploadId')
    if (method === 'POST' && query.startsWith('uploads') && begun)
      keys.set(begun, decodeURIComponent(path.slice(bucket.length + 2)))
    else if ((method === 'POST' || method === 'DELETE') && ended) keys.delete(ended)
    return payload
  })
  app.addHook('onRequest', async ({ method, url }, reply) => {
    if (method !== 'GET' || !/[?&]uploads[=&]?/.test(url)) return
    const prefix = new URLSearchParams(url.split('?')[1]).get('prefix') ?? ''
    const uploads = [...keys]
      .filter(([, key]) => key.startsWith(prefix))
      .map(([id, key]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`)
    return reply
      .type('application/xml')
      .send(`<ListMultipartUploadsResult>${uploads.join('')}</ListMultipartUploadsResult>`)
  })
}

/** For what a test looks up or makes in the bucket itself. */
export const clientOf = ({ endpoint, env }: Pick<FakeS3, 'endpoint' | 'env'>) =>
  new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: env.AWS_ACCESS_KEY_ID, secretAccessKey: env.AWS_SECRET_ACCESS_KEY },
  })

/** A door before a server, which can be shut. */
async function inFrontOf(port: number, env: FakeS3['env'], stop: () => Promise<unknown>): Promise<FakeS3> {
  const sockets = new Set<Socket>()
  let received = 0
  const door = createServer((outside) => {
    const inside = connect(port, '127.0.0.1')
    for (const socket of [outside, inside]) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket)
          inside.destroy()
          outside.destroy()
        })
    }
    outside.on('data', (chunk) => (received += chunk.length))
    outside.pipe(inside).pipe(outside)
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  const { port: doorPort } = door.address() as AddressInfo
  const leave = async () => {
    if (!door.listening) return
    const closed = once(door, 'close')
    door.close()
    for (const socket of sockets) socket.resetAndDestroy()
    await closed
  }
  return {
    endpoint: `http://127.0.0.1:${doorPort}`,
    env,
    leave,
    async comeBack() {
      door.listen(doorPort, '127.0.0.1')
      await once(door, 'listening')
    },
    received: () => received,
    async close() {
      await leave()
      await stop()
    },
  }
}
