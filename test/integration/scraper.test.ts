import { randomUUID } from 'node:crypto'
import { request } from 'node:http'

import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

import { scraper } from '../../api/scraper/index.ts'
import { setAccount, setSetting } from '../../sql/accounts.ts'
import { makeKey } from '../../sql/keys.ts'
import { db, sql } from '../../sql/pool.ts'
import * as runs from '../../sql/scrape-runs.ts'
import { closeAnswers, endWaiting } from '../../tasks/jobs.ts'
import { useApi } from '../support/api.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'
import { emptyQueue, queued } from '../support/jobs.ts'

type Job = {
  id: string
  job_id?: string
  url: string
  status: string
  created_at: number
  started_at: number | null
  completed_at: number | null
  duration: number | null
  result: { zip_file: string; zip_size: number } | null
  stats: typeof none
  truncated: boolean | null
  error?: string
}
type Started = { job_id: string; status: string; status_url: string; message: string }
type List = { jobs: Job[]; count: number; limit: number; offset: number }

const none = {
  pages_downloaded: 0,
  resources_downloaded: 0,
  bytes_downloaded: 0,
  duplicates_skipped: 0,
  errors: 0,
}
const some = {
  pages_downloaded: 3,
  resources_downloaded: 7,
  bytes_downloaded: 3_000_000_000,
  duplicates_skipped: 2,
  errors: 1,
}
const url = 'http://site.test/'
const soon = { timeout: 10_000, interval: 20 }

useDatabase()
const api = useApi(scraper)
let mario: Person
let lucia: Person
let admin: Person

beforeAll(async () => {
  mario = await makePerson('mario')
  lucia = await makePerson('lucia')
  admin = await makePerson('admin')
  await setAccount(lucia.email, { locale: 'en' })
})
beforeEach(async () => {
  await run(sql.fragment`delete from rate_windows`)
  await run(sql.fragment`delete from scrape_jobs`)
  await emptyQueue()
})
afterAll(closeAnswers)

const run = (statement: ReturnType<typeof sql.fragment>) => db().query(sql.type(z.object({}))`${statement}`)

const unix = () => Math.floor(Date.now() / 1000)

async function start(body: object, as = mario) {
  const { status, body: answer } = await api.post<Started>('/scrape', { as, json: body })
  expect(status).toBe(201)
  return answer.data.job_id
}
const read = async (id: string, as = mario) => (await api.get<Job>(`/jobs/${id}`, { as })).body.data

const numberOf = (id: string) =>
  db().oneFirst(sql.type(z.object({ id: z.int() }))`select id from scrape_jobs where public_id = ${id}`)

/** Takes a job as a worker does. */
async function take(id: string) {
  const lease = randomUUID()
  const job = await runs.take(await numberOf(id), lease, randomUUID())
  return { ...job!, lease }
}

/** Does a job, as far as the database sees it. */
async function finish(id: string, result: Partial<Parameters<typeof runs.complete>[2]> = {}) {
  const { id: number, lease } = await take(id)
  const whole = { stats: some, zipSize: 4096, truncated: false, cms: null, ...result }
  expect(await runs.complete(number, lease, whole)).toBe(true)
}

async function fail(id: string, reason: string) {
  const { id: number, lease } = await take(id)
  expect(await runs.fail(number, lease, { stats: none, reason })).toBe(true)
}

const failure = (code: string, message: string, details = message) => ({
  success: false,
  message,
  error: { error: code, details },
  timestamp: expect.any(Number) as number,
  api_version: 'v1',
})

