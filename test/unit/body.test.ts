import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'

import express, { type ErrorRequestHandler, type Request, type Response } from 'express'
import { describe, expect, test } from 'vitest'

import { parseForm, readBody } from '../../api/body.ts'
import { Problem } from '../../problem.ts'
import { useServer } from '../support/http.ts'

const MIB = 1024 * 1024

const refused: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const problem = error instanceof Problem ? error : new Problem('internal', { what: String(error) })
  response.status(problem.status).json({ key: problem.key, ...problem.params })
}
const echo = express()
const answer = (request: Request, response: Response) =>
  readBody(request, response).then((fields) => response.json(fields))
echo.use(answer, refused)
const at = useServer(echo)

async function read(body: string | Uint8Array, type = 'text/plain', headers: Record<string, string> = {}) {
  const response = await fetch(at.url, {
    method: 'POST',
    body,
    headers: { 'Content-Type': type, ...headers },
  })
  return { status: response.status, body: await response.json() }
}

describe('JSON', () => {
  test.each([
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
  ])('under %s', async (type) =>
    expect(await read('{"a":[1,"x",null]}', type)).toEqual({ status: 200, body: { a: [1, 'x', null] } }),
  )

  test.each(['\uFEFF{"a":1}', ' \r\n\t{"a":1}', '\uFEFF  {"a":1}\n'])(
    'after a BOM or white space',
    async (text) => {
      expect(await read(text)).toEqual({ status: 200, body: { a: 1 } })
    },
  )

  test.each(['{', '{"a":1', "{'a':1}", '{"a":1}x', '{"a":1,}'])('broken: %s', async (text) => {
    expect(await read(text)).toEqual({ status: 400, body: { key: 'malformed_body' } })
  })

  test.each(['[1]', '"text"', '5', 'null', 'true'])('%s is no object', async (text) => {
    expect((await read(text, 'application/json')).status).toBe(400)
    expect((await read(text, 'application/json; charset=utf-8')).status).toBe(400)
  })

  test('nothing at all is no field', async () => {
    expect(await read('', 'application/json')).toEqual({ status: 200, body: {} })
    const none = await fetch(at.url, { method: 'POST' })
    expect(await none.json()).toEqual({})
  })

  test('nesting as deep as fits', async () => {
    const deep = `{"a":1,"b":${'['.repeat(MIB / 2 - 20)}${']'.repeat(MIB / 2 - 20)}}`
    const response = await fetch(`${at.url}/deep`, { method: 'POST', body: deep })
    await response.text()
    // The echo cannot print what was read; that it was read is the point.
    expect([200, 500]).toContain(response.status)
  })

  test('__proto__ is a name like any other', async () => {
    expect((await read('{"__proto__":{"admin":true},"constructor":{"x":1}}')).status).toBe(200)
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  test('text is made fit for the database', async () => {
    const { body } = await read(
      String.raw`{"a":"x\u0000y","b":["\ud800z",{"c":"\u0000"}],"d":"\ud83d\ude00"}`,
    )
    expect(body).toEqual({ a: 'xy', b: ['\uFFFDz', { c: '' }], d: '😀' })
  })

  test('gzip', async () => {
    const { body } = await read(gzipSync('{"a":1}'), 'application/json', { 'Content-Encoding': 'gzip' })
    expect(body).toEqual({ a: 1 })
  })

  test.each([
    ['not gzip at all', 'gzip'],
    ['unknown', 'rot13'],
  ])('%s', async (text, encoding) => {
    expect((await read(text, 'application/json', { 'Content-Encoding': encoding })).status).toBe(400)
  })
})

test.each([
  ['a=1&b=due+tre&c=%C3%A8', { a: '1', b: 'due tre', c: 'è' }],
  ['ids[]=1&ids[]=2', { ids: ['1', '2'] }],
  ['ids%5B%5D=1&ids%5B%5D=2', { ids: ['1', '2'] }],
  ['ids[0]=1&ids[1]=2', { ids: ['1', '2'] }],
  ['ids=1&ids=2', { ids: ['1', '2'] }],
  ['a[b]=c', { a: { b: 'c' } }],
  ['a', { a: '' }],
  ['', {}],
  ['a=%', { a: '%' }],
  ['a=%00x%00', { a: 'x' }],
  ['__proto__[admin]=1&a=1', { a: '1' }],
  ['a[__proto__][admin]=1', {}],
])('form %s', async (text, fields) => {
  expect(await read(text, 'application/x-www-form-urlencoded')).toEqual({ status: 200, body: fields })
  expect(({} as { admin?: string }).admin).toBeUndefined()
})

test('a long array stays an array', () => {
  const ids = Array.from({ length: 5000 }, (_, n) => String(n))
  expect(parseForm(ids.map((one) => `ids[]=${one}`).join('&'))).toEqual({ ids })
  expect(parseForm(ids.map((one) => `ids=${one}`).join('&'))).toEqual({ ids })
  expect(parseForm('ids[123456789]=1')).not.toHaveProperty('ids.length')
})

const json = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`

describe('size', () => {
  test('1 MiB is read', async () => expect((await read(json(MIB))).status).toBe(200))

  test.each([MIB + 1, 5 * MIB])('%i bytes are not', async (bytes) => {
    expect(await read(json(bytes))).toEqual({ status: 413, body: { key: 'body_too_large' } })
  })

  test('nor when its length is not told', async () => {
    const chunk = new Uint8Array(MIB / 4).fill(120)
    const stream = new ReadableStream({
      start(controller) {
        for (let n = 0; n < 8; n++) controller.enqueue(chunk)
        controller.close()
      },
    })
    const response = await fetch(at.url, { method: 'POST', body: stream, duplex: 'half' })
    expect(response.status).toBe(413)
  })

  test('nor what is small only while compressed', async () => {
    expect(
      (await read(gzipSync(json(20 * MIB)), 'application/json', { 'Content-Encoding': 'gzip' })).status,
    ).toBe(413)
  })

  test('an endless one is cut off, with the answer sent', async () => {
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(at.port, '127.0.0.1')
      const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
      let text = ''
      const pour = () => {
        while (socket.writable && socket.write(chunk));
      }
      socket.setEncoding('utf8').on('data', (data) => (text += String(data)))
      socket.on('drain', pour).on('error', () => {})
      socket.on('close', () => resolve(text))
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
      pour()
    })
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer).toMatch(/connection: close/i)
  })

  test('a sender who stops midway leaves nothing behind', async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(at.port, '127.0.0.1')
      socket.on('close', () => resolve()).on('error', () => {})
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a":', () => socket.destroy())
    })
    expect((await read('{"a":1}')).status).toBe(200)
  })
})
