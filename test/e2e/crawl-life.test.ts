import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import { startGraph, star } from '../fakes/graph.ts'
import { changes, type Site, startSite } from '../fakes/site.ts'
import type { FakeServer } from '../fakes/site/server.ts'
import { type Client, clientOf, type PageRow } from '../support/client.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { type Service, startService, waitFor } from '../support/service.ts'

const database = useDatabase()
let service: Service
let mario: Client
const servers: Pick<FakeServer, 'close'>[] = []

beforeAll(async () => {
  service = await startService({ url: database.url })
  mario = clientOf(service.origin, (await makePerson('mario')).key)
})
afterAll(async () => {
  await Promise.all([service?.stop(), ...servers.map((server) => server.close())])
})

async function open<T extends Pick<FakeServer, 'close'>>(starting: Promise<T>): Promise<T> {
  const server = await starting
  servers.push(server)
  return server
}

type Side = {
  url: string
  status_code: number
  score: number | null
  issues_count: number
  is_indexable: boolean
}
type Comparison = {
  from: { id: number }
  to: { id: number }
  summary: Record<'pages_from' | 'pages_to' | 'added' | 'removed' | 'changed' | 'score_delta', number | null>
  added_pages: { url: string; status_code: number; score: number | null }[]
  removed_pages: { url: string; status_code: number }[]
  changed_pages: { from: Side; to: Side }[]
}

/** Issues that come and go with the load of the machine. */
const timing = new Set(['ttfb_slow', 'response_slow'])
const steady = (page?: PageRow) =>
  page?.issues
    .filter((code) => !timing.has(code))
    .toSorted()
    .join()
const compare = (from: number, to: number) => mario.read<Comparison>(`/spider/${from}/compare?to=${to}`)
const pagesByUrl = async (id: number) => new Map((await mario.pages(id)).map((page) => [page.url, page]))
const side = (page: PageRow | undefined) => ({
  url: page?.url,
  status_code: page?.status_code,
  score: page?.score,
  issues_count: page?.issues.length,
  is_indexable: page?.is_indexable,
})

describe('two crawls of a site that changed between them', () => {
  let site: Site
  let before: number
  let after: number
  beforeAll(async () => {
    site = await open(startSite())
    before = (await mario.crawl({ start_url: site.origin })).id
    site.change()
    after = (await mario.crawl({ start_url: site.origin })).id
  })
  const path = ({ url }: { url: string }) => url.slice(site.origin.length)

  test('compare as they differ', async () => {
    const found = await compare(before, after)
    const [a, b] = await Promise.all([mario.scan(before), mario.scan(after)])
    expect(found.from).toMatchObject({ id: before, score: a.score, status: 'completed' })
    expect(found.to).toMatchObject({ id: after, score: b.score, status: 'completed' })
    expect(found.added_pages.map(path)).toEqual(changes.added)
    expect(found.removed_pages.map(path)).toEqual(changes.removed)
    const [was, is] = await Promise.all([pagesByUrl(before), pagesByUrl(after)])
    const differing = found.changed_pages.filter(({ from: { url } }) => {
      return (
        was.get(url)?.status_code !== is.get(url)?.status_code || steady(was.get(url)) !== steady(is.get(url))
      )
    })
    expect(differing.map(({ from }) => path(from)).toSorted()).toEqual(changes.changed)
    expect(found.summary).toEqual({
      pages_from: a.pages_processed,
      pages_to: b.pages_processed,
      added: 1,
      removed: 1,
      changed: found.changed_pages.length,
      score_delta: b.score! - a.score!,
    })
  })

  test('say what each page was and is', async () => {
    const found = await compare(before, after)
    const [a, b] = await Promise.all([pagesByUrl(before), pagesByUrl(after)])
    for (const { from, to } of found.changed_pages) {
      expect(from).toMatchObject(side(a.get(from.url)))
      expect(to).toMatchObject(side(b.get(from.url)))
    }
    expect(found.added_pages).toEqual([
      { url: `${site.origin}/fresh`, status_code: 200, score: expect.any(Number) },
    ])
    expect(found.removed_pages).toEqual([{ url: `${site.origin}/old`, status_code: 200 }])
  })

  test('compare the other way round, and with themselves', async () => {
    const found = await compare(after, before)
    expect(found.added_pages.map(path)).toEqual(changes.removed)
    expect(found.removed_pages.map(path)).toEqual(changes.added)
    const same = await compare(after, after)
    expect(same).toMatchObject({ added_pages: [], removed_pages: [], changed_pages: [] })
    expect(same.summary).toMatchObject({ added: 0, removed: 0, changed: 0, score_delta: 0 })
  })

  test('need a second scan that is there', async () => {
    expect((await mario.api('GET', `/spider/${before}/compare`)).status).toBe(422)
    expect((await mario.api('GET', `/spider/${before}/compare?to=999999`)).status).toBe(404)
  })
})

