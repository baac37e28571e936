import { createHash } from 'node:crypto'

import type { Request, Response } from 'express'

import { Problem } from '../problem.ts'
import { toCsv } from './csv.ts'
import type { Archive, Row } from './endpoint.ts'
import { localsOf } from './exchange.ts'

export function sendJson(body: object, request: Request, response: Response) {
  send(JSON.stringify(body), 'application/json; charset=utf-8', request, response)
}

export function sendCsv(name: string, rows: readonly Row[], request: Request, response: Response) {
  response.set('Content-Disposition', `attachment; filename="${name}.csv"`)
  send(toCsv(rows), 'text/csv; charset=utf-8', request, response)
}

export function sendHtml(body: string, request: Request, response: Response) {
  send(body, 'text/html; charset=utf-8', request, response)
}

/** Sends a ZIP file as far as it is asked for (`Range`), or leads to it. A caller who goes away is no failure. */
export async function sendArchive(archive: Archive, response: Response): Promise<void> {
  if ('location' in archive) return void response.status(302).set('Location', archive.location).end()
  const { directory, name } = archive
  // An archive of this name is never written again.
  const headers = { 'Content-Disposition': `attachment; filename="${name}"`, ETag: `"${name}"` }
  try {
    await new Promise<void>((resolve, reject) =>
      response.sendFile(name, { root: directory, headers }, (error) => (error ? reject(error) : resolve())),
    )
  } catch (error) {
    const { code, status, headers: more } = error as SendError
    if (response.headersSent || code === 'ECONNABORTED') return void response.destroy()
    for (const header of ['Accept-Ranges', 'Content-Disposition', 'ETag', 'Last-Modified'])
      response.removeHeader(header)
    if (status === 404) throw new Problem('not_found', {}, { cause: error })
    if (status !== 416) throw error
    response.set(more ?? {})
    throw new Problem('range', {}, { cause: error })
  }
}

type SendError = Error & { code?: string; status?: number; headers?: Record<string, string> }

function send(body: string, type: string, request: Request, response: Response) {
  response.set({ 'Content-Type': type, 'Content-Language': localsOf(response).locale })
  const reads = request.method === 'GET' || request.method === 'HEAD'
  if (reads && response.statusCode === 200) {
    const tag = `W/"${createHash('sha1').update(body).digest('base64url')}"`
    response.set('ETag', tag)
    if (isKnown(tag, request.get('if-none-match'))) {
      response.removeHeader('Content-Type')
      return void response.status(304).end()
    }
  }
  // Said here for HEAD, for which Node leaves it out.
  response.set('Content-Length', String(Buffer.byteLength(body)))
  response.end(body)
}

/** Not left to Express: fetch() adds `Cache-Control: no-cache` to `If-None-Match`, which Express takes as "never 304". */
function isKnown(tag: string, given = '') {
  return given.split(',').some((each) => ['*', tag, tag.slice(2)].includes(each.trim()))
}
