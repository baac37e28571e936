import { beforeAll, describe, expect, test } from 'vitest'

import { db, sql } from '../../sql/pool.ts'
import { useApi } from '../support/api.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'

useDatabase()
const api = useApi()
let mario: Person
let giulia: Person

beforeAll(async () => {
  mario = await makePerson('admin')
  giulia = await makePerson('giulia')
})

const create = async (json: object, as = mario) => {
  const answer = await api.post<{ id: number }>('/projects', { as, json })
  expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('"id"')])
  return answer.body.data.id
}
const read = async (id: number, as = mario) =>
  (await api.get<Record<string, unknown>>(`/projects/${id}`, { as })).body.data
const addKeywords = (id: number, json: object, as = mario) =>
  api.post<{ added: number; skipped: number; removed: number }>(`/projects/${id}/keywords`, { as, json })
const keywordsOf = async (id: number) =>
  ((await read(id))['keywords'] as { keyword: string; id: number }[]).map(({ keyword }) => keyword)

describe('POST /projects', () => {
  test('needs a name and a domain; the rest has defaults', async () => {
    const id = await create({ name: '  Shop  ', domain: 'example.com' })
    expect(await read(id)).toMatchObject({
      id,
      name: 'Shop',
      domain: 'example.com',
      location_code: 2380,
      language_code: 'it',
      console_property: null,
      analytics_property: null,
      last_datetime: null,
      stats: { tracked: 0, ranking: 0, avg_position: null, gained: [], lost: [], timeline: {} },
      keywords: [],
    })
  })

  test.each([
    ['https://www.Example.COM:8080/path?q=1', 'example.com'],
    ['HTTP://user:pw@Sub.Example.com.', 'sub.example.com'],
    ['//example.com/x', 'example.com'],
    ['www.com', 'www.com'],
    ['http:/example.com/', 'example.com'],
    ['https:\\\\www.example.com\\x', 'example.com'],
    ['www.www.example.com', 'www.example.com'],
    ['Münchner-Bücher.de', 'xn--mnchner-bcher-wobi.de'],
    ['xn--mnchner-bcher-wobi.de', 'xn--mnchner-bcher-wobi.de'],
    [' example.com ', 'example.com'],
    ['my_shop.example.com', 'my_shop.example.com'],
  ])('takes %s as the domain %s', async (domain, normal) => {
    expect(await read(await create({ name: 'x', domain }))).toMatchObject({ domain: normal })
  })

  test.each([
    [{ domain: 'example.com' }],
    [{ name: '  ', domain: 'example.com' }],
    [{ name: 'x' }],
    [{ name: 'x', domain: '' }],
    [{ name: 'x', domain: 'https://' }],
    [{ name: 'x', domain: 'two words' }],
    [{ name: 'x', domain: 'a..b' }],
    [{ name: 'x', domain: '127.0.0.1' }],
    [{ name: 'x', domain: '[::1]' }],
    [{ name: 'x', domain: '123' }],
    [{ name: 'x', domain: `${'a'.repeat(64)}.com` }],
    [{ name: 'x', domain: `${'a.'.repeat(127)}com` }],
    [{ name: 'x', domain: 7 }],
    [{ name: ['x'], domain: 'example.com' }],
    [{ name: 'x', domain: 'example.com', location_code: 'Rome' }],
    [{ name: 'x', domain: 'example.com', language_code: 5 }],
  ])('refuses %j with 422', async (json) => {
    expect((await api.post('/projects', { as: mario, json })).status).toBe(422)
  })

  test('cuts names, and casts what it can', async () => {
    const form = `name=${'😀'.repeat(300)}&domain=example.com&location_code=2840.9&language_code=EN_us!`
    const { body } = await api.post<{ id: number }>('/projects', { as: mario, form })
    expect(await read(body.data.id)).toMatchObject({
      name: '😀'.repeat(255),
      location_code: 2840,
      language_code: 'enus',
    })
    expect(await read(await create({ name: 'x', domain: 'a.it', language_code: '12' }))).toMatchObject({
      language_code: 'it',
    })
  })
})

