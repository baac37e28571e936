import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { createAccount, setPlan } from '../../sql/accounts.ts'
import { makeKey } from '../../sql/keys.ts'
import { db, sql } from '../../sql/pool.ts'
import { queueDepth } from '../../sql/queue.ts'
import { enqueue } from '../../tasks/jobs.ts'
import { type FakeDataForSeo, startDataForSeo } from '../fakes/dataforseo.ts'
import { volumeOf } from '../fakes/dataforseo/results.ts'
import { type Client, clientOf } from '../support/client.ts'
import { useDatabase } from '../support/database.ts'
import { type Service, startService, waitFor } from '../support/service.ts'

const database = useDatabase()
let source: FakeDataForSeo
let service: Service
let mario: Client
let userId: number

beforeAll(async () => {
  source = await startDataForSeo()
  const key = makeKey()
  userId = (await createAccount({ email: 'mario@example.test', name: 'mario', key, type: 0 })).id
  service = await startService({
    url: database.url,
    env: {
      DATAFORSEO_LOGIN: source.login,
      DATAFORSEO_PASSWORD: source.password,
      DATAFORSEO_URL: `${source.url}/`,
    },
  })
  mario = clientOf(service.origin, key)
})
afterAll(async () => {
  await service?.stop()
  await source?.close()
})
beforeEach(async () => {
  source.fault = () => undefined
  source.latency = 0
  source.calls.length = 0
  await db().query(sql.typeAlias('void')`truncate upstream_rests, upstream_slots`)
})

type Refreshed = { refreshed: number }
type Keyword = {
  id: number
  keyword: string
  last_position: number | null
  last_url: string | null
  search_volume: number | null
  last_datetime: string | null
}

async function project(keywords: string[], domain = 'shop.example') {
  const { data } = await mario.api<{ id: number }>('POST', '/projects', { name: 'x', domain })
  await mario.api('POST', `/projects/${data.id}/keywords`, { keywords })
  return data.id
}
const refresh = (id: number) => mario.api<Refreshed>('POST', `/projects/${id}/refresh`)
const keywordsOf = async (id: number) =>
  (await mario.read<{ keywords: Keyword[]; last_datetime: string | null }>(`/projects/${id}`)).keywords
const coolDown = (id: number) =>
  db().query(sql.typeAlias('void')`
    update projects set claimed_at = claimed_at - interval '10 minutes' where id = ${id}`)
const searches = () => source.calls.filter(({ path }) => path.startsWith('serp/google/organic'))

