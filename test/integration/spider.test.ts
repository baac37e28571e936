import { randomUUID } from 'node:crypto'

import { Client } from 'pg'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

import { setPlan } from '../../sql/accounts.ts'
import * as crawls from '../../sql/crawls.ts'
import * as pages from '../../sql/pages.ts'
import { db, sql } from '../../sql/pool.ts'
import { useApi } from '../support/api.ts'
import { storeSite } from '../support/crawl.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'

const database = useDatabase()
const api = useApi()
let mario: Person
let giulia: Person
const start_url = 'https://shop.example/'

beforeAll(async () => {
  await setPlan('small', { maxPages: 50 })
  mario = await makePerson('admin') // as many requests as it takes
  giulia = await makePerson('giulia', { plan: 'small' })
})

type Started = { id: number; status: string }
const start = async (json: object, as = mario) => {
  const answer = await api.post<Started>('/spider', { as, json })
  expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('"status":"crawling"')])
  return answer.body.data.id
}

/** What was stored of a scan, for options that no answer shows. */
const Id = z.object({ id: z.int() })
const Stored = z.looseObject({ id: z.int() })
const stored = (id: number) => db().one(sql.type(Stored)`select * from scans where id = ${id}`)

describe('POST /spider', () => {
  test('takes every option, and answers 201 with id and status', async () => {
    const answer = await api.post<Started>('/spider', {
      as: mario,
      json: {
        start_url: 'https://Shop.Example:8443/a/../b?q=1#part',
        name: '  The shop ',
        max_pages: 20,
        max_depth: 3,
        speed: 'turbo',
        include_subdomains: true,
        respect_robots: 1,
        use_sitemap: 'yes',
        exclude_paths: '/admin\n/*.pdf$',
      },
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({ data: { id: expect.any(Number), status: 'crawling' } })
    expect(await stored(answer.body.data.id)).toMatchObject({
      name: 'The shop',
      start_url: 'https://shop.example:8443/b?q=1',
      host: 'shop.example:8443',
      max_pages: 20,
      max_depth: 3,
      speed: 'turbo',
      include_subdomains: true,
      respect_robots: true,
      use_sitemap: true,
      exclude_paths: '/admin\n/*.pdf$',
    })
  })

  test('has the defaults of the specification', async () => {
    expect(await stored(await start({ start_url }))).toMatchObject({
      name: '',
      host: 'shop.example',
      max_pages: 200,
      max_depth: 10,
      speed: 'fast',
      include_subdomains: false,
      respect_robots: false,
      use_sitemap: false,
      exclude_paths: '',
    })
  })

  test('takes `url` where `start_url` is absent or empty, and prefers `start_url`', async () => {
    expect(await stored(await start({ url: 'https://one.example/' }))).toMatchObject({ host: 'one.example' })
    expect(await stored(await start({ start_url: '', url: 'https://two.example/' }))).toMatchObject({
      host: 'two.example',
    })
    expect(
      await stored(await start({ start_url: 'https://three.example/', url: 'https://four.example/' })),
    ).toMatchObject({ host: 'three.example' })
  })

  test.each([
    ['https://bücher.example/', 'xn--bcher-kva.example', 'https://xn--bcher-kva.example/'],
    ['shop.example', 'shop.example', 'https://shop.example/'],
    ['http://shop.example:80/x', 'shop.example', 'http://shop.example/x'],
    ['https://shop.example:443', 'shop.example', 'https://shop.example/'],
    ['  https://shop.example/ ', 'shop.example', 'https://shop.example/'],
    ['https://me:secret@shop.example/', 'shop.example', 'https://shop.example/'],
    ['shop.example:8443/x', 'shop.example:8443', 'https://shop.example:8443/x'],
    ['shop.example?q=1', 'shop.example', 'https://shop.example/?q=1'],
    ['[::1]:8080', '[::1]:8080', 'https://[::1]:8080/'],
    ['//shop.example/x', 'shop.example', 'https://shop.example/x'],
    ['http://shop_1.example./', 'shop_1.example.', 'http://shop_1.example./'],
    ['http://[::1]:8080/', '[::1]:8080', 'http://[::1]:8080/'],
  ])('crawls %s from the host %s', async (given, host, url) => {
    expect(await stored(await start({ start_url: given }))).toMatchObject({ host, start_url: url })
  })

  test.each([
    [{ max_pages: 0 }, { max_pages: 1 }],
    [{ max_pages: -5 }, { max_pages: 1 }],
    [{ max_pages: 1_000_000 }, { max_pages: 200 }],
    [{ max_pages: '7' }, { max_pages: 7 }],
    [{ max_pages: '' }, { max_pages: 200 }],
    [{ max_depth: 0 }, { max_depth: 0 }],
    [{ max_depth: -1 }, { max_depth: 0 }],
    [{ max_depth: 51 }, { max_depth: 50 }],
    [{ max_depth: null }, { max_depth: 10 }],
    [{ speed: 'safe' }, { speed: 'safe' }],
    [{ speed: 'warp' }, { speed: 'fast' }],
    [{ speed: 7 }, { speed: 'fast' }],
    [{ use_sitemap: 'off' }, { use_sitemap: false }],
    [{ use_sitemap: 'TRUE' }, { use_sitemap: true }],
    [{ use_sitemap: '' }, { use_sitemap: false }],
    [{ use_sitemap: null }, { use_sitemap: false }],
  ])('%j is kept as %j', async (given, kept) => {
    expect(await stored(await start({ start_url, ...given }))).toMatchObject(kept)
  })

  test('cuts long texts by code points', async () => {
    const long = { name: '𝒩'.repeat(300), exclude_paths: '𝓍'.repeat(2001) }
    expect(await stored(await start({ start_url, ...long }))).toMatchObject({
      name: '𝒩'.repeat(255),
      exclude_paths: '𝓍'.repeat(2000),
    })
  })

  test('caps max_pages to the plan, which is also the default', async () => {
    expect(await stored(await start({ start_url }, giulia))).toMatchObject({ max_pages: 50 })
    expect(await stored(await start({ start_url, max_pages: 9000 }, giulia))).toMatchObject({ max_pages: 50 })
    expect(await stored(await start({ start_url, max_pages: 49 }, giulia))).toMatchObject({ max_pages: 49 })
  })

  test.each([
    [{}],
    [{ start_url: '' }],
    [{ start_url: '   ', url: '' }],
    [{ start_url: null }],
    [{ start_url: 7 }],
    [{ start_url: ['https://shop.example/'] }],
    [{ start_url: 'ftp://shop.example/' }],
    [{ start_url: 'javascript:alert(1)' }],
    [{ start_url: 'file:///etc/passwd' }],
    [{ start_url: 'http://' }],
    [{ start_url: 'http://exa mple/' }],
    [{ start_url: 'http://shop.example:99999/' }],
    [{ start_url: '/about' }],
    [{ start_url: 'mailto:me@shop.example' }],
    [{ start_url: 'me@shop.example' }],
    [{ start_url: 'http:/shop.example' }],
    [{ start_url: 'https://*/' }],
    [{ start_url: 'https://./' }],
    [{ start_url: 'https://shop..example/' }],
    [{ start_url: `https://${'x'.repeat(64)}.example/` }],
    [{ start_url: `https://${'x.'.repeat(127)}example/` }],
    [{ start_url, max_pages: 'many' }],
    [{ start_url, max_depth: [1] }],
    [{ start_url, name: 7 }],
    [{ start_url, include_subdomains: 'perhaps' }],
    [{ start_url, exclude_paths: {} }],
  ])('%j is 422', async (json) => {
    const { status, body } = await api.post('/spider', { as: mario, json })
    expect([status, body.errors?.[0]?.status]).toEqual([422, '422'])
  })

  test('an address of more than 2,048 characters is 422', async () => {
    const json = { start_url: `https://shop.example/${'x'.repeat(2048)}` }
    expect((await api.post('/spider', { as: mario, json })).status).toBe(422)
  })

  test('takes a form as well', async () => {
    const form =
      'start_url=https%3A%2F%2Fform.example%2F&max_pages=5&use_sitemap=on&respect_robots=0&exclude_paths=%2Fa%0A%2Fb'
    const answer = await api.post<Started>('/spider', { as: mario, form })
    expect(answer.status).toBe(201)
    expect(await stored(answer.body.data.id)).toMatchObject({
      host: 'form.example',
      max_pages: 5,
      use_sitemap: true,
      respect_robots: false,
      exclude_paths: '/a\n/b',
    })
  })

  test('makes the scan and its job together', async () => {
    const Job = z.object({ jobs: z.int() })
    const jobs = async () =>
      (await db().one(sql.type(Job)`select count(*)::int as jobs from graphile_worker.jobs`)).jobs
    const before = await jobs()
    await start({ start_url })
    expect(await jobs()).toBe(before + 1)
    await api.post('/spider', { as: mario, json: { start_url: 'ftp://x/' } })
    expect(await jobs()).toBe(before + 1)
  })
})

describe('a new scan', () => {
  test('is crawling, and has nothing yet', async () => {
    const id = await start({ start_url, name: 'New' })
    const { body } = await api.get<Record<string, unknown>>(`/spider/${id}`, { as: mario })
    expect(body.data).toEqual({
      id,
      name: 'New',
      host: 'shop.example',
      status: 'crawling',
      score: null,
      pages_found: expect.any(Number),
      pages_processed: 0,
      errors_count: 0,
      warnings_count: 0,
      started_datetime: null,
      finished_datetime: null,
      datetime: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      pending: expect.any(Number),
    })
    const pages = await api.get(`/spider/${id}/pages`, { as: mario })
    expect(pages.body).toEqual({
      data: [],
      meta: { page: 1, per_page: 25, total_results: 0, total_pages: 0 },
    })
    expect((await api.get(`/spider/${id}/pages?format=csv`, { as: mario })).text).toBe('')
    expect((await api.get(`/spider/${id}/issues`, { as: mario })).body).toEqual({
      data: { by_severity: { major: 0, moderate: 0, minor: 0 }, issues: [] },
    })
    expect((await api.get(`/spider/${id}/history`, { as: mario })).body).toEqual({ data: [] })
  })

  test('cannot be crawled again yet', async () => {
    const id = await start({ start_url })
    expect((await api.post(`/spider/${id}/rescan`, { as: mario })).status).toBe(422)
  })

  test('can be renamed, trimmed and cut', async () => {
    const id = await start({ start_url })
    const renamed = await api.patch(`/spider/${id}`, { as: mario, json: { name: `  ${'n'.repeat(300)}` } })
    expect(renamed.body).toEqual({ data: { id, name: 'n'.repeat(255) } })
    for (const json of [{}, { name: '' }, { name: '  ' }, { name: null }, { name: 5 }])
      expect([json, (await api.patch(`/spider/${id}`, { as: mario, json })).status]).toEqual([json, 422])
    expect(await stored(id)).toMatchObject({ name: 'n'.repeat(255) })
  })

  test('can be deleted, with all that belongs to it', async () => {
    const id = await start({ start_url })
    expect((await api.delete(`/spider/${id}`, { as: mario })).body).toEqual({ data: { id } })
    expect((await api.delete(`/spider/${id}`, { as: mario })).status).toBe(404)
    expect((await api.get(`/spider/${id}`, { as: mario })).status).toBe(404)
    const Left = z.object({ crawls: z.int() })
    expect(
      await db().one(sql.type(Left)`select count(*)::int as crawls from crawls where scan_id = ${id}`),
    ).toEqual({
      crawls: 0,
    })
  })
})

describe('GET /spider', () => {
  test('lists one’s own scans, newest first, in pages', async () => {
    const luigi = await makePerson('luigi')
    const ids = []
    for (const name of ['a', 'b', 'c']) ids.push(await start({ start_url, name }, luigi))
    const list = (query = '') => api.get<{ id: number }[]>(`/spider${query}`, { as: luigi })
    expect((await list()).body.data.map(({ id }) => id)).toEqual(ids.toReversed())
    const second = await list('?page=2&per_page=2')
    expect(second.body).toMatchObject({
      data: [{ id: ids[0], name: 'a' }],
      meta: { page: 2, per_page: 2, total_results: 3, total_pages: 2 },
    })
    expect((await list('?per_page=0')).body.meta.per_page).toBe(1)
    expect((await list('?per_page=500')).body.meta.per_page).toBe(100)
    expect((await list('?page=9')).body).toMatchObject({ data: [], meta: { page: 9, total_results: 3 } })
  })

  test('has no `pending` in its elements, and is to be had as CSV', async () => {
    const anna = await makePerson('anna')
    await start({ start_url, name: '=1+1' }, anna)
    const { body } = await api.get<object[]>('/spider', { as: anna })
    expect(body.data[0]).not.toHaveProperty('pending')
    const csv = await api.get('/spider?format=csv', { as: anna })
    const [header, row, ...more] = csv.text.split('\r\n')
    expect(header).toBe(Object.keys(body.data[0]!).join(','))
    expect(row).toContain(",'=1+1,shop.example,crawling,,")
    expect(more).toEqual([''])
  })
})

describe('somebody else’s scan', () => {
  test.each([
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/rescan'],
    ['GET', '/issues'],
    ['GET', '/pages'],
    ['GET', '/pages?format=csv'],
    ['GET', '/history'],
    ['GET', '/compare'],
  ])('is not there for %s /spider/{id}%s', async (method, path) => {
    const id = await start({ start_url })
    const stranger = await makePerson(`stranger-${id}`)
    for (const absent of [id, 0, -1, 999_999_999, 'abc', '1.5', '99999999999999999999'])
      expect([absent, (await api.call(method, `/spider/${absent}${path}`, { as: stranger })).status]).toEqual(
        [absent, 404],
      )
    expect((await api.get(`/spider/${id}`, { as: mario })).status).toBe(200)
  })
})

const ofCrawl = async (crawlId: number) =>
  await db().oneFirst(sql.type(Id)`select scan_id as id from crawls where id = ${crawlId}`)
const crawled = async (...statuses: number[]) => {
  const crawl = await storeSite(mario.id, {
    pages: Object.fromEntries(statuses.map((status, at) => [at === 0 ? '/' : `/${at}`, { status }])),
  })
  return { crawl, scan: await ofCrawl(crawl) }
}
/** Ends a crawl as its worker does. */
const finish = async (crawl: number) => {
  const lease = randomUUID()
  await crawls.take(crawl, lease, randomUUID())
  return await crawls.end(crawl, lease, { failure: null, score: 50, scoreVersion: 1 })
}
describe('GET /spider/{id}/pages', () => {
  test.each([
    ['404', [404]],
    ['0', [0]],
    ['200.0', [200, 200]],
    ['418', []],
    ['-1', []],
    ['9999', []],
    ['99999999999999999999', []],
    ['404&status=200', [200, 200]],
    ['', [200, 404, 200, 0]],
    ['ok', [200, 404, 200, 0]],
  ])('?status=%s', async (status, wanted) => {
    const { scan } = await crawled(200, 404, 200, 0)
    const { body } = await api.get<{ status_code: number }[]>(`/spider/${scan}/pages?status=${status}`, {
      as: mario,
    })
    expect(body.data.map(({ status_code }) => status_code)).toEqual(wanted)
    expect(body.meta.total_results).toBe(wanted.length)
  })

  test.each(['pages', 'issues', 'compare'])(
    '%s are those of a whole crawl while a rescan ends',
    async (path) => {
      const { crawl: first, scan } = await crawled(404)
      await finish(first)
      const { crawl: second } = await crawled(200)
      await db().query(sql.typeAlias('void')`update crawls set scan_id = ${scan} where id = ${second}`)
      await db().query(
        sql.typeAlias('void')`update pages set issues = '{title_missing}' where crawl_id = ${second}`,
      )
      // It ends between the look-up of the scan and the reading of its pages.
      const { maybeOne } = db()
      const lookUp = vi.spyOn(db(), 'maybeOne').mockImplementation(async (query) => {
        const row = await maybeOne(query)
        if (query.sql.includes('from scans')) {
          lookUp.mockRestore()
          await finish(second)
          await pages.clear(first)
        }
        return row
      })
      const url = `/spider/${scan}/${path}`
      const { body } = await api.get(path === 'compare' ? `${url}?to=${scan}` : url, { as: mario })
      expect(body).toMatchObject(
        {
          pages: { meta: { total_results: 1 } },
          issues: { data: { issues: [{ code: 'title_missing' }] } },
          compare: { data: { summary: { pages_from: 1, pages_to: 1, changed: 0 } } },
        }[path]!,
      )
    },
  )
})

/** What happens to a scan while somebody else deletes it: `meanwhile` begins once its row is locked. */
async function whileDeleted<T>(scan: number, meanwhile: () => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  try {
    await client.query('begin')
    await client.query('select from scans where id = $1 for update', [scan])
    const outcome = meanwhile()
    outcome.catch(() => {})
    await vi.waitFor(async () => {
      const { rowCount } = await client.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      )
      expect(rowCount).toBe(1)
    })
    await client.query('delete from scans where id = $1', [scan])
    await client.query('commit')
    return await outcome
  } finally {
    await client.end()
  }
}

describe('a scan that is being deleted', () => {
  test('may end its crawl at the same time: neither fails', async () => {
    const { crawl, scan } = await crawled(200)
    expect(await whileDeleted(scan, () => finish(crawl))).toBeNull()
  })

  test('is not crawled again: 404', async () => {
    const { crawl, scan } = await crawled(200)
    await finish(crawl)
    const rescan = () => api.post(`/spider/${scan}/rescan`, { as: mario })
    expect((await whileDeleted(scan, rescan)).status).toBe(404)
  })
})

describe('GET /spider/{id}/compare', () => {
  test('wants another scan of one’s own', async () => {
    const [one, two, hers] = [
      await start({ start_url }),
      await start({ start_url }),
      await start({ start_url }, giulia),
    ]
    const compare = async (query: string) =>
      (await api.get(`/spider/${one}/compare${query}`, { as: mario })).status
    expect(await compare('')).toBe(422)
    expect(await compare('?to=')).toBe(422)
    expect(await compare(`?to=${hers}`)).toBe(404)
    expect(await compare('?to=999999999')).toBe(404)
    expect(await compare('?to=-1')).toBe(404)
    expect(await compare(`?to=${two}`)).toBe(200)
  })

  test('of two empty crawls finds nothing', async () => {
    const [one, two] = [await start({ start_url, name: 'one' }), await start({ start_url, name: 'two' })]
    const { body } = await api.get(`/spider/${one}/compare?to=${two}`, { as: mario })
    expect(body.data).toMatchObject({
      from: { id: one, name: 'one' },
      to: { id: two, name: 'two' },
      summary: { pages_from: 0, pages_to: 0, added: 0, removed: 0, changed: 0, score_delta: null },
      added_pages: [],
      removed_pages: [],
      changed_pages: [],
    })
  })
})

test.each([
  ['PATCH', '/spider', 'GET, POST'],
  ['DELETE', '/spider', 'GET, POST'],
  ['POST', '/spider/1', 'GET, PATCH, DELETE'],
  ['GET', '/spider/1/rescan', 'POST'],
  ['POST', '/spider/1/issues', 'GET'],
  ['DELETE', '/spider/1/pages', 'GET'],
  ['PATCH', '/spider/1/history', 'GET'],
  ['POST', '/spider/1/compare', 'GET'],
])('%s %s is 405, allowed are %s', async (method, path, allowed) => {
  const answer = await api.call(method, path, { as: mario })
  expect(answer.status).toBe(405)
  expect(methods(answer.headers.get('allow')).toSorted()).toEqual(methods(allowed).toSorted())
})

test('nobody without a key gets in', async () => {
  expect((await api.get('/spider')).status).toBe(401)
  expect((await api.post('/spider', { json: { start_url } })).status).toBe(401)
})

test('paths below a scan that do not exist are 404', async () => {
  const id = await start({ start_url })
  expect((await api.get(`/spider/${id}/nothing`, { as: mario })).status).toBe(404)
  expect((await api.get(`/spider/${id}/pages/1`, { as: mario })).status).toBe(404)
})

const methods = (list: string | null) =>
  (list ?? '').split(/,\s*/).filter((name) => !['HEAD', 'OPTIONS'].includes(name))