describe('the envelope', () => {
  test('of a success', async () => {
    const { status, body, headers } = await api.get('/info', { as: mario })
    expect(status).toBe(200)
    expect(body).toMatchObject({ success: true, message: 'OK', api_version: 'v1' })
    expect(Math.abs(body.timestamp - unix())).toBeLessThan(5)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  test('/info', async () => {
    const { body } = await api.get('/info', { as: mario })
    expect(body.data).toEqual({
      version: '1.0.11',
      name: 'Web Scraping API',
      endpoints: {
        'GET /info': 'Read what the service offers',
        'POST /scrape': 'Start a scrape job',
        'GET /jobs': 'List scrape jobs',
        'GET /jobs/{id}': 'Read a scrape job',
        'DELETE /jobs/{id}': 'Delete a scrape job',
        'GET /jobs/{id}/download': 'Download the archive of a scrape job',
        'GET /stats': 'Read scrape statistics',
      },
      rate_limit: '60 requests per minute per API key',
    })
  })

  test.each(['', '/', '/nothing', '/jobs/x/y', '/Info', '/seox', '/jobs/%zz', '/jobs/nothing'])(
    'of an unknown path (%s)',
    async (path) => {
      const { status, body } = await api.get(path, { as: mario })
      expect(status).toBe(404)
      expect(body).toEqual(failure('NOT_FOUND', 'Risorsa non trovata'))
    },
  )

  test.each([
    ['PUT', '/info', 'GET'],
    ['GET', '/scrape', 'POST'],
    ['POST', '/jobs', 'GET'],
    ['PATCH', '/jobs/job_1_a', 'GET, DELETE'],
    ['DELETE', '/stats', 'GET'],
  ])('of %s %s', async (method, path, allowed) => {
    const { status, body, headers } = await api.call(method, path, {
      as: mario,
      body: method === 'GET' ? null! : '{',
    })
    expect(status).toBe(405)
    expect(headers.get('allow')).toBe(allowed)
    expect(body).toEqual(failure('METHOD_NOT_ALLOWED', 'Metodo non consentito'))
  })

  test('of bodies that cannot be read, in the words of the account', async () => {
    const broken = await api.post('/scrape', { as: lucia, body: '{"url":' })
    expect(broken.status).toBe(400)
    expect(broken.body).toEqual(failure('BAD_REQUEST', 'The request body cannot be read'))
    const large = await api.post('/scrape', { as: lucia, json: { url, pad: 'x'.repeat(1024 * 1024) } })
    expect(large.status).toBe(413)
    expect(large.body).toEqual(failure('PAYLOAD_TOO_LARGE', 'The request body is larger than 1 MiB'))
  })

  test('of a fault of ours', async () => {
    const failing = vi.spyOn(db(), 'one').mockRejectedValue(new Error('connect ECONNREFUSED 10.0.0.1'))
    try {
      const { status, body } = await api.get('/stats', { as: mario })
      expect(status).toBe(500)
      expect(body).toEqual(failure('INTERNAL_ERROR', 'Errore interno del servizio'))
    } finally {
      failing.mockRestore()
    }
  })

  test('of the suite is another', async () => {
    for (const base of ['/api/seo', '/api/v1/seo']) {
      const { status, body } = await api.get('/nothing', { as: mario, base })
      expect(status).toBe(404)
      expect(body).toEqual({ errors: [{ title: 'Risorsa non trovata', status: '404' }] })
    }
  })
})

test('the documentation has both services', async () => {
  const page = await api.get('/docs', { base: '' })
  for (const words of ['http://127.0.0.1:8080/api/v1<', 'X-API-Key', 'GET /jobs/{id}/download'])
    expect(page.text).toContain(words)
  const document = JSON.parse((await api.get('/openapi.json', { base: '' })).text) as {
    paths: Record<string, object>
  }
  expect(document.paths['/scrape']).toMatchObject({ servers: [{ url: '/api/v1' }] })
  expect(document.paths['/spider']).not.toHaveProperty('servers')
})

describe('the key', () => {
  const missing = failure('UNAUTHORIZED', 'Manca la chiave API (intestazione X-API-Key o parametro api_key)')
  const refused = failure('UNAUTHORIZED', 'Chiave API non valida o account senza accesso alle API')

  test.each([
    ['in the header', (key: string) => ({ headers: { 'X-API-Key': key } }), ''],
    ['in the query', () => ({}), '?api_key='],
    ['in the query after another parameter', () => ({}), '?period=all&api_key='],
    ['in the query while the header is empty', () => ({ headers: { 'X-API-Key': '' } }), '?api_key='],
  ])('%s', async (_where, options, query) => {
    const { status } = await api.get(`/stats${query && query + mario.key}`, options(mario.key))
    expect(status).toBe(200)
  })

  test.each([
    ['none', {}, '', missing],
    ['an empty one', { 'X-API-Key': '' }, '?api_key=', missing],
    ['that of the suite’s header', { Authorization: 'Bearer KEY' }, '', missing],
    ['another parameter', {}, '?API_KEY=KEY', missing],
    ['junk', { 'X-API-Key': 'junk' }, '', refused],
    ['somebody’s before', { 'X-API-Key': makeKey() }, '?api_key=KEY', refused],
  ])('%s is 401', async (_what, headers, query, expected) => {
    const filled = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('KEY', mario.key)]),
    )
    const answer = await api.get(`/stats${query.replace('KEY', mario.key)}`, { headers: filled })
    expect(answer.status).toBe(401)
    expect(answer.body).toEqual(expected)
    expect(answer.headers.get('www-authenticate')).toBe('ApiKey')
  })

  test('comes before unknown paths, methods and bodies', async () => {
    expect((await api.get('/nothing')).status).toBe(401)
    expect((await api.call('PUT', '/info')).status).toBe(401)
    expect((await api.post('/scrape', { body: '{"broken' })).status).toBe(401)
  })
})

