import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import { type FakeAnswerEngines, type Scripted, startAnswerEngines } from '../fakes/answer-engines.ts'
import { type Client, clientOf } from '../support/client.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'
import { useServer } from '../support/http.ts'
import { type Member, type Service, startService, waitFor } from '../support/service.ts'

const database = useDatabase()
const Count = z.object({ n: z.int() })
const Usd = z.object({ usd: z.number() })
const engineNames = ['openai', 'anthropic', 'gemini', 'perplexity']

/** One page, and neither llms.txt nor sitemap. */
const site = useServer(({ url }, response) => {
  if (url === '/robots.txt') return void response.end('User-agent: GPTBot\nDisallow: /')
  if (url !== '/') return void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Niente</h1>')
  response.setHeader('content-type', 'text/html')
  response.end(
    `<!doctype html><html lang="it"><title>Calzature Rossi</title><meta name="description" content="Scarpe su misura.">
    <h1>Scarpe su misura</h1><h2>Quanto costano?</h2><p>${'Le scarpe su misura costano 350 euro il paio. '.repeat(20)}</p>`,
  )
})

let engines: FakeAnswerEngines
let service: Service
let worker: Member
let person: Person
let mario: Client

beforeAll(async () => {
  engines = await startAnswerEngines()
  service = await startService({
    url: database.url,
    env: {
      ...engines.environment,
      AI_TIMEOUT_SECONDS: '8',
      AI_SPEND_LIMIT_PER_DAY: '1000',
      LOG_LEVEL: 'debug',
    },
  })
  worker = service.members.find(({ kind }) => kind === 'worker')!
  person = await makePerson('mario')
  mario = clientOf(service.origin, person.key)
})
afterAll(async () => {
  await service?.stop()
  await engines?.close()
})

/** All engines name Rossi first and Bianchi second, and cite Rossi's page. */
const praise: Scripted = {
  parts: [
    {
      text: '1. **Calzature Rossi** è la scelta migliore.\n',
      cites: [{ url: 'https://www.rossi.example/scarpe', title: 'Rossi' }],
    },
    {
      text: '2. **Bianchi** costa meno.\n',
      cites: [{ url: 'https://bianchi.example/', title: 'Bianchi' }],
    },
  ],
}
beforeEach(() => {
  engines.calls.length = 0
  engines.latency = 0
  engines.fault = () => undefined
  engines.script = () => praise
  // Whatever is looked for in a text, nothing is found.
  engines.extraction = (_data, _engine, { schema }) =>
    Object.fromEntries(Object.keys((schema as { properties: object }).properties).map((name) => [name, []]))
})

type Found = { id: number; result: Record<string, unknown> } & Record<string, unknown>
const run = (path: string, body: object) => mario.api<Found>('POST', path, body)
const asks = () => engines.calls.filter(({ kind }) => kind === 'ask')
const prompts = ['Migliori scarpe su misura?', 'Chi fa scarpe a mano?', 'Dove compro scarpe?']
const visibility = { brand: 'Calzature Rossi', domain: 'rossi.example', prompts }
/** Nobody waits until its silence shows. */
const declareDead = () => db().query(sql.typeAlias('void')`update workers set beat_at = '-infinity'`)

test('a page is audited without any engine', async () => {
  const { status, data } = await run('/geo', { domain: site.url.replace('http://', '') })
  expect(status).toBe(201)
  expect(data).toMatchObject({ host: `127.0.0.1:${site.port}`, url: `${site.url}/`, has_llms_txt: false })
  expect(data['geo_score']).toBeGreaterThan(0)
  expect(data['ai_crawlers']).toContainEqual(expect.objectContaining({ agent: 'GPTBot', robots: 'blocked' }))
  expect(engines.calls).toEqual([])
  expect(await mario.read(`/geo/${data.id}`)).toEqual(data)

  const failed = await run('/geo', { url: `${site.url}/absent` })
  expect([failed.status, failed.errors[0]?.title]).toEqual([502, expect.stringContaining('404')])
  expect((await mario.api('GET', '/geo')).meta.total_results).toBe(1)
})

test('visibility: every engine is asked every prompt, and what it answers and costs is kept', async () => {
  const { status, data } = await run('/ai-visibility', visibility)
  expect(status).toBe(201)
  expect(data).toMatchObject({
    brand: 'Calzature Rossi',
    host: 'rossi.example',
    score: 100,
    prompts_total: 3,
    cited_count: 3,
    first_count: 3,
    avg_position: 1,
  })
  for (const name of engineNames) expect(data['engine']).toContain(name)
  expect(asks()).toHaveLength(12)
  const answers = await db().any(sql.type(Count)`
    select count(*) as n from ai_answers where user_id = ${person.id} and prompt = any(${sql.array(prompts, 'text')})
     group by engine`)
  expect(answers.map(({ n }) => n)).toEqual([3, 3, 3, 3])
  const { usd } = await db().one(sql.type(Usd)`
    select sum(cost_usd)::float8 as usd from upstream_costs where user_id = ${person.id}`)
  const kept = await db().one(sql.type(Usd)`select sum(cost_usd)::float8 as usd from ai_answers`)
  expect(usd).toBeGreaterThan(0)
  expect(kept.usd).toBeCloseTo(usd)
})

