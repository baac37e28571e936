import { randomUUID } from 'node:crypto'

import { beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

import * as crawls from '../../sql/crawls.ts'
import * as pages from '../../sql/pages.ts'
import { db, sql } from '../../sql/pool.ts'
import { attachSiteIssues } from '../../tasks/crawl/checks/site.ts'
import { pageScore } from '../../tasks/crawl/score.ts'
import { useApi } from '../support/api.ts'
import { address, storeSite } from '../support/crawl.ts'
import { parseCsv } from '../support/csv.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'

useDatabase()
const api = useApi()
let mario: Person
let giulia: Person
let scan: number
let crawl: number

type Detail = {
  id: number
  url: string
  score: number | null
  issues: string[]
  inlinks: number
  linked_from: string | null
  explanation: {
    score: number | null
    reason: string
    points_lost: number | null
    lost: Record<'major' | 'moderate' | 'minor', { points: number; most: number; counted: number }>
    issues: { code: string; severity: string; about: string; fix: string; points: number }[]
  }
}
type Listed = { data: Detail[]; meta: { total_results: number; issue: Record<string, unknown> } }

const Id = z.object({ id: z.int() })
const ofCrawl = async (crawlId: number) =>
  await db().oneFirst(sql.type(Id)`select scan_id as id from crawls where id = ${crawlId}`)
/** Ends a crawl as its worker does. */
const finish = async (id: number) => {
  const lease = randomUUID()
  await crawls.take(id, lease, randomUUID())
  return await crawls.end(id, lease, { failure: null, score: 50, scoreVersion: 2 })
}
/** Gives a page of a crawl its issues, and the score that its crawl would have given. */
const give = async (crawlId: number, path: string, issues: string[], status = 200) => {
  const answer = { visit: { status } as never, isHtml: true, isBlocked: issues.includes('page_blocked') }
  await db().query(sql.typeAlias('void')`
    update pages set issues = ${sql.array(issues, 'text')}, score = ${pageScore(answer, issues)}
     where crawl_id = ${crawlId} and url = ${address(path)}`)
}
const idOf = async (path: string, crawlId = crawl) =>
  await db().oneFirst(
    sql.type(Id)`select id from pages where crawl_id = ${crawlId} and url = ${address(path)}`,
  )
const affected = async (code: string, query = '', of = scan) => {
  const { body } = await api.get<Detail[]>(`/spider/${of}/issues/${code}${query}`, { as: mario })
  return body as unknown as Listed
}

const every = { major: 6, moderate: 9, minor: 20 }
const scored = async (severity: string, count: number) =>
  await db().anyFirst(sql.type(z.object({ code: z.string() }))`
    select code from checks where severity = ${severity} and points > 0 and code <> 'page_blocked' order by code limit ${count}`)

beforeAll(async () => {
  mario = await makePerson('admin') // as many requests as it takes
  giulia = await makePerson('giulia')
  crawl = await storeSite(mario.id, {
    pages: {
      '/': { links: ['/a', '/b', '/gone', '/'] },
      '/a': { links: ['/gone', '/old', '/a'] },
      '/b': { links: ['/a'] },
      '/gone': { status: 404 },
      '/old': { redirect: '/a' },
      '/doc.pdf': { html: false },
      '/walled': {},
      '/worst': {},
      '/clean': {},
    },
  })
  scan = await ofCrawl(crawl)
  await give(crawl, '/b', ['title_too_short', 'title_missing', 'noindex', 'no_such_check'])
  await give(crawl, '/walled', ['page_blocked'])
  const worst = await Promise.all(Object.entries(every).map(([severity, count]) => scored(severity, count)))
  await give(crawl, '/worst', worst.flat())
  await attachSiteIssues(crawl)
  await finish(crawl)
})

describe('GET /spider/{id}/issues/{code}', () => {
  test('has the pages with the issue, who links to them, and what the issue is', async () => {
    const { data, meta } = await affected('link_internal_broken')
    expect(data.map(({ url }) => url)).toEqual([address('/'), address('/a')])
    expect(data.map(({ inlinks, linked_from }) => [inlinks, linked_from])).toEqual([
      [0, null],
      [2, address('/')],
    ])
    expect(meta).toMatchObject({
      total_results: 2,
      issue: { code: 'link_internal_broken', severity: 'major', points: 15 },
    })
    expect(meta.issue['about']).toMatch(/\w+/)
    expect(meta.issue['fix']).toMatch(/\w+/)
  })

  test('is paged', async () => {
    const second = await affected('link_internal_broken', '?per_page=1&page=2')
    expect(second.data.map(({ url }) => url)).toEqual([address('/a')])
    expect(second.data[0]?.inlinks).toBe(2)
    expect(second.meta).toMatchObject({ page: 2, per_page: 1, total_results: 2, total_pages: 2 })
    expect((await affected('link_internal_broken', '?per_page=1&page=3')).data).toEqual([])
  })

  test('comes as CSV', async () => {
    const { headers, text } = await api.get(`/spider/${scan}/issues/link_internal_broken?format=csv`, {
      as: mario,
    })
    expect(headers.get('content-disposition')).toBe('attachment; filename="spider-issues.csv"')
    const [head = [], ...rows] = parseCsv(text)
    expect(rows.map((row) => row[head.indexOf('url')])).toEqual([address('/'), address('/a')])
    expect(rows.map((row) => row[head.indexOf('linked_from')])).toEqual(['', address('/')])
  })

  test('is empty where no page has the issue', async () => {
    const { data, meta } = await affected('soft_404')
    expect(data).toEqual([])
    expect(meta).toMatchObject({ total_results: 0, issue: { code: 'soft_404' } })
  })

  test.each(['no_such_check', 'nothing', 'TITLE_MISSING', '%00', 'x'.repeat(500), "'"])(
    'a code that no check has is 404: %s',
    async (code) => {
      const { status } = await api.get(`/spider/${scan}/issues/${code}`, { as: mario })
      expect(status).toBe(404)
    },
  )

  test.each(['issues/soft_404', 'pages/1', 'report'])("somebody else's scan is 404: %s", async (path) => {
    expect((await api.get(`/spider/${scan}/${path}`, { as: giulia })).status).toBe(404)
    expect((await api.get(`/spider/999999/${path}`, { as: mario })).status).toBe(404)
    expect((await api.get(`/spider/${scan}/${path}`)).status).toBe(401)
    const posted = await api.post(`/spider/${scan}/${path}`, { as: mario })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET'])
  })

  test('is about the crawl before until a rescan has ended, and is never of half a crawl', async () => {
    const first = await storeSite(mario.id, { pages: { '/': {}, '/first': {} } })
    const of = await ofCrawl(first)
    await give(first, '/first', ['title_missing'])
    await finish(first)
    const second = await storeSite(mario.id, { pages: { '/': {}, '/second': {} } })
    await give(second, '/second', ['title_missing'])
    await db().query(sql.typeAlias('void')`update crawls set scan_id = ${of} where id = ${second}`)
    await db().query(sql.typeAlias('void')`update scans set crawl_id = ${second} where id = ${of}`)
    const urls = async () => (await affected('title_missing', '', of)).data.map(({ url }) => url)
    expect(await urls()).toEqual([address('/first')])

    // The rescan ends between the look-up of the scan and the reading of its pages.
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
    expect(await urls()).toEqual([address('/second')])
  })
})

describe('GET /spider/{id}/pages/{page}', () => {
  const detail = async (path: string) =>
    (await api.get<Detail>(`/spider/${scan}/pages/${await idOf(path)}`, { as: mario })).body.data

  test.each([
    ['/', 'issues', 85],
    ['/a', 'issues', 84],
    ['/b', 'issues', 84],
    ['/clean', 'issues', 100],
    ['/gone', 'unreadable', 0],
    ['/walled', 'blocked', 0],
    ['/old', 'no_page', null],
    ['/doc.pdf', 'no_page', null],
    ['/worst', 'issues', 0],
  ])('%s: the issues, and nothing else, make the score', async (path, reason, score) => {
    const page = await detail(path)
    const { lost, ...explained } = page.explanation
    expect([page.score, explained.score, explained.reason]).toEqual([score, score, reason])
    expect(explained.points_lost).toBe(score === null ? null : 100 - score)
    expect(explained.issues.map(({ code }) => code).toSorted()).toEqual(page.issues.toSorted())
    const sums = Object.entries(lost).map(([severity, { points, most, counted }]) => {
      const issues = explained.issues.filter((issue) => issue.severity === severity)
      expect(points).toBe(issues.reduce((sum, issue) => sum + issue.points, 0))
      expect(counted).toBe(Math.min(points, most))
      return counted
    })
    if (reason === 'issues') expect(100 - sums.reduce((sum, counted) => sum + counted, 0)).toBe(score)
  })

  test('says what each issue is and costs, the dearest first; what informs, or is no check any more, costs nothing', async () => {
    const { explanation } = await detail('/b')
    const rows = explanation.issues.map(({ code, severity, points }) => [code, severity, points])
    expect(rows).toEqual([
      ['title_missing', 'major', 15],
      ['title_too_short', 'minor', 1],
      ['noindex', 'minor', 0],
      ['no_such_check', 'minor', 0],
    ])
    expect(explanation.issues[0]?.fix).toMatch(/title/)
    expect(explanation.issues.at(-1)).toMatchObject({ about: '', fix: '' })
  })

  test('no severity takes more than its bound', async () => {
    const { explanation } = await detail('/worst')
    expect(explanation.lost).toEqual({
      major: { points: 15 * every.major, most: 60, counted: 60 },
      moderate: { points: 5 * every.moderate, most: 30, counted: 30 },
      minor: { points: every.minor, most: 10, counted: 10 },
    })
  })

  test('says who links to the page', async () => {
    expect(await detail('/gone')).toMatchObject({ inlinks: 2, linked_from: address('/') })
    expect(await detail('/clean')).toMatchObject({ inlinks: 0, linked_from: null })
  })

  test.each(['0', '999999999', 'x', '-1', '1.5', '99999999999999999999'])(
    '%s is no page: 404',
    async (page) => {
      expect((await api.get(`/spider/${scan}/pages/${page}`, { as: mario })).status).toBe(404)
    },
  )

  test('a page of another scan is 404', async () => {
    const other = await ofCrawl(await storeSite(mario.id, { pages: { '/': {} } }))
    expect((await api.get(`/spider/${other}/pages/${await idOf('/')}`, { as: mario })).status).toBe(404)
  })
})

test('the list of pages has the fields of the specification, and no others', async () => {
  const { body } = await api.get<object[]>(`/spider/${scan}/pages`, { as: mario })
  expect(Object.keys(body.data[0] ?? {}).join(' ')).toBe(
    'id url status_code score title meta_description h1 canonical is_indexable is_noindex words_count images_no_alt ' +
      'internal_links external_links schema_types issues',
  )
})