describe('the rate limit', () => {
  test('is counted apart from that of the suite', async () => {
    await api.get('/info', { as: mario })
    const again = await api.get('/info', { as: mario })
    expect(again.headers.get('x-ratelimit-remaining')).toBe('58')
    const suite = await api.get('/status', { as: mario, base: '/api/seo' })
    expect(suite.headers.get('x-ratelimit-remaining')).toBe('59')
  })

  test('past it: 429 and when to come back, before anything else is looked at', async () => {
    const pia = await makePerson('pia')
    await run(sql.fragment`
      insert into rate_windows (user_id, service, started_at, hits)
      values (${pia.id}, 'scraper', now() - interval '20 s', 60)`)
    for (const path of ['/info', '/nothing']) {
      const { status, body, headers } = await api.get(path, { as: pia })
      expect(status).toBe(429)
      expect(body).toEqual(failure('RATE_LIMITED', 'Troppe richieste: superato il limite di 60 al minuto'))
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(30)
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(40)
    }
    expect((await api.get('/status', { as: pia, base: '/api/seo' })).status).toBe(200)
    expect((await api.get('/info', { as: admin })).headers.has('x-ratelimit-remaining')).toBe(false)
  })
})

describe('CORS', () => {
  test.each(['/scrape', '/jobs/job_1_a', '/nothing'])('preflight of %s needs no key', async (path) => {
    const { status, headers } = await api.call('OPTIONS', path, { headers: { Origin: 'https://app.test' } })
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-headers')).toBe('X-API-Key, Content-Type')
  })

  test('answers may be read by any page, and are private', async () => {
    const { headers } = await api.get('/info')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('vary')).toBe('X-API-Key, Accept-Language')
  })
})

test('HEAD', async () => {
  const { status, headers } = await api.call('HEAD', '/info', { as: mario })
  expect(status).toBe(200)
  expect(Number(headers.get('content-length'))).toBeGreaterThan(100)
  expect((await api.call('HEAD', '/scrape', { as: mario })).status).toBe(405)
})

test('switched off, it does not exist', async () => {
  await setSetting('api_enabled', false)
  try {
    await vi.waitFor(async () => expect((await api.get('/info', { as: admin })).status).toBe(404), soon)
    for (const method of ['GET', 'OPTIONS', 'PUT']) {
      const { status, body } = await api.call(method, '/info')
      expect(status).toBe(404)
      expect(body).toEqual(failure('NOT_FOUND', 'Risorsa non trovata'))
    }
  } finally {
    await setSetting('api_enabled', true)
  }
  await vi.waitFor(async () => expect((await api.get('/info', { as: admin })).status).toBe(200), soon)
})

