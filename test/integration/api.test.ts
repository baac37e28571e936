import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

import { setAccount, setAccountKey, setPlan, setSetting } from '../../sql/accounts.ts'
import { makeKey } from '../../sql/keys.ts'
import { db, sql } from '../../sql/pool.ts'
import { useApi } from '../support/api.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'

const LIMIT = 60

useDatabase()
const api = useApi()
let mario: Person
let admin: Person

beforeAll(async () => {
  mario = await makePerson('mario')
  admin = await makePerson('admin')
})
beforeEach(() => forgetWindows())

const forgetWindows = () => run(sql.fragment`delete from rate_windows`)
const run = (statement: ReturnType<typeof sql.fragment>) => db().query(sql.type(z.object({}))`${statement}`)
const errors = (status: number, title: string) => ({ errors: [{ title, status: String(status) }] })
const withKey = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } })

describe.each(['/api/seo', '/api/v1/seo'])('under %s', (base) => {
  test('discovery', async () => {
    const { status, body, headers } = await api.get('/', { as: mario, base })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      name: 'SEO API',
      version: 'v1',
      base_url: 'http://127.0.0.1:8080/api/seo',
      auth: 'Authorization: Bearer <api_key>',
      docs: 'http://127.0.0.1:8080/docs',
    })
    expect((body.data as { resources: string[] }).resources.join(', ')).toBe(
      'status, projects, keywords, spider, geo, ai-visibility, ai-engine, ai-competitor, prompt-research, keyword-research, search-console, analytics, alerts',
    )
    expect(headers.get('link')).toBe(
      '<http://127.0.0.1:8080/openapi.json>; rel="service-desc", <http://127.0.0.1:8080/docs>; rel="service-doc"',
    )
    expect((await api.get('', { as: mario, base })).body).toEqual(body)
  })

  test('status', async () => {
    expect((await api.get('/status', { as: mario, base })).body).toEqual({
      data: {
        datasource_configured: false,
        external_configured: false,
        external_connected: false,
        external_email: null,
        api_enabled: true,
      },
    })
  })

  test.each(['/seo', '/seo/status', '/nothing', '/status/more', '/Status', '/api-key/rotate/x'])(
    '%s is unknown',
    async (path) => {
      const { status, body } = await api.get(path, { as: mario, base })
      expect(status).toBe(404)
      expect(body).toEqual(errors(404, 'Risorsa non trovata'))
    },
  )

  test('another method of a known path', async () => {
    const get = await api.get('/api-key/rotate', { as: mario, base })
    expect(get.status).toBe(405)
    expect(get.headers.get('allow')).toBe('POST')
    const put = await api.call('PUT', '/status', { as: mario, base, body: '{"broken' })
    expect(put.status).toBe(405)
    expect(put.headers.get('allow')).toBe('GET')
  })
})

