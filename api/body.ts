import { promisify } from 'node:util'
import { gunzip, inflate, type ZlibOptions } from 'node:zlib'

import type { Request, Response } from 'express'
import { parse } from 'qs'

import { Problem } from '../problem.ts'

const BODY_BYTES = 1024 * 1024
/** What a refused body may still send, unread, so that its sender sees the answer and not a broken connection. */
const DRAIN_BYTES = 16 * BODY_BYTES
const DRAIN_MS = 5000
/** A connection that was answered before its request ended is read, and forgotten, this long. */
const LINGER_MS = 1000
/** Form fields, and elements of one array; the rest is ignored. */
const FORM_FIELDS = 20_000

type Decode = (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>
const decoders = new Map<string, Decode>([
  ['identity', async (bytes) => bytes],
  ['gzip', promisify<Buffer, ZlibOptions, Buffer>(gunzip)],
  ['deflate', promisify<Buffer, ZlibOptions, Buffer>(inflate)],
])

/** The fields of a request's body: JSON when it begins with `{`, whatever its content type; otherwise a form. */
export async function readBody(request: Request, response: Response): Promise<Record<string, unknown>> {
  const bytes = await decoded(await received(request, response), request.get('content-encoding'))
  const text = bytes.toString('utf8').replace(/^[\uFEFF\s]+/, '')
  if (text.startsWith('{')) return parseJson(text)
  if (text && request.is('json')) throw new Problem('malformed_body')
  return parseForm(text)
}

/** Reads a form or a query string: percent decoding, PHP-style arrays (`ids[]=1`), repeated names as arrays. */
export function parseForm(text: string | null | undefined): Record<string, unknown> {
  return storable(parse(text ?? '', { depth: 5, parameterLimit: FORM_FIELDS, arrayLimit: FORM_FIELDS }))
}

function parseJson(text: string): Record<string, unknown> {
  try {
    return storable(JSON.parse(text) as Record<string, unknown>)
  } catch (error) {
    throw new Problem('malformed_body', {}, { cause: error })
  }
}

/** Not left to Express: it reads a body that is too large to its end, however far that is, before it says so. */
function received(request: Request, response: Response): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let timer: NodeJS.Timeout | undefined

    const finish = () => {
      clearTimeout(timer)
      request.off('data', take).off('end', finish).off('close', finish).off('error', finish)
      if (!request.complete) {
        response.set('Connection', 'close')
        linger(request)
      }
      if (bytes > BODY_BYTES) reject(new Problem('body_too_large'))
      else if (request.complete) resolve(Buffer.concat(chunks))
      else reject(new Problem('malformed_body'))
    }
    const take = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= BODY_BYTES) return void chunks.push(chunk)
      chunks.length = 0
      timer ??= setTimeout(finish, DRAIN_MS)
      if (bytes > DRAIN_BYTES) finish()
    }
    request.on('data', take).on('end', finish).on('close', finish).on('error', finish)
  })
}

/** A socket that is closed with bytes unread is reset, and the answer is lost on its way: only our side ends at once. */
function linger(request: Request) {
  const { socket } = request
  request.resume()
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer))
  }
}

async function decoded(bytes: Buffer, encoding = 'identity'): Promise<Buffer> {
  const decode = decoders.get(encoding.trim().toLowerCase())
  if (!decode) throw new Problem('malformed_body')
  try {
    return await decode(bytes, { maxOutputLength: BODY_BYTES })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Problem(
      code === 'ERR_BUFFER_TOO_LARGE' ? 'body_too_large' : 'malformed_body',
      {},
      { cause: error },
    )
  }
}

/** PostgreSQL holds neither U+0000 nor half a surrogate pair: the first is dropped, the second replaced. */
function storable(fields: Record<string, unknown>): Record<string, unknown> {
  const waiting: object[] = [fields]
  for (let holder = waiting.pop(); holder; holder = waiting.pop()) {
    for (const [key, value] of Object.entries(holder)) {
      if (typeof value === 'object' && value) waiting.push(value)
      else if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed()))
        Object.defineProperty(holder, key, { value: value.replaceAll('\0', '').toWellFormed() })
    }
  }
  return fields
}