describe('POST /scrape', () => {
  test('starts a job: a row and the work for it', async () => {
    const before = unix()
    const { status, body, headers } = await api.post<Started>('/scrape', { as: mario, json: { url } })
    expect(status).toBe(201)
    const { job_id: id, ...rest } = body.data
    expect(id).toMatch(/^job_\d{10}_[0-9a-f]{16}$/)
    expect(Number(id.split('_')[1])).toBeGreaterThanOrEqual(before)
    expect(rest).toMatchObject({ status: 'pending', status_url: `http://127.0.0.1:8080/api/v1/jobs/${id}` })
    expect(headers.get('location')).toBe(`/api/v1/jobs/${id}`)
    const job = await numberOf(id)
    expect(await queued()).toMatchObject([
      { task: 'scrape.run', key: `scrape:${job}`, payload: { job }, max_attempts: 10 },
    ])
    expect(await take(id)).toMatchObject({
      public_id: id,
      url,
      depth: 2,
      max_pages: 100,
      html_only: false,
      filters: {},
      archive: `${id}.zip`,
    })
  })

  test('hands all options to the worker', async () => {
    const filters = {
      presets: ['no_tracking', 'essential_only'],
      exclude_patterns: ['/private/**'],
      include_patterns: ['*.html'],
      max_size: '1.5mb',
      blocked_extensions: ['pdf', 'tar.gz'],
    }
    const id = await start({ url, depth: 0, max_pages: 10_000, html_only: true, async: true, filters })
    expect(await take(id)).toMatchObject({ depth: 0, max_pages: 10_000, html_only: true, filters })
  })

  test.each([
    [' HTTP://Site.Test:80/a b?q=1#part ', 'http://site.test/a%20b?q=1'],
    ['https://user:secret@bücher.test', 'https://xn--bcher-kva.test/'],
    ['http://[::1]:8080/x', 'http://[::1]:8080/x'],
  ])('%s is stored as an address without secrets', async (given, stored) => {
    expect((await read(await start({ url: given }))).url).toBe(stored)
  })

  test.each<[string, unknown, string]>([
    ['no url', {}, 'url'],
    ['a url that is not text', { url: 5 }, 'url'],
    ['an empty url', { url: '' }, 'url'],
    ['a bare host', { url: 'example.com' }, 'url'],
    ['another scheme', { url: 'ftp://example.com/' }, 'url'],
    ['a script', { url: 'javascript:alert(1)' }, 'url'],
    ['a file', { url: 'file:///etc/passwd' }, 'url'],
    ['no host', { url: 'http://' }, 'url'],
    ['a long url', { url: `http://example.com/${'a'.repeat(2048)}` }, 'url'],
    ['depth below', { url, depth: -1 }, 'depth'],
    ['depth above', { url, depth: 6 }, 'depth'],
    ['depth as text', { url, depth: '2' }, 'depth'],
    ['depth with a fraction', { url, depth: 1.5 }, 'depth'],
    ['depth null', { url, depth: null }, 'depth'],
    ['no pages', { url, max_pages: 0 }, 'max_pages'],
    ['too many pages', { url, max_pages: 10_001 }, 'max_pages'],
    ['pages as a flag', { url, max_pages: true }, 'max_pages'],
    ['html_only as text', { url, html_only: 'true' }, 'html_only'],
    ['async as a number', { url, async: 0 }, 'async'],
    ['filters as a list', { url, filters: [] }, 'filters'],
    ['filters as text', { url, filters: 'no_images' }, 'filters'],
    ['an unknown preset', { url, filters: { presets: ['no_fun'] } }, 'filters.presets.0'],
    ['a preset alone', { url, filters: { presets: 'no_images' } }, 'filters.presets'],
    ['a pattern that is a number', { url, filters: { exclude_patterns: [1] } }, 'filters.exclude_patterns.0'],
    [
      'too many patterns',
      { url, filters: { include_patterns: Array(101).fill('a') } },
      'filters.include_patterns',
    ],
    [
      'a long pattern',
      { url, filters: { include_patterns: ['a'.repeat(501)] } },
      'filters.include_patterns.0',
    ],
    ['a size without unit', { url, filters: { max_size: '500' } }, 'filters.max_size'],
    ['a size in other units', { url, filters: { max_size: '5TB' } }, 'filters.max_size'],
    ['a size that is a number', { url, filters: { max_size: 500 } }, 'filters.max_size'],
    ['extensions as text', { url, filters: { blocked_extensions: 'pdf' } }, 'filters.blocked_extensions'],
  ])('%s is 400', async (_what, json, field) => {
    const { status, body } = await api.post('/scrape', { as: lucia, json })
    expect(status).toBe(400)
    expect(body).toEqual(
      failure('BAD_REQUEST', 'Missing or invalid data', expect.stringContaining(`${field}: `) as never),
    )
    expect(await queued()).toEqual([])
  })

  test('names all that is wrong', async () => {
    const { body } = await api.post('/scrape', {
      as: lucia,
      json: { depth: 9, filters: { max_size: 'big' } },
    })
    expect(body.error.details).toMatch(/^url: .*; depth: .*; filters\.max_size: /)
  })
})

