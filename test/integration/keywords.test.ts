import { beforeAll, describe, expect, test } from 'vitest'

import { db, sql } from '../../sql/pool.ts'
import { useApi } from '../support/api.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'

useDatabase()
const api = useApi()
let mario: Person
let giulia: Person
let older: number
let newer: number
let foreign: number

type Keyword = { id: number; project_id: number; keyword: string; tags: string[] }

const project = async (as: Person, keywords: string[]) => {
  const { body } = await api.post<{ id: number }>('/projects', {
    as,
    json: { name: 'x', domain: 'example.com' },
  })
  await api.post(`/projects/${body.data.id}/keywords`, { as, json: { keywords } })
  return body.data.id
}
const list = async (query: string, as = mario) => (await api.get<Keyword[]>(`/keywords${query}`, { as })).body
const names = async (query: string, as = mario) => (await list(query, as)).data.map(({ keyword }) => keyword)
const idOf = async (keyword: string, as = mario) =>
  (await list('?per_page=100', as)).data.find((each) => each.keyword === keyword)!.id

beforeAll(async () => {
  mario = await makePerson('admin')
  giulia = await makePerson('giulia')
  older = await project(mario, ['a1', 'a2', 'a3'])
  await project(mario, [])
  newer = await project(mario, ['b1', 'b2'])
  foreign = await project(giulia, ['secret'])
})

describe('GET /keywords', () => {
  test('spans all projects, newest first', async () => {
    expect(await names('')).toEqual(['b1', 'b2', 'a1', 'a2', 'a3'])
    expect((await list('')).meta.total_results).toBe(5)
    expect((await list('')).data[0]).toEqual({
      id: expect.any(Number),
      project_id: newer,
      keyword: 'b1',
      search_volume: null,
      last_position: null,
      last_url: null,
      target_url: null,
      tags: [],
      notes: null,
      last_datetime: null,
      datetime: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    })
  })

  test.each([
    [1, ['b1', 'b2']],
    [2, ['a1', 'a2']],
    [3, ['a3']],
    [4, []],
  ])('page %i of two each', async (page, expected) => {
    expect(await names(`?per_page=2&page=${page}`)).toEqual(expected)
  })

  test('a window across projects', async () => {
    expect(await names('?per_page=3')).toEqual(['b1', 'b2', 'a1'])
    expect(await names('?per_page=4')).toEqual(['b1', 'b2', 'a1', 'a2'])
  })

  test('of one project; a foreign or absurd one has none', async () => {
    expect(await names(`?project_id=${older}`)).toEqual(['a1', 'a2', 'a3'])
    expect(await names(`?project_id=${foreign}`)).toEqual([])
    expect(await names('?project_id=abc')).toEqual([])
    expect(await names('?project_id=')).toHaveLength(5)
    expect((await list(`?project_id=${older}`)).meta.total_results).toBe(3)
  })

  test('by exactly one tag, also as CSV', async () => {
    const [a2, b2] = [await idOf('a2'), await idOf('b2')]
    await api.patch(`/keywords/${a2}`, { as: mario, json: { tags: ['Brand', 'top'] } })
    await api.patch(`/keywords/${b2}`, { as: mario, json: { tags: ['Brand'] } })
    expect(await names('?tag=Brand')).toEqual(['b2', 'a2'])
    expect((await list('?tag=Brand&per_page=1')).meta).toMatchObject({ total_results: 2, total_pages: 2 })
    expect(await names(`?tag=Brand&project_id=${older}`)).toEqual(['a2'])
    expect(await names('?tag=brand')).toEqual([])
    expect(await names('?tag=Bra')).toEqual([])
    expect(await names('?tag=Brand', giulia)).toEqual([])
    const { text } = await api.get('/keywords?format=csv&tag=top', { as: mario })
    expect(text).toContain(',a2,')
    expect(text).toContain(',Brand|top,')
  })
})

describe('PATCH /keywords/{id}', () => {
  test('sets and clears what is sent', async () => {
    const path = `/keywords/${await idOf('a1')}`
    const first = await api.patch<Keyword>(path, {
      as: mario,
      json: { target_url: ' https://example.com/a ', tags: ' x , y,x,, ', notes: ' Nota ' },
    })
    expect(first.body.data).toMatchObject({
      keyword: 'a1',
      target_url: 'https://example.com/a',
      tags: ['x', 'y'],
      notes: 'Nota',
    })
    const second = await api.patch<Keyword>(path, { as: mario, json: { notes: '' } })
    expect(second.body.data).toMatchObject({
      target_url: 'https://example.com/a',
      tags: ['x', 'y'],
      notes: null,
    })
    const third = await api.patch<Keyword>(path, { as: mario, json: { target_url: null, tags: [] } })
    expect(third.body.data).toMatchObject({ target_url: null, tags: [] })
    expect((await api.get<Keyword>(path, { as: mario })).body.data).toEqual(third.body.data)
  })

  test('takes forms', async () => {
    const path = `/keywords/${await idOf('a3')}`
    const { body } = await api.patch<Keyword>(path, { as: mario, form: 'tags[]=uno&tags[]=due%2C tre' })
    expect(body.data.tags).toEqual(['uno', 'due, tre'])
    expect((await api.patch<Keyword>(path, { as: mario, form: 'tags=' })).body.data.tags).toEqual([])
  })

  test('cuts tags and notes', async () => {
    const path = `/keywords/${await idOf('a3')}`
    const tags = Array.from({ length: 30 }, (_, n) => `${n}`.padEnd(70, 'è'))
    const { body } = await api.patch<Keyword & { notes: string }>(path, {
      as: mario,
      json: { tags, notes: '😀'.repeat(2000) },
    })
    expect(body.data.tags).toEqual(tags.slice(0, 20).map((tag) => tag.slice(0, 64)))
    expect(body.data.notes).toBe('😀'.repeat(1024))
  })

  test.each([
    [{}],
    [{ keyword: 'other' }],
    [{ target_url: 'x'.repeat(2049) }],
    [{ tags: 5 }],
    [{ tags: [5] }],
    [{ notes: {} }],
  ])('refuses %j with 422', async (json) => {
    expect((await api.patch(`/keywords/${await idOf('a2')}`, { as: mario, json })).status).toBe(422)
  })

  test('404 of somebody else’s, whatever is sent', async () => {
    const path = `/keywords/${await idOf('secret', giulia)}`
    expect((await api.patch(path, { as: mario, json: {} })).status).toBe(404)
    expect((await api.get(path, { as: mario })).status).toBe(404)
    expect((await api.get(`${path}/history`, { as: mario })).status).toBe(404)
    expect((await api.delete(path, { as: mario })).status).toBe(404)
  })
})