test('compare lists stop at 500, its counts do not', async () => {
  const wide = await open(startGraph(star(621)))
  await db().query(sql.type(z.unknown())`update plans set max_pages = 1000`)
  const few = await mario.crawl({ start_url: wide.origin, max_pages: 1 })
  const all = await mario.crawl({ start_url: wide.origin })
  const found = await mario.read<Comparison>(`/spider/${few.id}/compare?to=${all.id}`)
  expect(found.summary).toMatchObject({ pages_from: 1, pages_to: 621, added: 620, removed: 0 })
  expect(found.added_pages).toHaveLength(500)
})

test('a rescan keeps the scan, shows the old pages until it ends, and adds to the history', async () => {
  const site = await open(startSite())
  const { id } = await mario.crawl({ start_url: site.origin })
  const [pages, issues, [first]] = await Promise.all([mario.pages(id), mario.issues(id), mario.history(id)])

  site.change()
  site.forget()
  const release = site.hold((path) => path === '/about')
  const begun = await mario.api('POST', `/spider/${id}/rescan`)
  expect(begun).toMatchObject({ status: 200, data: { id, status: 'crawling' } })
  await waitFor(() => site.hits.get('/about'), { what: 'the request that is held' })

  const running = await mario.scan(id)
  expect(running).toMatchObject({ id, status: 'crawling', pending: expect.any(Number) })
  expect((await mario.api('POST', `/spider/${id}/rescan`)).status).toBe(422)
  expect(await mario.pages(id)).toEqual(pages)
  expect(await mario.issues(id)).toEqual(issues)
  expect(await mario.history(id)).toEqual([first])

  release()
  const ended = await mario.ended(id)
  expect(ended.status).toBe('completed')
  const urls = (await mario.pages(id)).map(({ url }) => url)
  expect(urls.toSorted()).toEqual(
    site
      .truth()
      .map(({ url }) => url)
      .toSorted(),
  )
  const [kept, second, ...more] = await mario.history(id)
  expect(kept).toEqual(first)
  expect(second).toMatchObject({ score: ended.score, errors_count: ended.errors_count, status_5xx: 3 })
  expect(more).toEqual([])
})

test('a rescan that fails leaves history and pages alone, and another can follow', async () => {
  const site = await open(startGraph({ '/': ['/a'], '/a': [] }))
  const { id } = await mario.crawl({ start_url: site.origin })
  const pages = await mario.pages(id)
  await site.close()
  await mario.api('POST', `/spider/${id}/rescan`)
  const failed = await mario.ended(id)
  expect(failed).toMatchObject({ status: 'failed', failure: expect.any(String) })
  expect(await mario.history(id)).toHaveLength(1)
  expect(pages).toHaveLength(2)
  expect(await mario.pages(id)).toEqual(pages)
  expect((await mario.api('POST', `/spider/${id}/rescan`)).status).toBe(200)
  await mario.ended(id)
})

test('a scan under way tells how far it is, and can be renamed', async () => {
  const site = await open(startGraph(star(40)))
  const release = site.hold((path) => path.startsWith('/leaf/'))
  const id = await mario.begin({ start_url: site.origin, name: 'first' })
  const running = await waitFor(async () => {
    const scan = await mario.scan(id)
    return scan.pages_processed === 1 && scan
  })
  expect(running).toMatchObject({
    status: 'crawling',
    pages_found: 40,
    pending: 39,
    score: null,
    finished_datetime: null,
  })
  expect((await mario.api('GET', '/spider')).data).toEqual(
    expect.arrayContaining([expect.objectContaining({ id, status: 'crawling' })]),
  )
  expect((await mario.pages(id)).map(({ url }) => url)).toEqual([`${site.origin}/`])
  expect(await mario.api('PATCH', `/spider/${id}`, { name: '  second  ' })).toMatchObject({
    status: 200,
    data: { id, name: 'second' },
  })
  release()
  expect(await mario.ended(id)).toMatchObject({ status: 'completed', name: 'second', pages_processed: 40 })
})

test('a scan deleted under way stops, and leaves nothing behind', async () => {
  const Count = z.object({ count: z.int() })
  const left = async () => {
    const counts = await db().many(sql.type(Count)`
      select count(*)::int from pages union all select count(*)::int from links
      union all select count(*)::int from frontier union all select count(*)::int from crawls
      union all select count(*)::int from graphile_worker.jobs where task_identifier like 'crawl.%'`)
    return counts.map(({ count }) => count)
  }
  for (const { id } of await mario.read<{ id: number }[]>('/spider?per_page=100'))
    await mario.api('DELETE', `/spider/${id}`)

  // All of it would take six seconds at least.
  const site = await open(startGraph(star(900), undefined, 100))
  const id = await mario.begin({ start_url: site.origin })
  await waitFor(() => site.inFlight() >= 16, { what: '16 requests in flight' })
  expect(await mario.api('DELETE', `/spider/${id}`)).toMatchObject({ status: 200, data: { id } })
  expect((await mario.api('GET', `/spider/${id}`)).status).toBe(404)
  expect((await mario.api('GET', `/spider/${id}/pages`)).status).toBe(404)
  await waitFor(async () => (await left()).every((count) => count === 0), {
    what: 'nothing left in the tables',
  })
  expect(site.inFlight()).toBe(0)
  expect(site.hits.size).toBeLessThan(600)
})