describe('POST /scrape with async false', () => {
  const sync = (json: object = { url, async: false }) => api.post<Job>('/scrape', { as: mario, json })
  const theJob = () =>
    vi.waitFor(
      async () =>
        db().oneFirst(sql.type(z.object({ id: z.string() }))`select public_id as id from scrape_jobs`),
      soon,
    )

  test('answers with the job that has ended', async () => {
    const answered = sync()
    const id = await theJob()
    await finish(id)
    const { status, body, headers } = await answered
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`/api/v1/jobs/${id}`)
    expect(body.data).toEqual({ job_id: id, ...(await read(id)) })
    expect(body.data).toMatchObject({ status: 'completed', stats: some })
  })

  test('a job that failed is answered too', async () => {
    const answered = sync()
    await fail(await theJob(), 'the start page answered 404')
    const { status, body } = await answered
    expect(status).toBe(201)
    expect(body.data).toMatchObject({ status: 'failed', error: 'the start page answered 404' })
  })

  test('a job that is deleted meanwhile is 404', async () => {
    const answered = sync()
    await api.delete(`/jobs/${await theJob()}`, { as: mario })
    expect((await answered).status).toBe(404)
  })

  test('invalid input does not wait', async () => {
    expect((await sync({ url: 'nothing', async: false })).status).toBe(400)
  })

  test('whoever goes away does not cancel it', async () => {
    const body = JSON.stringify({ url, async: false })
    const asked = request(`${api.url}/api/v1/scrape`, { method: 'POST', headers: { 'X-API-Key': mario.key } })
    asked.on('error', () => {}).end(body)
    const id = await theJob()
    asked.destroy()
    await finish(id)
    expect(await read(id)).toMatchObject({ status: 'completed' })
  })

  test('when the time is over it answers as if asynchronous, and the job goes on', async () => {
    const answered = sync()
    const id = await theJob()
    endWaiting()
    const { status, body } = await answered
    expect(status).toBe(201)
    expect(body.data).toMatchObject({
      job_id: id,
      status: 'pending',
      status_url: expect.stringContaining(id) as string,
    })
    await finish(id)
    expect(await read(id)).toMatchObject({ status: 'completed' })
  })

  test('waits 300 s and no longer', async () => {
    const answered = sync()
    const id = await theJob()
    const waits = await db().oneFirst(sql.type(z.object({ waits: z.number() }))`
      select extract(epoch from a.deadline_at - a.created_at)::float8 as waits
        from answers a join scrape_jobs j on j.answer = a.id where j.public_id = ${id}`)
    expect(waits).toBe(300)
    await finish(id)
    await answered
  })
})