describe('POST /projects/{id}/refresh', () => {
  test('stores position, address and volume of every keyword', async () => {
    source.ranks.set('first', { domain: 'shop.example', position: 1 })
    source.ranks.set('100% red + blue', { domain: 'www.shop.example', position: 47 })
    source.ranks.set('look-alike', { domain: 'notshop.example', position: 2 })
    source.ranks.set('below', { domain: 'shop.example.evil.test', position: 3 })
    const id = await project(['first', '100% red + blue', 'look-alike', 'below', 'UNKNOWN volume unknown'])
    const answer = await refresh(id)
    expect([answer.status, answer.data]).toEqual([200, { refreshed: 5 }])
    expect(
      (await keywordsOf(id)).map(({ keyword, last_position, last_url, search_volume }) => [
        keyword,
        last_position,
        last_url,
        search_volume,
      ]),
    ).toEqual([
      ['first', 1, 'https://shop.example/page-1', volumeOf('first')],
      ['100% red + blue', 47, 'https://www.shop.example/page-47', volumeOf('100 red blue')],
      ['look-alike', null, null, volumeOf('look-alike')],
      ['below', null, null, volumeOf('below')],
      ['UNKNOWN volume unknown', null, null, null],
    ])
    const [first] = await keywordsOf(id)
    const { history } = await mario.read<{ history: object[] }>(`/keywords/${first!.id}/history`)
    expect(history).toEqual([
      { position: 1, url: 'https://shop.example/page-1', datetime: first!.last_datetime },
    ])
    expect(await mario.read(`/projects/${id}`)).toMatchObject({ last_datetime: first!.last_datetime })
  })

  test('asks for volumes once a month, and for positions every time', async () => {
    const id = await project(['a', 'b'])
    await refresh(id)
    await coolDown(id)
    source.calls.length = 0
    expect((await refresh(id)).data).toEqual({ refreshed: 2 })
    expect(source.calls.map(({ path }) => path)).toEqual(Array(2).fill('serp/google/organic/live/advanced'))
    const [keyword] = await keywordsOf(id)
    const { history } = await mario.read<{ history: object[] }>(`/keywords/${keyword!.id}/history`)
    expect(history).toHaveLength(2)
  })

  test('runs once, however many ask for it', async () => {
    source.latency = 100
    const id = await project(['a', 'b', 'c'])
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(id)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array<number>(19).fill(429),
    ])
    expect(searches()).toHaveLength(3)
    expect((await refresh(id)).status).toBe(429)
  })

  test('keeps to 25 calls in flight, of all projects together', async () => {
    source.latency = 50
    const names = Array.from({ length: 60 }, (_, n) => `keyword ${n}`)
    const ids = await Promise.all([project(names), project(names)])
    const answers = await Promise.all(ids.map(refresh))
    expect(answers.map(({ data }) => data)).toEqual([{ refreshed: 60 }, { refreshed: 60 }])
    expect(source.inFlightMax()).toBeLessThanOrEqual(25)
    expect(source.inFlightMax()).toBeGreaterThan(15)
  })

  test('asks for each of many keywords once', async () => {
    const id = await project(Array.from({ length: 700 }, (_, n) => `one of many ${n}`))
    expect((await refresh(id)).data).toEqual({ refreshed: 700 })
    expect(searches()).toHaveLength(700)
  })

  test('leaves out a keyword whose answer says nothing, and refreshes the others', async () => {
    source.ranks.set('empty', { domain: 'shop.example', position: 0 })
    const id = await project(['a', 'empty', 'b'])
    expect((await refresh(id)).data).toEqual({ refreshed: 2 })
    const empty = (await keywordsOf(id)).find(({ keyword }) => keyword === 'empty')
    expect(empty).toMatchObject({ last_position: null, last_datetime: null })
  })

  test('that breaks off is 502, says how far it came, and cools down', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `keyword ${n}`)
    const id = await project(names)
    source.latency = 20
    source.fault = (path) => (path.startsWith('serp') && searches().length > 30 ? { code: 40210 } : undefined)
    const answer = await refresh(id)
    expect(answer.status).toBe(502)
    const stored = (await keywordsOf(id)).filter(({ last_datetime }) => last_datetime !== null)
    expect(stored.length).toBeGreaterThan(0)
    expect(answer.errors[0]?.title).toContain(`${stored.length} parole chiave aggiornate su 40`)
    expect(answer.text).not.toContain(source.password)
    expect((await refresh(id)).status).toBe(429)
  })

  test('that brings nothing is 502 and can be repeated at once', async () => {
    const id = await project(['a'])
    source.fault = () => ({ status: 401 })
    expect((await refresh(id)).status).toBe(502)
    source.fault = () => undefined
    await db().query(sql.typeAlias('void')`truncate upstream_rests`)
    expect((await refresh(id)).data).toEqual({ refreshed: 1 })
  })

  test.each([
    ['a reset', { reset: true }],
    ['a truncated answer', { body: '{"status_code":20000,"tasks":[{"stat' }],
    ['an HTTP 500', { status: 500, body: 'Internal' }],
    ['a temporary code', { code: 50301 }],
    ['too many at once', { code: 40209 }],
  ] as const)('survives %s', async (_what, fault) => {
    const id = await project(['a'])
    source.fault = (path) => (path.startsWith('serp') && searches().length === 1 ? fault : undefined)
    expect((await refresh(id)).data).toEqual({ refreshed: 1 })
    expect(searches()).toHaveLength(2)
  })

  test('an account out of money is left alone', async () => {
    const [one, other] = [await project(['a']), await project(['b'])]
    source.fault = () => ({ status: 402 })
    expect((await refresh(one)).status).toBe(502)
    const before = source.calls.length
    const until = () =>
      db().oneFirst(sql.type(z.object({ until: z.number() }))`select until from upstream_rests`)
    const rested = await until()
    expect(rested - Date.now()).toBeLessThan(30_000)
    expect((await refresh(other)).status).toBe(502)
    expect(source.calls).toHaveLength(before)
    // Who asks meanwhile does not make it longer.
    expect(await until()).toBe(rested)
  })

  test('stops early when nothing is ever answered', async () => {
    const { data } = await mario.api<{ id: number }>('POST', '/projects', {
      name: 'x',
      domain: 'shop.example',
      location_code: 1,
    })
    const keywords = Array.from({ length: 200 }, (_, n) => `nowhere ${n}`)
    await mario.api('POST', `/projects/${data.id}/keywords`, { keywords })
    const answer = await refresh(data.id)
    expect([answer.status, answer.errors[0]?.title]).toEqual([502, expect.stringContaining('location_code')])
    expect(searches().length).toBeLessThan(50)
    expect((await refresh(data.id)).status).toBe(502)
  })

  test('goes on where the last one broke off', async () => {
    const id = await project(Array.from({ length: 60 }, (_, n) => `part ${n}`))
    source.latency = 20
    source.fault = (path) => (path.startsWith('serp') && searches().length > 30 ? { code: 40210 } : undefined)
    expect((await refresh(id)).status).toBe(502)
    const isChecked = async () => (await keywordsOf(id)).filter(({ last_datetime }) => last_datetime !== null)
    const first = new Set((await isChecked()).map(({ keyword }) => keyword))
    await coolDown(id)
    await db().query(sql.typeAlias('void')`truncate upstream_rests`)
    source.calls.length = 0
    expect((await refresh(id)).status).toBe(502)
    expect((await isChecked()).length).toBeGreaterThan(first.size + 20)
  })

  test.each([
    ['no task', null],
    ['a null task', [null]],
    ['null in every field', [{ status_code: 20000, id: null, cost: null, data: null, result: null }]],
    ['a null result', [{ status_code: 20000, result: [null] }]],
    ['null items', [{ status_code: 20000, result: [{ items: [null, { type: null }] }] }]],
  ])('of an answer with %s stores nothing', async (_what, tasks) => {
    const id = await project(['a'])
    source.fault = (path) =>
      path.startsWith('serp') ? { body: JSON.stringify({ status_code: 20000, tasks }) } : undefined
    expect((await refresh(id)).status).toBe(502)
    expect(await keywordsOf(id)).toMatchObject([{ last_position: null, last_datetime: null }])
  })

  test('counts the place of a result that has none', async () => {
    const id = await project(['a'])
    const items = ['x.example', 'shop.example'].map((domain) => ({
      type: 'organic',
      domain,
      rank_group: null,
    }))
    const tasks = [{ status_code: 20000, result: [{ items: [{ type: 'paid' }, ...items] }] }]
    source.fault = (path) =>
      path.startsWith('serp') ? { body: JSON.stringify({ status_code: 20000, tasks }) } : undefined
    expect((await refresh(id)).data).toEqual({ refreshed: 1 })
    expect(await keywordsOf(id)).toMatchObject([{ last_position: 2, last_url: null }])
  })

  test('books what every call cost', async () => {
    await db().query(sql.typeAlias('void')`truncate upstream_costs`)
    await refresh(await project(['a', 'b', 'c']))
    const costs = await db().any(sql.type(
      z.object({ call: z.string(), calls: z.int(), cost_usd: z.number() }),
    )`
      select call, calls, cost_usd::float8 from upstream_costs where user_id = ${userId} order by call`)
    expect(costs).toEqual([
      { call: 'keywords_data/google_ads/search_volume/live', calls: 1, cost_usd: 0.002 },
      { call: 'serp/google/organic/live/advanced', calls: 3, cost_usd: 0.006 },
    ])
  })

  test('of a project without keywords refreshes none', async () => {
    expect((await refresh(await project([]))).data).toEqual({ refreshed: 0 })
  })

  test('of an absent project is 404', async () => {
    expect((await refresh(999_999)).status).toBe(404)
  })
})