test('a page that is cited, competitors, a matrix, prompts', async () => {
  const tested = await run('/ai-engine', {
    keyword: 'scarpe su misura',
    url: 'https://www.rossi.example/scarpe',
  })
  // 70 for the page and 30 for its first place; Gemini cites by a redirect that tells the host alone, 42 instead of 70.
  expect(tested).toMatchObject({ status: 201, data: { keyword: 'scarpe su misura', score: 93 } })

  const compared = await run('/ai-competitor', { brand: 'Bianchi', competitors: 'Calzature Rossi' })
  expect(compared).toMatchObject({ status: 201, data: { competitors: ['Calzature Rossi'] } })

  const brands = ['Calzature Rossi', 'Bianchi', 'Verdi']
  const matrix = await run('/ai-competitor?symmetric=1', { brand: brands[0], competitors: brands.slice(1) })
  expect(matrix.status).toBe(201)
  expect(matrix.data).toMatchObject({
    mode: 'matrix',
    brands: brands.map((brand) => ({ brand })),
    matrix: [
      { subject: 'Calzature Rossi', vs: { Bianchi: 100, Verdi: 100 } },
      { subject: 'Bianchi', vs: { 'Calzature Rossi': 0, Verdi: 100 } },
      { subject: 'Verdi', vs: { 'Calzature Rossi': 0, Bianchi: 0 } },
    ],
  })
  expect((await mario.read<{ competitors: string }[]>('/ai-competitor'))[0]?.competitors).toBe(
    'Bianchi,Verdi',
  )

  const found = await run('/prompt-research', { prompt: 'scarpe su misura' })
  expect(found).toMatchObject({ status: 201, data: { prompt: 'scarpe su misura', language: 'it' } })
})

test('engines fail alone; when all do it is 502 with the reason, and is neither kept nor counted', async () => {
  engines.fault = (engine) => (engine === 'openai' ? 'bad key' : engine === 'gemini' ? 'no money' : undefined)
  const { status, data } = await run('/ai-visibility', visibility)
  expect([status, data['cited_count']]).toEqual([201, 3])
  expect(data['engine']).not.toMatch(/openai|gemini/)
  expect(JSON.stringify(data.result)).toMatch(/"engine":"openai"[^}]*"reason":"/)

  const counted = () => db().oneFirst(sql.type(Count)`select count(*) as n from quota_uses`)
  const before = await counted()
  await db().query(sql.typeAlias('void')`truncate upstream_rests`)
  engines.fault = () => 'not understood'
  const failed = await run('/ai-engine', { keyword: 'x', url: 'https://rossi.example/' })
  expect([failed.status, failed.errors[0]?.title]).toEqual([502, expect.stringContaining('openai')])
  expect((await mario.api('GET', '/ai-engine')).meta.total_results).toBe(1)
  expect(await counted()).toBe(before)
  await db().query(sql.typeAlias('void')`truncate upstream_rests`)
})

test('a run whose worker is killed goes on elsewhere, and no answer that came is asked for again', async () => {
  const body = { ...visibility, prompts: Array.from({ length: 8 }, (_, n) => `${n}: chi fa scarpe?`) }
  const held = new Set(body.prompts.slice(6))
  engines.fault = (_engine, prompt) => (held.has(prompt) ? 'hang' : undefined)
  const answer = run('/ai-visibility', body)
  const kept = () =>
    db().oneFirst(sql.type(Count)`
      select count(*) as n from ai_answers where prompt = any(${sql.array(body.prompts, 'text')})`)
  await waitFor(async () => (await kept()) === 24)
  await worker.kill('SIGKILL')
  await declareDead()
  engines.fault = () => undefined
  engines.calls.length = 0
  worker = await service.start('worker')
  expect((await answer).data).toMatchObject({ prompts_total: 8, cited_count: 8 })
  expect(new Set(asks().map(({ prompt }) => prompt))).toEqual(held)
  expect(asks()).toHaveLength(8)
  expect(await kept()).toBe(32)
})

test('engines that hang are left when the time is over', async () => {
  engines.fault = () => 'hang'
  const began = performance.now()
  const failed = await run('/ai-visibility', visibility)
  expect([failed.status, failed.errors[0]?.title]).toEqual([502, expect.stringContaining('openai')])
  expect(performance.now() - began).toBeLessThan(10_000)
})

test('keys are nowhere but in what is sent to their engines', async () => {
  const stored = await db().anyFirst(sql.type(z.object({ text: z.string() }))`
    select to_jsonb(t)::text as text from ai_answers t union all select to_jsonb(t)::text from visibility_runs t
    union all select to_jsonb(t)::text from answers t union all select to_jsonb(t)::text from upstream_rests t
    union all select to_jsonb(t)::text from graphile_worker._private_jobs t`)
  const told = [...stored, ...service.members.map((member) => member.output())].join('\n')
  expect(told.length).toBeGreaterThan(10_000)
  expect(told).not.toContain('key-of-')
})
