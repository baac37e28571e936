import http from 'node:http'
import net from 'node:net'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { guard } from '../../tasks/address.ts'
import { type Proxy, startProxy } from '../../tasks/browser/proxy.ts'
import { type FakeServer, startServer } from '../fakes/site/server.ts'

let proxy: Proxy
let site: FakeServer
let port: number

/** `public.test` stands for a public host: its name leads to the site, whose address is let through. */
const real = guard({ privateNetworks: false, resolve: async (host) => names[host] ?? [] })
const names: Record<string, { address: string; family: number }[]> = {
  'inner.test': [{ address: '127.0.0.1', family: 4 }],
  'mixed.test': [
    { address: '93.184.215.14', family: 4 },
    { address: '10.0.0.5', family: 4 },
  ],
}
const site4 = [{ address: '127.0.0.1', family: 4 }]
let admitted: string[] = []
const rules = {
  admit(host: string, port?: number) {
    admitted.push(host)
    if (host !== 'public.test' && host !== '127.0.0.1') real.admit(host, port)
    if (host === '127.0.0.1' && port !== undefined) real.admit(host, port)
  },
  addresses: async (host: string) => (host === 'public.test' ? site4 : await real.addresses(host)),
}

beforeEach(async () => {
  site = await startServer((path, request) => {
    if (path === '/moved') return { status: 302, headers: { location: '/new' } }
    if (path === '/headers') return { body: JSON.stringify(request.headers) }
    if (path === '/big') return { body: Buffer.alloc(70 * 2 ** 20) }
    return { body: `hello ${path}`, headers: { 'x-own': 'yes' } }
  })
  port = Number(new URL(site.origin).port)
  proxy = await startProxy(rules)
  admitted = []
})

afterEach(async () => {
  await proxy.close()
  await site.close()
})

const secret = () => `Basic ${Buffer.from(`${proxy.username}:${proxy.password}`).toString('base64')}`

function get(url: string, headers: Record<string, string> = { 'Proxy-Authorization': secret() }) {
  return new Promise<{ status: number; headers: http.IncomingHttpHeaders; body: string }>(
    (resolve, reject) => {
      const { hostname, port } = new URL(proxy.server)
      const host = /^http:\/\/([^/]*)/.exec(url)?.[1] ?? ''
      http
        .get({ hostname, port, path: url, headers: { Host: host, ...headers }, agent: false }, (answer) => {
          let body = ''
          answer.on('data', (chunk: Buffer) => (body += chunk.length < 1e5 ? chunk.toString() : ''))
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }))
          answer.on('error', reject)
        })
        .on('error', reject)
    },
  )
}

/** Opens a tunnel, sends `text` into it if it opens, and gives everything that came back. */
function tunnel(target: string, text: string, authorization = secret()) {
  return new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(proxy.server)
    const socket = net.connect(Number(port), hostname)
    let got = ''
    let sent = false
    socket.write(
      `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nProxy-Authorization: ${authorization}\r\n\r\n`,
    )
    socket.on('data', (chunk) => {
      got += chunk.toString('latin1')
      if (!sent && got.startsWith('HTTP/1.1 200')) socket.write(text)
      sent = true
    })
    socket.on('close', () => resolve(got))
    socket.on('error', reject)
  })
}

const request = 'GET /tunnelled HTTP/1.1\r\nHost: public.test\r\nConnection: close\r\n\r\n'

describe('plain requests', () => {
  test('pass, with status and headers', async () => {
    const answer = await get(`http://public.test:${port}/a?b=1`)
    expect(answer).toMatchObject({ status: 200, body: 'hello /a?b=1' })
    expect(answer.headers['x-own']).toBe('yes')
    expect(answer.headers['proxy-status']).toBeUndefined()
    expect((await get(`http://public.test:${port}/moved`)).status).toBe(302)
  })

  test('do not carry the secret on, nor what concerns the proxy', async () => {
    const headers = { 'Proxy-Authorization': secret(), 'Proxy-Connection': 'keep-alive', 'X-Mine': '1' }
    const { body } = await get(`http://public.test:${port}/headers`, headers)
    expect(JSON.parse(body)).toEqual({ host: `public.test:${port}`, 'x-mine': '1', connection: 'close' })
  })

  test('name the host they go to, whatever the client says', async () => {
    const { body } = await get(`http://public.test:${port}/headers`, {
      Host: 'admin.internal',
      'Proxy-Authorization': secret(),
    })
    expect(JSON.parse(body)).toMatchObject({ host: `public.test:${port}` })
  })

  test('end when an answer does not', async () => {
    await expect(get(`http://public.test:${port}/big`)).rejects.toThrow(/aborted|socket hang up/)
  })

  test('are refused when nothing listens', async () => {
    await site.close()
    expect((await get(`http://public.test:${port}/`)).status).toBe(502)
  })

  test.each(['/', 'ftp://public.test/', 'https://public.test/'])('are refused for %s', async (path) =>
    expect((await get(path)).status).toBe(400),
  )
})

describe('tunnels', () => {
  test('pass', async () => {
    expect(await tunnel(`public.test:${port}`, request)).toMatch(/^HTTP\/1.1 200 [^]*hello \/tunnelled\r\n/)
  })

  test.each(['public.test', ':80', 'public.test:99999', 'x@public.test:80'])(
    'are refused to %s',
    async (target) => {
      expect(await tunnel(target, request)).toMatch(/^HTTP\/1.1 (400|502) /)
      expect(site.hits.size).toBe(0)
    },
  )
})

describe('the secret', () => {
  test.each(['', 'Basic', 'Basic YnJvd3Nlcjp3cm9uZw==', 'Bearer x'])('is not %j', async (authorization) => {
    const answer = await get(`http://public.test:${port}/`, { 'Proxy-Authorization': authorization })
    expect(answer.status).toBe(407)
    expect(answer.headers['proxy-authenticate']).toMatch(/^Basic /)
    expect(await tunnel(`public.test:${port}`, request, authorization)).toMatch(/^HTTP\/1.1 407 /)
    expect(site.hits.size).toBe(0)
  })

  test('is another one each time', async () => {
    const other = await startProxy(rules)
    await other.close()
    expect(other.password).not.toBe(proxy.password)
    expect(proxy.password).toHaveLength(48)
  })
})

describe('addresses that are not public', () => {
  const hosts = [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '169.254.169.254',
    '10.0.0.1',
    'inner.test',
    'mixed.test',
  ]

  test.each(hosts)('%s is refused', async (host) => {
    const plain = await get(`http://${host}:${port}/secret`)
    expect(plain.status).toBe(502)
    expect(plain.headers['proxy-status']).toMatch(/^door; details=".*not a public address"$/)
    expect(await tunnel(`${host}:${port}`, request)).toMatch(/^HTTP\/1.1 502 /)
    expect(site.hits.size).toBe(0)
  })

  test('a port of another service is refused', async () => {
    expect((await get('http://93.184.215.14:5432/')).headers['proxy-status']).toContain('5432')
  })

  test('the address that was checked is the one connected to, and is checked again', async () => {
    await get(`http://public.test:${port}/`)
    expect(admitted).toEqual(['public.test', '127.0.0.1'])
  })
})

test('closing ends open tunnels', async () => {
  const answer = tunnel(`public.test:${port}`, '')
  await expect.poll(() => admitted).toContain('127.0.0.1')
  await proxy.close()
  expect(await answer).not.toContain('hello')
})
