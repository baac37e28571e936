import { DataforseoLabsApi, KeywordsDataApi, SerpApi } from 'dataforseo-client/api'
import {
  DataforseoLabsGoogleKeywordSuggestionsLiveRequestInfo as Suggest,
  KeywordsDataGoogleAdsSearchVolumeLiveRequestInfo as Volume,
  SerpGoogleOrganicLiveAdvancedRequestInfo as Search,
  SerpGoogleOrganicTaskPostRequestInfo as Post,
} from 'dataforseo-client/models'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type FakeDataForSeo, startDataForSeo } from '../fakes/dataforseo.ts'

/** The vendor's own client against the stand-in that the other tests use: it is not only our opinion. */
let fake: FakeDataForSeo
let http: { fetch: typeof fetch }
let root: string

beforeAll(async () => {
  fake = await startDataForSeo()
  root = fake.url.replace(/\/v3$/, '')
  const login = Buffer.from(`${fake.login}:${fake.password}`).toString('base64')
  http = {
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...(init?.headers as object), authorization: `Basic ${login}` } }),
  }
})
afterAll(() => fake.close())

const market = { location_code: 2380, language_code: 'it' }

test('a live search', async () => {
  fake.ranks.set('scarpe', { domain: 'shop.example', position: 3 })
  const answer = await new SerpApi(root, http).googleOrganicLiveAdvanced([
    new Search({ ...market, keyword: 'scarpe', depth: 100 }),
  ])
  const items = answer?.tasks?.[0]?.result?.[0]?.items ?? []
  const found = items.find(
    (item: { type?: string; rank_group?: number }) => item.type === 'organic' && item.rank_group === 3,
  )
  expect(found).toMatchObject({ domain: 'shop.example', url: 'https://shop.example/page-3' })
})

test('a search by the queue', async () => {
  const serp = new SerpApi(root, http)
  const posted = await serp.googleOrganicTaskPost([new Post({ ...market, keyword: 'scarpe', tag: 'mine' })])
  const { id = '', status_code: status } = posted?.tasks?.[0] ?? {}
  expect(status).toBe(20100)
  expect((await serp.googleOrganicTaskGetAdvanced(id))?.tasks?.[0]?.status_code).toBe(40602)
  fake.queue.finish()
  const ready = await serp.googleOrganicTasksReady()
  expect(ready?.tasks?.[0]?.result?.[0]).toMatchObject({ id, tag: 'mine' })
  const got = await serp.googleOrganicTaskGetAdvanced(id)
  expect(got?.tasks?.[0]?.result?.[0]?.items?.length).toBeGreaterThan(10)
})

test('locations and languages', async () => {
  const serp = new SerpApi(root, http)
  const all = await serp.googleLocations()
  expect(all?.tasks?.[0]?.result).toContainEqual(expect.objectContaining({ location_code: 2380 }))
  const italian = await serp.googleLocationsCountry('it')
  const codes = italian?.tasks?.[0]?.result?.map((row: { country_iso_code?: string }) => row.country_iso_code)
  expect(new Set(codes)).toEqual(new Set(['IT']))
  const languages = await serp.googleLanguages()
  expect(languages?.tasks?.[0]?.result).toContainEqual(expect.objectContaining({ language_code: 'it' }))
})

test('search volumes and suggestions', async () => {
  const volumes = await new KeywordsDataApi(root, http).googleAdsSearchVolumeLive([
    new Volume({ ...market, keywords: ['scarpe'] }),
  ])
  expect(volumes?.tasks?.[0]?.result?.[0]).toMatchObject({ keyword: 'scarpe', search_volume: 60 })
  const suggestions = await new DataforseoLabsApi(root, http).googleKeywordSuggestionsLive([
    new Suggest({ ...market, keyword: 'scarpe', limit: 5 }),
  ])
  const [result] = suggestions?.tasks?.[0]?.result ?? []
  expect(result?.items).toHaveLength(5)
  expect(result?.seed_keyword_data?.keyword_info?.search_volume).toBe(1000)
})

test('what the vendor refuses is refused', async () => {
  const code = async (task: object) =>
    (await new SerpApi(root, http).googleOrganicLiveAdvanced([new Search(task)]))?.tasks?.[0]?.status_code
  expect(await code({ ...market, keyword: '' })).toBe(40501)
  expect(await code({ ...market, keyword: 'x', location_code: 1 })).toBe(40501)
  expect(await code({ ...market, keyword: 'x', depth: 300 })).toBe(40501)
  const wrong = await fetch(`${fake.url}/serp/google/languages`)
  expect([wrong.status, await wrong.json()]).toEqual([401, expect.objectContaining({ status_code: 40100 })])
})