describe('a job', () => {
  test('pending', async () => {
    const before = unix()
    const id = await start({ url })
    const job = await read(id)
    expect(job).toEqual({
      id,
      url,
      status: 'pending',
      created_at: expect.any(Number) as number,
      started_at: null,
      completed_at: null,
      duration: null,
      result: null,
      stats: none,
      truncated: null,
    })
    expect(job.created_at).toBeGreaterThanOrEqual(before)
    expect(job.created_at).toBeLessThanOrEqual(unix())
  })

  test('running, with live figures', async () => {
    const id = await start({ url })
    const { id: number, lease } = await take(id)
    expect(await read(id)).toMatchObject({
      status: 'running',
      completed_at: null,
      duration: null,
      stats: none,
    })
    expect((await read(id)).started_at).toBeGreaterThan(0)
    expect(await runs.report(number, lease, some)).toBe(true)
    expect(await read(id)).toMatchObject({ status: 'running', result: null, stats: some })
  })

  test('completed', async () => {
    const id = await start({ url })
    await finish(id, { truncated: true, zipSize: 5_000_000_000 })
    await run(
      sql.fragment`update scrape_jobs set started_at = '2026-07-01 00:00:00.9+00', completed_at = '2026-07-01 00:00:12.1+00'`,
    )
    const job = await read(id)
    expect(job).toMatchObject({
      status: 'completed',
      started_at: 1782864000,
      completed_at: 1782864012,
      duration: 12,
      result: { zip_file: `${id}.zip`, zip_size: 5_000_000_000 },
      stats: some,
      truncated: true,
    })
    expect(job).not.toHaveProperty('error')
  })

  test('failed', async () => {
    const id = await start({ url })
    await fail(id, 'the host cannot be resolved')
    expect(await read(id)).toMatchObject({
      status: 'failed',
      error: 'the host cannot be resolved',
      result: null,
      truncated: null,
    })
    expect((await read(id)).duration).toBe(0)
  })

  test('of somebody else does not exist', async () => {
    const id = await start({ url })
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/download'],
    ] as const) {
      const { status, body } = await api.call(method, `/jobs/${id}${path}`, { as: lucia })
      expect(status).toBe(404)
      expect(body).toEqual(failure('NOT_FOUND', 'Not found'))
    }
    expect(await read(id)).toMatchObject({ status: 'pending' })
  })

  test.each(['job_1_a', '1', 'job_1_G', 'job_1', `job_1_${'a'.repeat(65)}`, 'job_1_a%00'])(
    '%s does not exist',
    async (id) => {
      expect((await api.get(`/jobs/${id}`, { as: mario })).status).toBe(404)
      expect((await api.delete(`/jobs/${id}`, { as: mario })).status).toBe(404)
    },
  )
})

