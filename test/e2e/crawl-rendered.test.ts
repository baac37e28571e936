import { afterAll, beforeAll, expect, test } from 'vitest'

import { findBrowser } from '../../tasks/browser.ts'
import { startGraph, star } from '../fakes/graph.ts'
import type { FakeServer } from '../fakes/site/server.ts'
import { startSpa } from '../fakes/spa.ts'
import { type Client, clientOf } from '../support/client.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { type Service, startService } from '../support/service.ts'

const PAGES = 20

const database = useDatabase()
let service: Service
let mario: Client
let spa: FakeServer

beforeAll(async () => {
  service = await startService({ url: database.url, env: { SPIDER_CONCURRENCY: '4' } })
  mario = clientOf(service.origin, (await makePerson('mario')).key)
  spa = await startSpa()
})
afterAll(async () => {
  await Promise.all([service?.stop(), spa?.close()])
})

test.runIf(findBrowser())('a site that its scripts fill is crawled as its visitors see it', async () => {
  const scan = await mario.crawl({ start_url: spa.origin, max_pages: PAGES })
  expect(scan).toMatchObject({ status: 'completed', pages_processed: PAGES })
  const pages = await mario.pages(scan.id)
  const byPath = new Map(pages.map((page) => [page.url.slice(spa.origin.length), page]))
  expect(byPath.size).toBe(PAGES)
  expect(byPath.get('/')).toMatchObject({ title: 'Front page', h1: 'Front page', internal_links: 60 })
  const items = [...byPath].filter(([path]) => path.startsWith('/item/'))
  expect(items.length).toBeGreaterThanOrEqual(PAGES - 2)
  for (const [path, page] of items) {
    const title = `Item ${path.slice('/item/'.length)}`
    expect(page).toMatchObject({ status_code: 200, title, h1: title, internal_links: 3 })
    expect(page.words_count).toBeGreaterThan(100)
  }
})

test.runIf(findBrowser())('rendering loads no images, fonts and media', async () => {
  spa.forget()
  await mario.crawl({ start_url: spa.origin, max_pages: 2 })
  const loaded = spa.log.flatMap(({ path, headers }) => ('sec-fetch-mode' in headers ? [path] : []))
  expect(loaded).toContain('/app.js')
  expect(loaded.filter((path) => /photo|broken|woff|back/.test(path))).toEqual([])
})

test('a site of plain HTML never meets a browser', async () => {
  const plain = await startGraph(star(10))
  await mario.crawl({ start_url: plain.origin })
  await plain.close()
  const agents = new Set(
    plain.log.map(({ headers }) => headers['sec-ch-ua'] ?? headers['sec-fetch-mode'] ?? 'none'),
  )
  expect([...agents]).toEqual(['none'])
})

test('without a browser the same site is crawled as plain HTML', async () => {
  await service.stop()
  service.members.length = 0
  const none = { CHROMIUM_PATH: '/nowhere/chromium' }
  await Promise.all([service.start('web'), service.start('worker', none)])
  const scan = await mario.crawl({ start_url: spa.origin, max_pages: PAGES })
  expect(scan).toMatchObject({ status: 'completed', pages_processed: 1 })
  expect(await mario.pages(scan.id)).toMatchObject([{ title: 'Loading', h1: null, internal_links: 0 }])
})