describe('one project', () => {
  test('changes what is sent and nothing else', async () => {
    const id = await create({ name: 'Old', domain: 'old.example', location_code: 2840, language_code: 'en' })
    const patch = async (json: object) => (await api.patch(`/projects/${id}`, { as: mario, json })).status
    expect(await patch({ name: 'New', analytics_property: 'properties/12 34' })).toBe(200)
    expect(await patch({ console_property: ' sc-domain:old.example ' })).toBe(200)
    expect(await read(id)).toMatchObject({
      name: 'New',
      domain: 'old.example',
      location_code: 2840,
      language_code: 'en',
      console_property: 'sc-domain:old.example',
      analytics_property: '1234',
    })
    expect(await patch({ console_property: null, analytics_property: '', domain: 'www.new.example' })).toBe(
      200,
    )
    expect(await patch({ language_code: '!!', location_code: '2276' })).toBe(200)
    expect(await read(id)).toMatchObject({
      domain: 'new.example',
      location_code: 2276,
      language_code: 'it',
      console_property: null,
      analytics_property: null,
    })
  })

  test.each([
    [{}],
    [{ other: 1 }],
    [{ name: '' }],
    [{ domain: 'no host' }],
    [{ name: null }],
    [{ console_property: 'x'.repeat(256) }],
    [{ console_property: ['x'] }],
  ])('is not changed by %j: 422', async (json) => {
    const id = await create({ name: 'x', domain: 'example.com' })
    expect((await api.patch(`/projects/${id}`, { as: mario, json })).status).toBe(422)
    expect(await read(id)).toMatchObject({ name: 'x', domain: 'example.com' })
  })

  test('belongs to its user alone', async () => {
    const id = await create({ name: 'Mine', domain: 'example.com' })
    const json = { name: 'Yours', keywords: ['a'] }
    expect((await api.get(`/projects/${id}`, { as: giulia })).status).toBe(404)
    expect((await api.patch(`/projects/${id}`, { as: giulia, json })).status).toBe(404)
    expect((await api.delete(`/projects/${id}`, { as: giulia })).status).toBe(404)
    expect((await addKeywords(id, json, giulia)).status).toBe(404)
    expect(await read(id)).toMatchObject({ name: 'Mine', keywords: [] })
  })

  test.each(['0', '-1', 'abc', '1e3', '99999999999999999999'])('%s is no id: 404', async (id) => {
    expect((await api.get(`/projects/${id}`, { as: mario })).status).toBe(404)
  })

  test('goes with its keywords and their positions', async () => {
    const id = await create({ name: 'x', domain: 'example.com' })
    await addKeywords(id, { keywords: ['a', 'b'] })
    await checked(id, 'a', [[1, 5]])
    expect((await api.delete(`/projects/${id}`, { as: mario })).body).toEqual({ data: { id } })
    expect((await api.delete(`/projects/${id}`, { as: mario })).status).toBe(404)
    expect((await api.get(`/keywords?project_id=${id}`, { as: mario })).body.meta.total_results).toBe(0)
  })

  test('is listed newest first with its number of keywords, also as CSV', async () => {
    const first = await create({ name: '=1+1', domain: 'one.example' }, giulia)
    const second = await create({ name: 'Two', domain: 'two.example' }, giulia)
    await addKeywords(first, { keywords: ['a', 'b', 'c'] }, giulia)
    const { body } = await api.get<{ id: number; keywords: number }[]>('/projects', { as: giulia })
    expect(body.data.map(({ id, keywords }) => [id, keywords])).toEqual([
      [second, 0],
      [first, 3],
    ])
    expect(body.meta).toEqual({ page: 1, per_page: 25, total_results: 2, total_pages: 1 })
    const { text } = await api.get('/projects?format=csv', { as: giulia })
    expect(text.split('\r\n')[0]).toBe(
      'id,name,domain,location_code,language_code,console_property,analytics_property,last_datetime,datetime,keywords',
    )
    expect(text).toContain(`${first},'=1+1,one.example`)
  })

  test('as CSV is a row for each keyword', async () => {
    const id = await create({ name: 'Shop', domain: 'example.com' })
    await addKeywords(id, { keywords: ['red, "new"', '+1'] })
    await checked(id, '+1', [[0, 7]])
    const { text, headers } = await api.get(`/projects/${id}?format=csv`, { as: mario })
    const [columns, ...rows] = text.split('\r\n')
    expect(headers.get('content-disposition')).toContain('projects.csv')
    expect(columns).toBe('project,domain,keyword,last_position,last_url,search_volume,last_datetime')
    expect(rows[0]).toBe('Shop,example.com,"red, ""new""",,,,')
    expect(rows[1]).toMatch(/^Shop,example\.com,'\+1,7,https:\/\/example\.com\/7,,\d{4}-/)
  })
})

describe('POST /projects/{id}/keywords', () => {
  test('adds what is new, whatever its case, in the order of the call', async () => {
    const id = await create({ name: 'x', domain: 'example.com' })
    const first = await addKeywords(id, {
      keywords: [' Scarpe ROSSE ', 'scarpe rosse', '', '  ', null, 'ÈTÀ', 'età'],
    })
    expect([first.status, first.body.data]).toEqual([201, { added: 3, skipped: 1, removed: 0 }])
    const second = await addKeywords(id, { keywords: ['SCARPE rosse', 'e\u0300ta\u0300', 'nuova'] })
    expect(second.body.data).toEqual({ added: 1, skipped: 2, removed: 0 })
    expect(await keywordsOf(id)).toEqual(['Scarpe ROSSE', 'ÈTÀ', 'età', 'nuova'])
  })

  test('splits `keyword` at every kind of line end where `keywords` has nothing', async () => {
    const id = await create({ name: 'x', domain: 'example.com' })
    const form = 'keywords[]=&keyword=' + encodeURIComponent('uno\r\ndue\rtre\n\nquattro ')
    const answer = await api.post(`/projects/${id}/keywords`, { as: mario, form })
    expect(answer.body.data).toEqual({ added: 4, skipped: 0, removed: 0 })
    expect(await keywordsOf(id)).toEqual(['uno', 'due', 'tre', 'quattro'])
    await addKeywords(id, { keywords: ['cinque'], keyword: 'sei' })
    expect(await keywordsOf(id)).toEqual(['uno', 'due', 'tre', 'quattro', 'cinque'])
  })

  test('replaces all with `replace`, and only with exactly that', async () => {
    const id = await create({ name: 'x', domain: 'example.com' })
    await addKeywords(id, { keywords: ['a', 'b', 'c'] })
    const more = await addKeywords(id, { keywords: ['a', 'd'], mode: 'REPLACE' })
    expect(more.body.data).toEqual({ added: 1, skipped: 1, removed: 0 })
    const replaced = await addKeywords(id, { keywords: ['c', 'e'], mode: 'replace' })
    expect(replaced.body.data).toEqual({ added: 2, skipped: 0, removed: 4 })
    expect(await keywordsOf(id)).toEqual(['c', 'e'])
  })

  test.each([
    [{}],
    [{ keywords: [] }],
    [{ keywords: ['', ' '], keyword: ' \n ' }],
    [{ keywords: 'a' }],
    [{ keywords: [7] }],
    [{ keyword: ['a'] }],
    [{ keywords: [], mode: 'replace' }],
  ])('refuses %j with 422, and removes nothing', async (json) => {
    const id = await create({ name: 'x', domain: 'example.com' })
    await addKeywords(id, { keywords: ['kept'] })
    expect((await addKeywords(id, json)).status).toBe(422)
    expect(await keywordsOf(id)).toEqual(['kept'])
  })

  test('cuts a keyword to 255 characters, and compares what is left', async () => {
    const id = await create({ name: 'x', domain: 'example.com' })
    const { body } = await addKeywords(id, { keywords: ['x'.repeat(256), 'x'.repeat(300)] })
    expect(body.data).toEqual({ added: 1, skipped: 1, removed: 0 })
  })

  test('counts exactly when many calls add the same at once', async () => {
    const id = await create({ name: 'x', domain: 'example.com' })
    const keywords = Array.from({ length: 500 }, (_, n) => `keyword ${n}`)
    const answers = await Promise.all(Array.from({ length: 8 }, () => addKeywords(id, { keywords })))
    const sum = (key: 'added' | 'skipped') => answers.reduce((total, { body }) => total + body.data[key], 0)
    expect([sum('added'), sum('skipped')]).toEqual([500, 3500])
    expect(await keywordsOf(id)).toHaveLength(500)
    const { body } = await api.get<{ id: number; keywords: number }[]>('/projects?per_page=100', {
      as: mario,
    })
    expect(body.data.find((project) => project.id === id)?.keywords).toBe(500)
  })

  test('takes 5,000 at once', async () => {
    const id = await create({ name: 'x', domain: 'example.com' })
    const { body } = await addKeywords(id, {
      keywords: Array.from({ length: 5000 }, (_, n) => `keyword ${n}`),
    })
    expect(body.data).toEqual({ added: 5000, skipped: 0, removed: 0 })
  })
})

describe('stats', () => {
  test('are those of the last checks, and of the first and last in 90 days', async () => {
    const id = await create({ name: 'x', domain: 'example.com' })
    const names = ['up', 'down', 'new', 'gone', 'same', 'once', 'never', 'old']
    await addKeywords(id, { keywords: names })
    await checked(id, 'up', [
      [80, 20],
      [10, 50],
      [1, 2],
    ])
    await checked(id, 'down', [
      [80, 5],
      [1, 35],
    ])
    await checked(id, 'new', [
      [80, null],
      [1, 8],
    ])
    await checked(id, 'gone', [
      [80, 60],
      [1, null],
    ])
    await checked(id, 'same', [
      [80, 11],
      [40, 90],
      [1, 11],
    ])
    await checked(id, 'once', [[1, 100]])
    await checked(id, 'old', [
      [200, 90],
      [100, 1],
    ])
    const { stats } = (await read(id)) as { stats: { timeline: Record<string, number> } }
    expect(stats).toEqual({
      tracked: 8,
      ranking: 6,
      avg_position: 26.2,
      buckets: { top3: 2, top10: 1, top20: 1, top50: 1, top100: 1, none: 2 },
      gained: [
        { keyword: 'new', delta: null, from: null, to: 8 },
        { keyword: 'up', delta: 18, from: 20, to: 2 },
      ],
      lost: [
        { keyword: 'gone', delta: null, from: 60, to: null },
        { keyword: 'down', delta: -30, from: 5, to: 35 },
      ],
      timeline: { [day(80)]: 24, [day(40)]: 90, [day(10)]: 50, [day(1)]: 31.2 },
    })
    expect(Object.keys(stats.timeline)).toEqual([day(80), day(40), day(10), day(1)])
  })
})

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)

/** Stores checks of a keyword as [days ago, position]; the last is its latest. */
async function checked(project: number, keyword: string, checks: [number, number | null][]) {
  const times = checks.map(([ago]) => new Date(Date.now() - ago * 86_400_000).toISOString())
  const positions = checks.map(([, position]) => position)
  await db().query(sql.typeAlias('void')`
    with checks as (
      select k.id, c.at, c.position, 'https://example.com/' || c.position as url
        from keywords k, unnest(${sql.array(times, 'timestamptz')}, ${sql.array(positions, 'int4')}) as c (at, position)
       where k.project_id = ${project} and k.keyword = ${keyword}
    ), stored as (
      insert into rankings (keyword_id, checked_at, position, url) select id, at, position, url from checks
    )
    update keywords k set last_position = c.position, last_url = c.url, checked_at = c.at
      from (select * from checks order by at desc limit 1) c where k.id = c.id`)
}