describe('GET /jobs', () => {
  const list = async (query = '', as = mario) => (await api.get<List>(`/jobs${query}`, { as })).body.data
  const urls = async (query: string) => (await list(query)).jobs.map((job) => job.url)

  test('is empty at first', async () => {
    expect(await list()).toEqual({ jobs: [], count: 0, limit: 100, offset: 0 })
  })

  test('newest first, in pages, each its owner’s', async () => {
    for (const name of ['a', 'b', 'c']) await start({ url: `http://site.test/${name}` })
    await start({ url }, lucia)
    expect(await urls('')).toEqual(['http://site.test/c', 'http://site.test/b', 'http://site.test/a'])
    expect(await list('?limit=1&offset=1')).toMatchObject({
      jobs: [{ url: 'http://site.test/b' }],
      count: 3,
      limit: 1,
      offset: 1,
    })
    expect(await list('?offset=3')).toMatchObject({ jobs: [], count: 3 })
    expect(await list('', lucia)).toMatchObject({ count: 1 })
  })

  test('an element is the job itself', async () => {
    const id = await start({ url })
    await finish(id)
    expect((await list()).jobs).toEqual([await read(id)])
  })

  test('by state', async () => {
    await start({ url: 'http://site.test/pending' })
    await take(await start({ url: 'http://site.test/running' }))
    await finish(await start({ url: 'http://site.test/completed' }))
    await fail(await start({ url: 'http://site.test/failed' }), 'x')
    for (const status of ['pending', 'running', 'completed', 'failed'])
      expect(await list(`?status=${status}`)).toMatchObject({
        count: 1,
        jobs: [{ status, url: `http://site.test/${status}` }],
      })
  })

  test.each([
    ['site', 4],
    ['SITE.test/b', 2],
    ['http://site.test/a_b', 1],
    ['100%25', 1],
    ['%25', 1],
    ['_', 1],
    ['site*b', 3],
    ['*', 4],
    ['/a*/*', 0],
    ['back\\slash', 0],
    ['', 4],
    ['other', 0],
  ])('by url %s', async (pattern, count) => {
    for (const path of ['a_b', 'b', 'b/?q=100%', 'c']) await start({ url: `http://site.test/${path}` })
    expect(await list(`?url=${pattern}`)).toMatchObject({ count })
  })

  test('many wildcards are no burden', async () => {
    await start({ url: `http://site.test/${'a'.repeat(2000)}` })
    expect(await list(`?url=${'*a'.repeat(1000)}b`)).toMatchObject({ count: 0 })
    expect(await list(`?url=${'*a'.repeat(1000)}*`)).toMatchObject({ count: 1 })
  }, 3000)

  test('filters go together', async () => {
    await finish(await start({ url: 'http://site.test/a' }))
    await finish(await start({ url: 'http://site.test/b' }))
    await start({ url: 'http://site.test/a' })
    expect(await list('?status=completed&url=a&limit=1')).toMatchObject({ count: 1 })
  })

  test.each([
    'limit=0',
    'limit=1001',
    'limit=-1',
    'limit=ten',
    'limit=',
    'limit=1.5',
    'limit=1e2',
    'limit=1&limit=2',
    'offset=-1',
    'offset=99999999999999999999',
    'status=done',
    'status=',
    'status[]=failed',
    `url=${'a'.repeat(2049)}`,
    'url[]=a',
  ])('%s is 400', async (query) => {
    const { status, body } = await api.get(`/jobs?${query}`, { as: lucia })
    expect(status).toBe(400)
    const field = /^\w+/.exec(query)![0]
    expect(body).toEqual(
      failure('BAD_REQUEST', 'Missing or invalid data', expect.stringMatching(`^${field}: `) as never),
    )
  })

  test('unknown parameters are ignored, and so are those of the suite', async () => {
    await start({ url })
    expect(await list('?page=2&per_page=1&format=csv&x=1&limit=1000')).toMatchObject({
      count: 1,
      limit: 1000,
    })
  })
})

describe('DELETE /jobs/{id}', () => {
  const archivesToRemove = async () =>
    (await queued())
      .filter(({ task }) => task === 'scrape.remove')
      .map(({ payload, wait }) => [payload['archive'], wait > 5])

  test('a pending job is cancelled with its work', async () => {
    const id = await start({ url })
    const { status, body } = await api.delete(`/jobs/${id}`, { as: mario })
    expect(status).toBe(200)
    expect(body.data).toEqual({ job_id: id })
    expect(await queued()).toEqual([])
    expect((await api.get(`/jobs/${id}`, { as: mario })).status).toBe(404)
    expect((await api.delete(`/jobs/${id}`, { as: mario })).status).toBe(404)
  })

  test('a running job: its worker is told at its next report, and what it wrote is removed', async () => {
    const id = await start({ url })
    const { id: number, lease } = await take(id)
    await api.delete(`/jobs/${id}`, { as: mario })
    expect(await runs.report(number, lease, some)).toBe(false)
    expect(await runs.complete(number, lease, { stats: some, zipSize: 1, truncated: false, cms: null })).toBe(
      false,
    )
    expect(await archivesToRemove()).toEqual([[`${id}.zip`, true]])
  })

  test('a completed job: its archive is removed, and it leaves the statistics', async () => {
    const id = await start({ url })
    await finish(id)
    await api.delete(`/jobs/${id}`, { as: mario })
    expect(await archivesToRemove()).toEqual([[`${id}.zip`, false]])
    expect((await api.get<{ total_jobs: number }>('/stats', { as: mario })).body.data.total_jobs).toBe(0)
  })
})

