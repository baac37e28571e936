import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { cached, guard, isPublic, type Resolve } from '../../tasks/address.ts'
import { guardedAgent } from '../../tasks/agent.ts'
import { closeHttp, fetchOnce } from '../../tasks/http.ts'
import { type Hostile, startHostile } from '../fakes/hostile.ts'

describe('an address is public or not', () => {
  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.5',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.8',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '192.88.99.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '4000::1',
    'not an address',
    '',
  ])('%s is not', (address) => expect(isPublic(address)).toBe(false))

  test.each([
    '1.1.1.1',
    '93.184.216.34',
    '172.32.0.1',
    '100.128.0.1',
    '::ffff:8.8.8.8',
    '2606:4700::1111',
    '2a00::1',
  ])('%s is', (address) => expect(isPublic(address)).toBe(true))
})

const names: Record<string, string[]> = {
  'inside.test': ['127.0.0.1'],
  'both.test': ['93.184.216.34', '10.0.0.5'],
  'mapped.test': ['::ffff:192.168.0.1'],
  'outside.test': ['93.184.216.34'],
}
const resolve = vi.fn<Resolve>(async (name: string) =>
  (names[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
)

describe('the guard', () => {
  const closed = guard({ privateNetworks: false, resolve })

  test('hands out the addresses of a public host', async () => {
    expect(await closed.addresses('outside.test')).toEqual([{ address: '93.184.216.34', family: 4 }])
  })
  test.each(['inside.test', 'both.test', 'mapped.test', '127.0.0.1', '[::1]'])('refuses %s', async (host) => {
    await expect(closed.addresses(host)).rejects.toMatchObject({ kind: 'forbidden' })
  })
  test('names the host and the address it refuses', async () => {
    await expect(closed.addresses('both.test')).rejects.toThrow(/both\.test resolves to 10\.0\.0\.5/)
  })
  test.each([22, 25, 5432, 6379, 6667])('refuses port %i, which other services speak on', (port) =>
    expect(() => closed.admit('outside.test', port)).toThrow(`port ${port}`),
  )
  test.each([80, 443, 8080, 8081, 8443, 3000])('lets port %i pass', (port) =>
    expect(() => closed.admit('outside.test', port)).not.toThrow(),
  )
  test('lets everything pass where private networks are allowed', async () => {
    const open = guard({ privateNetworks: true, resolve })
    expect(() => open.admit('127.0.0.1', 6379)).not.toThrow()
    expect(await open.addresses('both.test')).toHaveLength(2)
  })
})

describe('looking names up', () => {
  test('is done once by those who ask together or soon after', async () => {
    const slow = vi.fn<Resolve>(async () => [{ address: '1.1.1.1', family: 4 }])
    const ask = cached(slow)
    await Promise.all([ask('a.test'), ask('a.test')])
    await ask('a.test')
    await ask('b.test')
    expect(slow.mock.calls).toEqual([['a.test'], ['b.test']])
  })
  test('is done again after a minute', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const found = vi.fn<Resolve>(async () => [{ address: '1.1.1.1', family: 4 }])
      const ask = cached(found)
      await ask('a.test')
      vi.advanceTimersByTime(60_001)
      await ask('a.test')
      expect(found).toHaveBeenCalledTimes(2)
    } finally {
      vi.useRealTimers()
    }
  })
  test('is tried again after a failure', async () => {
    const flaky = vi.fn<Resolve>().mockRejectedValueOnce(new Error('no')).mockResolvedValue([])
    const ask = cached(flaky)
    await expect(ask('a.test')).rejects.toThrow('no')
    expect(await ask('a.test')).toEqual([])
  })
})

describe('a private server is not reached', () => {
  let hostile: Hostile
  beforeAll(async () => {
    hostile = await startHostile()
  })
  afterAll(async () => {
    await closeHttp()
    await hostile.close()
  })

  test.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::7f00:1]',
    '0.0.0.0',
    'localhost',
  ])('as http://%s', async (host) => {
    const url = new URL('/ok', `http://${host}:${new URL(hostile.url).port}`)
    await expect(fetchOnce(url)).rejects.toMatchObject({ name: 'FetchFault', kind: 'forbidden' })
    expect(hostile.connections().made).toBe(0)
  })

  test.each(['inside.test', 'both.test'])('behind the name %s', async (host) => {
    const through = guardedAgent(guard({ privateNetworks: false, resolve }))
    const url = new URL(`http://${host}:${new URL(hostile.url).port}/ok`)
    await expect(fetchOnce(url, { through })).rejects.toMatchObject({ kind: 'forbidden' })
    expect(hostile.connections().made).toBe(0)
    await through.destroy()
  })

  test('by a name that resolves anew between check and connect: it is resolved once', async () => {
    const rebinding = vi
      .fn<Resolve>()
      .mockResolvedValueOnce([{ address: '127.0.0.1', family: 4 }])
      .mockResolvedValue([{ address: '169.254.169.254', family: 4 }])
    const through = guardedAgent(guard({ privateNetworks: true, resolve: rebinding }))
    const answer = await fetchOnce(new URL(`http://rebind.test:${new URL(hostile.url).port}/ok`), { through })
    expect(answer.status).toBe(200)
    expect(rebinding).toHaveBeenCalledTimes(1)
    await through.destroy()
  })

  test('whatever was resolved, when the peer is private after all', async () => {
    const before = hostile.hits.get('/ok') ?? 0
    const blind = {
      ...guard({ privateNetworks: false }),
      addresses: async () => [{ address: '127.0.0.1', family: 4 }],
    }
    const through = guardedAgent(blind)
    const url = new URL(`http://lying.test:${new URL(hostile.url).port}/ok`)
    await expect(fetchOnce(url, { through })).rejects.toMatchObject({ kind: 'forbidden' })
    expect(hostile.hits.get('/ok') ?? 0).toBe(before)
    await through.destroy()
  })

  test.each(['ftp://example.com/', 'file:///etc/passwd', 'javascript:alert(1)', 'data:text/html,x'])(
    'nor is %s fetched',
    async (address) => {
      await expect(fetchOnce(new URL(address))).rejects.toMatchObject({ kind: 'forbidden' })
    },
  )
})
