import { randomUUID } from 'node:crypto'

import { beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

import { setAccount } from '../../sql/accounts.ts'
import * as crawls from '../../sql/crawls.ts'
import * as pages from '../../sql/pages.ts'
import { db, sql } from '../../sql/pool.ts'
import { attachSiteIssues } from '../../tasks/crawl/checks/site.ts'
import { pageScore } from '../../tasks/crawl/score.ts'
import { useApi } from '../support/api.ts'
import { address, storeSite } from '../support/crawl.ts'
import { readCsv } from '../support/csv.ts'
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
    select code from checks where severity = ${severity} and points > 0 and code <> 'page_blocked'
       and scope in ('response', 'page', 'indexable') order by code limit ${count}`)

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

  test("says it in the account's language", async () => {
    await setAccount(mario.email, { locale: 'en' })
    const english = await affected('link_internal_broken')
    await setAccount(mario.email, { locale: 'it' })
    const italian = await affected('link_internal_broken')
    expect(english.meta.issue['fix']).toMatch(/^Correct or remove the link/)
    expect(italian.meta.issue['fix']).toMatch(/^Correggi o togli il link/)
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
    expect(readCsv(text)).toMatchObject([
      { url: address('/'), inlinks: '0', linked_from: '' },
      { url: address('/a'), inlinks: '2', linked_from: address('/') },
    ])
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
    ['/', 'issues'],
    ['/a', 'issues'],
    ['/b', 'issues'],
    ['/clean', 'issues'],
    ['/worst', 'issues'],
    ['/gone', 'unreadable'],
    ['/walled', 'blocked'],
    ['/old', 'no_page'],
    ['/doc.pdf', 'no_page'],
  ])('%s: %s make the score, which is that of the crawl', async (path, reason) => {
    const { score, ...page } = await detail(path)
    const { lost, ...explained } = page.explanation
    expect([explained.score, explained.reason]).toEqual([score, reason])
    expect(explained.points_lost).toBe(score === null ? null : 100 - score)
    expect(explained.issues.map(({ code }) => code).toSorted()).toEqual(page.issues.toSorted())
    const sums = Object.entries(lost).map(([severity, { points, most, counted }]) => {
      const issues = explained.issues.filter((issue) => issue.severity === severity)
      expect(points).toBe(issues.reduce((sum, issue) => sum + issue.points, 0))
      expect(counted).toBe(Math.min(points, most))
      return counted
    })
    const made = 100 - sums.reduce((sum, counted) => sum + counted, 0)
    const wanted: Record<string, number | null> = { issues: made, no_page: null, unreadable: 0, blocked: 0 }
    expect(score).toBe(wanted[reason])
  })

  test('says what each issue is and costs, the dearest first; what informs, or is no check any more, costs nothing', async () => {
    const { explanation } = await detail('/b')
    const { issues } = explanation
    expect(issues[0]).toMatchObject({ code: 'title_missing', severity: 'major', points: 15 })
    expect(issues[0]?.fix).toMatch(/^Scrivi nell’head un titolo/)
    expect(issues).toContainEqual(expect.objectContaining({ code: 'title_too_short', points: 1 }))
    expect(issues.slice(-2)).toEqual([
      expect.objectContaining({ code: 'noindex', severity: 'minor', points: 0 }),
      { code: 'no_such_check', severity: 'minor', about: '', fix: '', points: 0 },
    ])
  })

  test('no severity takes more than its bound', async () => {
    const { explanation } = await detail('/worst')
    for (const { points, most, counted } of Object.values(explanation.lost)) {
      expect(points).toBeGreaterThan(most)
      expect(counted).toBe(most)
    }
    expect(explanation.score).toBe(0)
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