describe('GET /keywords/{id}/history', () => {
  test('is what was found within so many days, oldest first', async () => {
    const id = await idOf('b1')
    await db().query(sql.typeAlias('void')`
      insert into rankings (keyword_id, checked_at, position, url)
      select ${id}, now() - make_interval(days => d), nullif(d, 5), 'https://example.com/' || d
        from unnest(array[400, 200, 50, 5]) as d`)
    const points = async (query: string) => {
      const { body } = await api.get<{ keyword: string; history: { position: number | null }[] }>(
        `/keywords/${id}/history${query}`,
        { as: mario },
      )
      expect(body.data.keyword).toBe('b1')
      return body.data.history.map(({ position }) => position)
    }
    expect(await points('')).toEqual([50, null])
    expect(await points('?days=365')).toEqual([200, 50, null])
    expect(await points('?days=9999')).toEqual([200, 50, null])
    expect(await points('?days=0')).toEqual([])
    expect(await points('?days=x')).toEqual([50, null])
  })
})

describe('DELETE', () => {
  test('one keyword', async () => {
    const id = await idOf('b2')
    expect((await api.delete(`/keywords/${id}`, { as: mario })).body).toEqual({ data: { id } })
    expect((await api.delete(`/keywords/${id}`, { as: mario })).status).toBe(404)
    expect((await list(`?project_id=${newer}`)).meta.total_results).toBe(1)
  })

  test('many, by JSON, form or query; foreign ones are ignored', async () => {
    const id = await project(mario, ['1', '2', '3', '4', '5', '6'])
    const ids = (await list(`?project_id=${id}`)).data.map((keyword) => keyword.id)
    const secret = await idOf('secret', giulia)
    const remove = async (query: string, options: object) =>
      (await api.delete<{ deleted: number }>(`/keywords${query}`, { as: mario, ...options })).body.data
        .deleted
    expect(await remove('', { json: { ids: [ids[0], secret, 'x', ids[0]] } })).toBe(1)
    expect(await remove('', { form: `ids[]=${ids[1]}&ids[]=${ids[2]}` })).toBe(2)
    expect(await remove('', { json: { ids: ` ${ids[3]}, ${ids[4]}` } })).toBe(2)
    expect(await remove(`?ids=${ids[5]}`, {})).toBe(1)
    expect(await names(`?project_id=${id}`)).toEqual([])
    expect(await names('', giulia)).toEqual(['secret'])
  })

  test.each(['{}', '{"ids":[]}', '{"ids":"x,y"}', '{"ids":[0,-1,1.5]}', '{"ids":{"a":1}}'])(
    'without a valid id (%s) is 422',
    async (body) => {
      expect((await api.delete('/keywords', { as: mario, body })).status).toBe(422)
    },
  )
})

describe('without a source of keyword data', () => {
  test('what needs one is 409, once nothing else is wrong', async () => {
    expect((await api.post(`/projects/${older}/refresh`, { as: mario })).status).toBe(409)
    expect((await api.post(`/projects/${foreign}/refresh`, { as: mario })).status).toBe(404)
    expect((await api.post('/keyword-research', { as: mario, json: { keyword: 'x' } })).status).toBe(409)
    expect((await api.post('/keyword-research', { as: mario, json: {} })).status).toBe(422)
    expect((await api.get('/keyword-research', { as: mario })).status).toBe(405)
    expect((await api.get('/locations', { as: mario })).status).toBe(409)
  })

  test('languages are those of the built-in list', async () => {
    const languages = async (query: string) =>
      (await api.get<{ code: string }[]>(`/languages${query}`, { as: mario })).body.data
    expect((await languages('')).length).toBeGreaterThan(40)
    expect(await languages('?q=ZH-cn')).toEqual([{ code: 'zh-CN', name: 'Chinese (Simplified)' }])
    expect(await languages('?q=portu')).toEqual([{ code: 'pt', name: 'Portuguese' }])
    expect(await languages('?q=%00%25')).toEqual([])
  })
})
