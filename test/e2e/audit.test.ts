import { afterAll, beforeAll, expect, test } from 'vitest'

import { setPlan } from '../../sql/accounts.ts'
import { count, startGenerated } from '../fakes/generated-site.ts'
import { type Client, clientOf } from '../support/client.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { type Service, startService } from '../support/service.ts'

const database = useDatabase()
let service: Service
let mario: Client
beforeAll(async () => {
  service = await startService({ url: database.url })
  await setPlan('large', { maxPages: 1000 })
  mario = clientOf(service.origin, (await makePerson('mario', { plan: 'large' })).key)
})
afterAll(() => service?.stop())

test.each([3, 4])('every planted fault is found, and nothing else (seed %i)', async (seed) => {
  const site = await startGenerated({ pages: 300, links: 14, kilobytes: 6, seed }, 'all')
  try {
    const scan = await mario.crawl({ start_url: site.origin, use_sitemap: true, max_pages: 1000 })
    expect(scan).toMatchObject({ status: 'completed', pages_processed: site.expected.size })
    const pages = await mario.pages(scan.id)
    const found = pages.map(({ url, issues }) => [url.slice(site.origin.length), issues.toSorted()] as const)
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(site.expected))
    const { issues } = await mario.issues(scan.id)
    expect(Object.fromEntries(issues.map(({ code, pages }) => [code, pages]))).toEqual(count(site.expected))
  } finally {
    await site.close()
  }
})