describe('authentication', () => {
  test.each([
    ['no header', undefined],
    ['another scheme', 'Basic bWFyaW86cGFzcw=='],
    ['no key', 'Bearer'],
    ['an empty key', 'Bearer   '],
    ['two words', 'Bearer one two'],
  ])('%s: the key is missing', async (_what, authorization) => {
    const { status, body, headers } = await api.get('/status', {
      headers: authorization ? { Authorization: authorization } : {},
    })
    expect(status).toBe(401)
    expect(body).toEqual(errors(401, 'Manca la chiave API (intestazione Authorization: Bearer <api_key>)'))
    expect(headers.get('x-error-code')).toBe('missing_bearer')
    expect(headers.get('www-authenticate')).toBe('Bearer')
  })

  test('the scheme in any case, however many spaces', async () => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer  '])
      expect(
        (await api.get('/status', { headers: { Authorization: `${scheme} ${mario.key}` } })).status,
      ).toBe(200)
  })

  test('junk is refused without a query, a key of nobody with one', async () => {
    const query = vi.spyOn(db(), 'any')
    try {
      for (const junk of ['x', `${mario.key}x`, mario.key.toUpperCase(), 'a'.repeat(5000)]) {
        const { status, headers } = await api.get('/status', withKey(junk))
        expect(status).toBe(401)
        expect(headers.get('x-error-code')).toBe('no_access')
      }
      expect(query.mock.calls.filter(([{ sql }]) => sql.includes('key_hash'))).toHaveLength(0)
      expect((await api.get('/status', withKey(makeKey()))).status).toBe(401)
      expect(query.mock.calls.filter(([{ sql }]) => sql.includes('key_hash'))).toHaveLength(1)
    } finally {
      query.mockRestore()
    }
  })

  test('an authenticated request is one query', async () => {
    await api.get('/api-key', { as: mario })
    const queries = (['query', 'any', 'one', 'maybeOne', 'maybeOneFirst', 'oneFirst'] as const).map(
      (method) => vi.spyOn(db(), method),
    )
    try {
      await api.get('/api-key', { as: mario })
      const texts = queries.flatMap((spy) => spy.mock.calls.map(([{ sql }]) => sql))
      expect(texts.filter((text) => !text.includes('settings'))).toHaveLength(1)
    } finally {
      for (const spy of queries) spy.mockRestore()
    }
  })

  test('a suspended account and a plan without the API have no access', async () => {
    await setPlan('closed', { api: false })
    const lucia = await makePerson('lucia', { plan: 'closed' })
    const { status, body } = await api.get('/status', { as: lucia })
    expect(status).toBe(401)
    expect(body).toEqual(errors(401, 'Chiave API non valida o account senza accesso alle API'))

    const paolo = await makePerson('paolo')
    expect((await api.get('/status', { as: paolo })).status).toBe(200)
    await setAccount(paolo.email, { status: 'suspended' })
    expect((await api.get('/status', { as: paolo })).status).toBe(401)
    await setAccount(paolo.email, { status: 'active' })
    expect((await api.get('/status', { as: paolo })).status).toBe(200)
  })

  test('comes before unknown paths, methods and bodies', async () => {
    expect((await api.get('/nothing')).status).toBe(401)
    expect((await api.call('PUT', '/status')).status).toBe(401)
    expect((await api.post('/api-key/rotate', { body: '{"broken' })).status).toBe(401)
  })

  test('titles follow the account; without one, the caller', async () => {
    const anna = await makePerson('anna')
    await setAccount(anna.email, { locale: 'en' })
    const { body, headers } = await api.get('/nothing', { as: anna, headers: { 'Accept-Language': 'it' } })
    expect(body).toEqual(errors(404, 'Not found'))
    expect(headers.get('content-language')).toBe('en')
    const nobody = await api.get('/status', { headers: { 'Accept-Language': 'en-GB' } })
    expect(nobody.body.errors[0]?.title).toContain('The API key is missing')
    const german = await api.get('/status', { headers: { 'Accept-Language': 'de' } })
    expect(german.headers.get('content-language')).toBe('it')
  })
})

describe('the API key', () => {
  test('is shown masked', async () => {
    const { body } = await api.get('/api-key', { as: mario })
    const { length } = mario.key
    expect(body.data).toEqual({
      api_key_masked: `${mario.key.slice(0, 4)}${'•'.repeat(length - 8)}${mario.key.slice(-4)}`,
    })
  })

  test('rotates: the old one ends at once', async () => {
    const rosa = await makePerson('rosa')
    const { status, body } = await api.post<{ api_key: string }>('/api-key/rotate', { as: rosa })
    expect(status).toBe(200)
    expect((await api.get('/status', { as: rosa })).status).toBe(401)
    const fresh = withKey(body.data.api_key)
    const masked = await api.get<{ api_key_masked: string }>('/api-key', fresh)
    expect(masked.body.data.api_key_masked.slice(-4)).toBe(body.data.api_key.slice(-4))
    expect(masked.headers.get('x-ratelimit-remaining')).toBe(String(LIMIT - 1))
  })

  test('a body that nobody needs must be readable all the same', async () => {
    const vera = await makePerson('vera')
    expect((await api.post('/api-key/rotate', { as: vera, body: '{"broken' })).status).toBe(400)
    expect((await api.post('/api-key/rotate', { as: vera, body: 'x'.repeat(1024 * 1024 + 1) })).status).toBe(
      413,
    )
    expect((await api.get('/status', { as: vera })).status).toBe(200)
  })
})

const shown = ({ headers }: { headers: Headers }) =>
  Object.fromEntries(
    [...headers].filter(([name]) => name.startsWith('x-ratelimit') || name === 'retry-after'),
  )

const windowOf = (person: Person, hits: number, ageSeconds: number) =>
  run(sql.fragment`
    insert into rate_windows (user_id, service, started_at, hits)
    values (${person.id}, 'seo', now() - make_interval(secs => ${ageSeconds}), ${hits})
    on conflict (user_id, service) do update set started_at = excluded.started_at, hits = excluded.hits`)