describe('refreshes by the clock', () => {
  const due = (id: number) =>
    db().query(sql.typeAlias('void')`update projects set due_at = now() where id = ${id}`)
  const open = async () =>
    await db().oneFirst(sql.type(z.object({ open: z.int() }))`select count(*) as open from rank_tasks`)
  const posted = () => source.calls.filter(({ path }) => path.endsWith('/task_post'))
  const run = async (job: 'rankings.schedule' | 'rankings.post' | 'rankings.collect') => {
    await enqueue(job, {})
    await idle()
  }
  const idle = () =>
    waitFor(
      async () =>
        (await queueDepth()).every(
          ({ task, ready, running }) => !task.startsWith('rankings') || ready + running === 0,
        ),
      {
        what: 'an idle queue',
      },
    )

  test('ask the cheap queue, each keyword once, and store what comes back', async () => {
    source.ranks.set('cheap 7', { domain: 'shop.example', position: 7 })
    const id = await project(Array.from({ length: 130 }, (_, n) => `cheap ${n}`))
    await due(id)
    await run('rankings.schedule')
    expect(posted()).toHaveLength(130)
    await run('rankings.schedule')
    await run('rankings.collect')
    expect([posted().length, await open()]).toEqual([130, 130])
    source.queue.finish()
    await run('rankings.collect')
    expect(await open()).toBe(0)
    const keywords = await keywordsOf(id)
    expect(keywords.filter(({ last_datetime }) => last_datetime !== null)).toHaveLength(130)
    expect(keywords[7]).toMatchObject({ last_position: 7, last_url: 'https://shop.example/page-7' })
    expect(posted()).toHaveLength(130)
  })

  test('post nothing twice when the answer to a call is lost, and find it by its tag', async () => {
    const id = await project(['lost 1', 'lost 2'])
    source.fault = (path) => (path.endsWith('/task_post') ? { reset: true } : undefined)
    await due(id)
    await enqueue('rankings.schedule', {})
    await waitFor(() => posted().length === 2, { what: 'two questions' })
    source.fault = () => undefined
    await run('rankings.post')
    source.queue.finish()
    await run('rankings.collect')
    expect([posted().length, await open()]).toEqual([2, 0])
    expect((await keywordsOf(id)).every(({ last_datetime }) => last_datetime !== null)).toBe(true)
  })

  test('post again what was refused as a whole', async () => {
    const id = await project(['refused'])
    source.fault = (path) => (path.endsWith('/task_post') ? { status: 402 } : undefined)
    await due(id)
    await enqueue('rankings.schedule', {})
    await waitFor(() => posted().length === 1, { what: 'a question' })
    await waitFor(async () => (await queueDepth()).every(({ running }) => running === 0), {
      what: 'its refusal',
    })
    source.fault = () => undefined
    await db().query(sql.typeAlias('void')`truncate upstream_rests`)
    await run('rankings.post')
    expect([posted().length, await open()]).toEqual([2, 1])
    source.queue.finish()
    await run('rankings.collect')
    expect(await open()).toBe(0)
    expect((await keywordsOf(id))[0]?.last_datetime).not.toBeNull()
  })

  test('ask again for what was refused for now, and never for what is wrong', async () => {
    const id = await project(['for now', 'wrong'])
    source.fault = (path) => (path.endsWith('/task_post') ? { code: 40202 } : undefined)
    await due(id)
    await enqueue('rankings.schedule', {})
    await waitFor(() => posted().length === 2, { what: 'two questions' })
    await waitFor(async () => (await queueDepth()).every(({ running }) => running === 0), {
      what: 'refusals',
    })
    expect(await open()).toBe(2)
    source.fault = (path) => (path.endsWith('/task_post') ? { code: 40501 } : undefined)
    await run('rankings.post')
    expect([posted().length, await open()]).toEqual([4, 0])
  })

  test('one answer that cannot be had does not hold up the others', async () => {
    const id = await project(['poison', 'b', 'c'])
    await due(id)
    await run('rankings.schedule')
    source.queue.finish()
    const poison = await db().oneFirst(sql.type(z.object({ upstream_id: z.string() }))`
      select upstream_id from rank_tasks order by id limit 1`)
    source.fault = (path) => (path.endsWith(poison) ? { code: 50000 } : undefined)
    await run('rankings.collect')
    const dates = (await keywordsOf(id)).map(({ last_datetime }) => last_datetime !== null)
    expect(dates).toEqual([false, true, true])
    source.fault = () => undefined
    await db().query(sql.typeAlias('void')`delete from rank_tasks`)
  })

  test('what was asked about another domain is not waited for', async () => {
    const id = await project(['moved'])
    await due(id)
    await run('rankings.schedule')
    await mario.api('PATCH', `/projects/${id}`, { name: 'still there' })
    expect(await open()).toBe(1)
    await mario.api('PATCH', `/projects/${id}`, { domain: 'elsewhere.example' })
    expect(await open()).toBe(0)
  })

  test('ask for the volumes of all projects of a market at once', async () => {
    const ids = [await project(['volume a', 'same']), await project(['volume b', 'same'])]
    for (const id of ids) await due(id)
    await run('rankings.schedule')
    const volumes = source.calls.filter(({ path }) => path.includes('search_volume'))
    expect(volumes.map(({ task }) => task['keywords'])).toEqual([['volume a', 'same', 'volume b']])
    expect((await keywordsOf(ids[1]!)).map(({ search_volume }) => search_volume)).toEqual([80, 40])
    await db().query(sql.typeAlias('void')`delete from rank_tasks`)
  })

  test('follow the plan', async () => {
    const id = await project(['planned'])
    const dueIn = async () =>
      await db().oneFirst(sql.type(z.object({ hours: z.number() }))`
        select case when isfinite(due_at) then extract(epoch from due_at - now()) / 3600 else 1e9 end::float8 as hours
          from projects where id = ${id}`)
    await run('rankings.schedule')
    expect(await dueIn()).toBeGreaterThan(0)
    expect(await dueIn()).toBeLessThanOrEqual(24)
    await setPlan('default', { refreshHours: 0 })
    await due(id)
    await run('rankings.schedule')
    expect(posted()).toEqual([])
    expect(await dueIn()).toBe(1e9)
    await setPlan('default', { refreshHours: 48 })
    await run('rankings.schedule')
    expect(await dueIn()).toBeLessThanOrEqual(48)
    await due(id)
    await run('rankings.schedule')
    expect(posted()).toHaveLength(1)
    expect(await dueIn()).toBeGreaterThanOrEqual(24)
    expect(await dueIn()).toBeLessThanOrEqual(72)
  })
})

