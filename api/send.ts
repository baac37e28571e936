import { createHash } from 'node:crypto'

import type { Request, Response } from 'express'

import { toCsv } from './csv.ts'
import type { Row } from './endpoint.ts'
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