describe('GET /stats', () => {
  type Stats = Record<string, unknown>
  const stats = async (query = '', as = mario) => (await api.get<Stats>(`/stats${query}`, { as })).body.data

  test('of nothing', async () => {
    expect(await stats()).toEqual({
      total_jobs: 0,
      completed: 0,
      failed: 0,
      running: 0,
      pending: 0,
      total_pages: 0,
      total_resources: 0,
      total_bytes: 0,
      avg_duration: 0,
      success_rate: 0,
      top_domains: {},
      top_cms: {},
    })
  })

  test('sums, means, rates and the ten largest', async () => {
    await finish(await start({ url: 'http://one.test:8080/' }), { cms: 'WordPress' })
    await finish(await start({ url: 'http://one.test/' }), { cms: 'WordPress' })
    await fail(await start({ url: 'https://two.test/' }), 'x')
    await run(sql.fragment`
      update scrape_jobs set started_at = '2026-07-01 00:00:00+00',
             completed_at = '2026-07-01 00:00:00+00'::timestamptz
               + make_interval(secs => case when url like '%8080%' then 2.5 when status = 'completed' then 4 else 60 end)`)
    await take(await start({ url: 'http://three.test/' }))
    for (let site = 10; site < 20; site++) await start({ url: `http://s${site}.test/` })
    await start({ url }, lucia)
    const figures = await stats()
    expect(figures).toEqual({
      total_jobs: 14,
      completed: 2,
      failed: 1,
      running: 1,
      pending: 10,
      total_pages: 6,
      total_resources: 14,
      total_bytes: 6_000_000_000,
      avg_duration: 3.25,
      success_rate: 200 / 3,
      top_domains: expect.objectContaining({ 'one.test': 2, 's10.test': 1, 's18.test': 1 }) as object,
      top_cms: { WordPress: 2 },
    })
    expect(Object.keys(figures['top_domains'] as object)).toHaveLength(10)
    expect(Object.keys(figures['top_domains'] as object)[0]).toBe('one.test')
  })

  test('by the period in which a job was created', async () => {
    const beginnings = ['day', 'week', 'month', 'year'] as const
    for (const unit of beginnings) {
      for (const offset of [0, -1]) {
        const id = await start({ url })
        await run(sql.fragment`
          update scrape_jobs set created_at = date_trunc(${unit}, now(), 'UTC') + make_interval(secs => ${offset})
           where public_id = ${id}`)
      }
    }
    const counted = async (period: string) => (await stats(`?period=${period}`))['total_jobs']
    const created = await db().anyFirst(
      sql.type(z.object({ at: z.number() }))`select created_at as at from scrape_jobs`,
    )
    for (const [period, unit] of [
      ['today', 'day'],
      ['week', 'week'],
      ['month', 'month'],
      ['year', 'year'],
    ] as const) {
      const from = await db().oneFirst(
        sql.type(z.object({ at: z.number() }))`select date_trunc(${unit}, now(), 'UTC') as at`,
      )
      expect(await counted(period)).toBe(created.filter((at) => at >= from).length)
    }
    expect(await counted('all')).toBe(8)
    expect(await stats()).toMatchObject({ total_jobs: 8 })
  })

  test.each(['period=decade', 'period=', 'period=Today', 'period=all&period=all'])(
    '%s is 400',
    async (query) => {
      const { status, body } = await api.get(`/stats?${query}`, { as: mario })
      expect(status).toBe(400)
      expect(body.error.error).toBe('BAD_REQUEST')
    },
  )

  test('is one statement', async () => {
    const queries = (['query', 'any', 'one', 'maybeOne'] as const).map((method) => vi.spyOn(db(), method))
    try {
      await stats()
      const texts = queries.flatMap((spy) => spy.mock.calls.map(([{ sql }]) => sql))
      expect(texts.filter((text) => text.includes('scrape_jobs'))).toHaveLength(1)
    } finally {
      for (const spy of queries) spy.mockRestore()
    }
  })
})