describe('POST /keyword-research', () => {
  type Idea = { keyword: string; search_volume: number; difficulty: number; opportunity: number }
  type Research = { seed: Idea; related: Idea[]; questions: Idea[]; generated_at: string }
  const research = (body: object) => mario.api<Research>('POST', '/keyword-research', body)

  test('gives the seed, related ideas by opportunity and questions by volume', async () => {
    const { status, data } = await research({ keyword: ' Scarpe Rosse ' })
    expect(status).toBe(201)
    expect(data.seed).toEqual({
      keyword: 'scarpe rosse',
      search_volume: 1000,
      cpc: 1.05,
      competition: 0.5,
      competition_level: 'MEDIUM',
      difficulty: 50,
      intent: 'commercial',
      monthly_searches: [{ year: 2026, month: 10, search_volume: 1000 }],
      serp_features: ['organic', 'people_also_ask'],
      opportunity: 25,
    })
    expect(data).toMatchObject({ location_code: 2380, language_code: 'it' })
    expect(data.questions).toHaveLength(30)
    expect(data.related).toHaveLength(70)
    const volumes = data.questions.map((idea) => idea.search_volume)
    expect(volumes).toEqual(volumes.toSorted((a, b) => b - a))
    const opportunities = data.related.map((idea) => idea.opportunity)
    expect(opportunities).toEqual(opportunities.toSorted((a, b) => b - a))
    expect(data.questions.every(({ keyword }) => keyword.startsWith('come '))).toBe(true)
  })

  test('is kept for everybody, and then free', async () => {
    const first = await research({ keyword: 'kept' })
    source.calls.length = 0
    const again = await research({ keyword: 'KEPT', language_code: 'IT' })
    expect(again.data).toEqual(first.data)
    expect(source.calls).toEqual([])
    await research({ keyword: 'kept', language_code: 'en' })
    expect(source.calls).toHaveLength(2)
  })

  test('that many ask for at once is looked for and counted once', async () => {
    const used = () =>
      db().oneFirst(sql.type(z.object({ used: z.int() }))`select count(*) as used from quota_uses`)
    const before = await used()
    source.latency = 200
    const answers = await Promise.all(Array.from({ length: 6 }, () => research({ keyword: 'at once' })))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201))
    expect(source.calls).toHaveLength(2)
    expect(await used()).toBe(before + 1)
  })

  test('asks for the country of a city, also before any list of them was read', async () => {
    const { status, data } = await research({ keyword: 'city', location_code: 1008463 })
    expect([status, data]).toMatchObject([201, { location_code: 1008463 }])
    expect(source.calls.map(({ task }) => task['location_code'])).toEqual([undefined, 2380, 2380])
  })

  test('an unknown seed has no figures', async () => {
    const { data } = await research({ keyword: 'unheard of' })
    expect(data.seed).toMatchObject({ keyword: 'unheard of', search_volume: null, opportunity: null })
  })

  test('a failure of the source is 502 and costs no quota', async () => {
    source.fault = () => ({ code: 40501 })
    expect((await research({ keyword: 'broken' })).status).toBe(502)
    source.fault = () => undefined
    expect((await research({ keyword: 'broken' })).status).toBe(201)
  })

  test.each([[{}], [{ keyword: '  ' }], [{ keyword: 5 }]])('%j is 422', async (body) => {
    expect((await research(body)).status).toBe(422)
  })

  test('counts 60 an hour exactly; what is known stays free', async () => {
    await db().query(sql.typeAlias('void')`delete from quota_uses`)
    await db().query(sql.typeAlias('void')`
      insert into quota_uses (user_id, quota) select ${userId}, 'keyword-research' from generate_series(1, 55)`)
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => research({ keyword: `many ${n}` })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array<number>(5).fill(201),
      ...Array<number>(7).fill(429),
    ])
    expect((await research({ keyword: 'kept' })).status).toBe(201)
    expect((await research({})).status).toBe(429)
  })
})

describe('the catalogue', () => {
  const names = async (query: string) =>
    (await mario.read<{ location_name: string }[]>(`/locations${query}`)).map(
      ({ location_name }) => location_name,
    )

  test('has countries, or the places of one', async () => {
    expect(await names('')).toEqual(['Germany', 'Italy', 'Luxembourg', 'United States'])
    expect(await names('?q=it')).toEqual(['Italy', 'United States'])
    expect(await names('?country=it')).toEqual(['Lombardy,Italy', 'Milan,Lombardy,Italy', 'Rome,Lazio,Italy'])
    expect(await names('?country=IT&q=ROME')).toEqual(['Rome,Lazio,Italy'])
    expect(await names('?country=IT&limit=1')).toEqual(['Lombardy,Italy'])
    expect(await names('?country=XX')).toEqual([])
    expect(await names('?q=%25')).toEqual([])
  })

  test('has the languages of the source', async () => {
    const codes = async (query: string) =>
      (await mario.read<{ code: string }[]>(`/languages${query}`)).map(({ code }) => code)
    expect(await codes('')).toEqual(['en', 'de', 'it', 'tlh'])
    expect(await codes('?q=ING')).toEqual(['tlh'])
    expect(await codes('?q=IT')).toEqual(['it'])
  })
})