describe('the rate limit', () => {
  test('counts down', async () => {
    expect(shown(await api.get('/status', { as: mario }))).toEqual({
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
    })
    expect(shown(await api.get('/nothing', { as: mario }))).toMatchObject({ 'x-ratelimit-remaining': '58' })
  })

  test('the 60th request passes, the 61st does not, before anything else is looked at', async () => {
    const pia = await makePerson('pia')
    await windowOf(pia, LIMIT - 1, 20)
    const last = await api.get('/status', { as: pia })
    expect(last.status).toBe(200)
    expect(shown(last)).toEqual({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0' })

    for (const path of ['/status', '/nothing']) {
      const over = await api.get(path, { as: pia })
      expect(over.status).toBe(429)
      expect(over.body).toEqual(errors(429, 'Troppe richieste: superato il limite di 60 al minuto'))
      const { 'x-ratelimit-reset': reset, 'retry-after': retry, ...rest } = shown(over)
      expect(rest).toEqual({ 'x-ratelimit-limit': '60' })
      expect(Number(reset)).toBeGreaterThan(30)
      expect(Number(reset)).toBeLessThanOrEqual(40)
      expect(retry).toBe(reset)
    }
    expect((await api.call('OPTIONS', '/status', { as: pia })).status).toBe(204)
  })

  test('sixty of a hundred at once pass', async () => {
    const nino = await makePerson('nino')
    const answers = await Promise.all(Array.from({ length: 100 }, () => api.get('/status', { as: nino })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(100 - LIMIT)
  })

  test('requests that are counted together each have a place of their own, whoever asks besides', async () => {
    const [ada, eva] = await Promise.all([makePerson('ada'), makePerson('eva')])
    const query = vi.spyOn(db(), 'any')
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        api.get('/status', n % 5 === 4 ? withKey(makeKey()) : { as: n % 2 ? ada : eva }),
      ),
    )
    const lookups = query.mock.calls.filter(([{ sql }]) => sql.includes('key_hash')).length
    query.mockRestore()
    expect(lookups).toBeLessThan(20)
    const left = answers
      .map((answer) => shown(answer)['x-ratelimit-remaining'])
      .filter(Boolean)
      .map(Number)
    const places = Array.from({ length: 16 }, (_, n) => [LIMIT - 1 - n, LIMIT - 1 - n]).flat()
    expect(left.toSorted((a, b) => b - a)).toEqual(places)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(8)
  })

  test('a flood is refused from memory', async () => {
    const leo = await makePerson('leo')
    await windowOf(leo, LIMIT, 0)
    await api.get('/status', { as: leo })
    const query = vi.spyOn(db(), 'any')
    await Promise.all(Array.from({ length: 20 }, () => api.get('/status', { as: leo })))
    const lookups = query.mock.calls.filter(([{ sql }]) => sql.includes('key_hash')).length
    query.mockRestore()
    expect(lookups).toBeLessThanOrEqual(1)
  })

  test('the window is fixed: a minute after its first request it starts anew', async () => {
    const ugo = await makePerson('ugo')
    await windowOf(ugo, LIMIT + 5, 59)
    expect((await api.get('/status', { as: ugo })).status).toBe(429)
    await vi.waitFor(async () => expect((await api.get('/status', { as: ugo })).status).toBe(200), {
      timeout: 5000,
    })
    await windowOf(ugo, LIMIT, 60)
    expect(shown(await api.get('/status', { as: ugo }))).toMatchObject({ 'x-ratelimit-remaining': '59' })
  })

  test('a new key starts a new window, however it was made', async () => {
    const ida = await makePerson('ida')
    await windowOf(ida, LIMIT + 1, 0)
    expect((await api.get('/status', { as: ida })).status).toBe(429)
    const key = makeKey()
    await setAccountKey(ida.email, key)
    expect(shown(await api.get('/status', withKey(key)))).toMatchObject({ 'x-ratelimit-remaining': '59' })
  })

  test('administrators and refused keys see only the limit, and are not counted', async () => {
    await windowOf(admin, LIMIT + 50, 0)
    expect(shown(await api.get('/status', { as: admin }))).toEqual({ 'x-ratelimit-limit': '60' })
    expect(shown(await api.get('/status'))).toEqual({ 'x-ratelimit-limit': '60' })
    expect(shown(await api.get('/status', withKey(makeKey())))).toEqual({ 'x-ratelimit-limit': '60' })
  })
})

describe('CORS', () => {
  test.each(['/', '/status', '/api-key/rotate', '/nothing'])('preflight of %s needs no key', async (path) => {
    const { status, headers } = await api.call('OPTIONS', path, {
      headers: { Origin: 'https://app.test', 'Access-Control-Request-Method': 'POST' },
    })
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-methods')).toBe('GET, POST, PATCH, DELETE, OPTIONS')
    expect(headers.get('access-control-allow-headers')).toBe('Authorization, Content-Type')
  })

  test('answers of all kinds may be read by any page', async () => {
    for (const answer of [await api.get('/status', { as: mario }), await api.get('/status')]) {
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(answer.headers.get('access-control-expose-headers')).toContain('X-RateLimit-Remaining')
      expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
    }
  })
})

test('answers are private, and checked before they are used again', async () => {
  const { headers } = await api.get('/status', { as: mario })
  expect(headers.get('cache-control')).toBe('private, no-cache')
  expect(headers.get('vary')).toBe('Authorization, Accept-Language')
  const again = await api.get('/status', {
    as: mario,
    headers: { 'If-None-Match': headers.get('etag') ?? '' },
  })
  expect(again.status).toBe(304)
  expect(again.headers.get('x-ratelimit-limit')).toBe('60')
})

test('HEAD', async () => {
  expect((await api.call('HEAD', '/status', { as: mario })).status).toBe(200)
  expect((await api.call('HEAD', '/api-key/rotate', { as: mario })).status).toBe(405)
})

test('the body of a GET is not looked at', async () => {
  const { request } = await import('node:http')
  const status = await new Promise((resolve, reject) => {
    const asked = request(`${api.url}/api/seo/status`, {
      method: 'GET',
      headers: { ...mario.headers, 'Content-Length': 3 },
    })
    asked.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
    asked.end('{"x')
  })
  expect(status).toBe(200)
})

describe('switched off', () => {
  test('everything is hidden within 5 s, preflight too; the documents and probes stay', async () => {
    await setSetting('api_enabled', false)
    try {
      await vi.waitFor(async () => expect((await api.get('/status', { as: mario })).status).toBe(404), {
        timeout: 5000,
        interval: 100,
      })
      for (const [method, as] of [
        ['GET', mario],
        ['GET', undefined],
        ['OPTIONS', undefined],
        ['PUT', admin],
      ] as const) {
        const { status, body, headers } = await api.call(method, '/status', { as })
        expect(status).toBe(404)
        expect(body).toEqual(errors(404, 'Risorsa non trovata'))
        expect(headers.get('x-error-code')).toBe('not_found')
      }
      for (const path of ['/docs', '/openapi.json', '/livez'])
        expect((await api.get(path, { base: '' })).status).toBe(200)
    } finally {
      await setSetting('api_enabled', true)
    }
    await vi.waitFor(async () => expect((await api.get('/status', { as: mario })).status).toBe(200), {
      timeout: 5000,
      interval: 100,
    })
  })
})

const get = (path: string) => api.get(path, { base: '' })

describe('outside the bases', () => {
  test.each(['/nothing', '/api', '/api/seox', '/api/v2/seo', '/docs/nothing.js', '/docs/../package.json'])(
    '%s is 404 in the envelope',
    async (path) => {
      const { status, body, headers } = await get(path)
      expect(status).toBe(404)
      expect(body).toEqual(errors(404, 'Risorsa non trovata'))
      expect(headers.get('x-request-id')).toBeTruthy()
    },
  )

  test('the root leads to the documentation', async () => {
    const { status, headers } = await get('/')
    expect(status).toBe(302)
    expect(headers.get('location')).toBe('/docs')
  })

  test('the documentation asks no other server', async () => {
    const { headers, text } = await get('/docs')
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    for (const word of ['Authorization: Bearer', 'per_page', 'format=csv', 'X-RateLimit-Remaining'])
      expect(text).toContain(word)
    const assets = [...text.matchAll(/<(?:link|script)[^>]*(?:href|src)="([^"]+)"/g)].map(
      ([, address]) => address ?? '',
    )
    expect(assets).toHaveLength(4)
    for (const address of assets) {
      expect(address).toMatch(/^\/docs\//)
      expect((await get(address)).status).toBe(200)
    }
  })

  test('openapi.json', async () => {
    const { headers, text } = await get('/openapi.json')
    expect(headers.get('content-type')).toContain('application/json')
    expect(JSON.parse(text)).toMatchObject({
      openapi: '3.1.1',
      servers: [{ url: '/api/seo' }, { url: '/api/v1/seo' }],
    })
  })

  test('livez, and readyz once a worker beats', async () => {
    expect((await get('/livez')).status).toBe(200)
    await run(sql.fragment`delete from workers`)
    const alone = await get('/readyz')
    expect(alone.status).toBe(503)
    expect(JSON.parse(alone.text)).toEqual({ status: 'unavailable', reason: 'no worker is running' })
    await run(sql.fragment`
      insert into workers (id, host, pools, beat_at) values (gen_random_uuid(), 'here', '{crawl}', now() - interval '1 minute')`)
    expect((await get('/readyz')).status).toBe(503)
    await run(sql.fragment`update workers set beat_at = now()`)
    expect((await get('/readyz')).status).toBe(200)
  })
})

test('the database away: 500 in the envelope, and no detail', async () => {
  const failing = vi.spyOn(db(), 'any').mockRejectedValue(new Error('connect ECONNREFUSED 10.0.0.1:5432'))
  try {
    const { status, body, text } = await api.get('/status', { as: mario })
    expect(status).toBe(500)
    expect(body).toEqual(errors(500, 'Errore interno del servizio'))
    expect(text).not.toContain('ECONNREFUSED')
  } finally {
    failing.mockRestore()
  }
})
