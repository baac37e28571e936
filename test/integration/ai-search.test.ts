import { randomUUID } from 'node:crypto'

import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'

import { config, pools } from '../../config.ts'
import { Problem } from '../../problem.ts'
import { keepAnswers, keptAnswers, sweepAiAnswers } from '../../sql/ai-answers.ts'
import {
  competitorReports,
  engineTests,
  geoAudits,
  promptResearches,
  visibilityRuns,
} from '../../sql/ai-runs.ts'
import { spendLeft } from '../../sql/ai-spend.ts'
import { db, sql } from '../../sql/pool.ts'
import { addCost } from '../../sql/upstreams.ts'
import { record } from '../../tasks/ai/record.ts'
import type { runs } from '../../tasks/index.ts'
import { jobs, type JobName } from '../../tasks/jobs.ts'
import { crewsOf } from '../../worker/crews.ts'
import { openQueuePool } from '../../worker/database.ts'
import { startRunners } from '../../worker/runners.ts'
import { type Answer, type Options, useApi } from '../support/api.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'

vi.hoisted(() => {
  vi.stubEnv('OPENAI_API_KEY', 'sk-test')
  vi.stubEnv('AI_SPEND_LIMIT_PER_DAY', '1.5')
  vi.stubEnv('RATE_LIMIT_PER_MINUTE', '100000')
})

const database = useDatabase()
const api = useApi()
let mario: Person
let giulia: Person

/** What reached the workers, and what they are told to do with the next analyses. */
const asked: { job: string; payload: Record<string, unknown> }[] = []
let script: () => Promise<unknown> = async () => {}

/** Notes what is asked for and follows the script, then finds what it is given to find. */
function analysis<F>(job: JobName, payload: object, found: F) {
  return async () => {
    asked.push({ job, payload: { ...payload } })
    await script()
    return found
  }
}

const verdict = { note: 'trovato \0 \ud800', list: [1, { zeta: 1, alpha: 2 }] }
const parts = {
  checks: [
    {
      code: 'robots',
      area: 'access',
      title: 'T',
      status: 'warn' as const,
      weight: 10,
      score: 2.5,
      value: { Ünits: 1 },
    },
  ],
  recommendations: [
    {
      check: 'robots',
      area: 'access',
      priority: 'high' as const,
      gain: 7.5,
      title: 'T',
      fix: 'F',
      evidence: ['e'],
    },
  ],
  ai_crawlers: [
    {
      agent: 'GPTBot',
      operator: 'O',
      class: 'training' as const,
      robots: 'allowed' as const,
      observed: null,
    },
  ],
}
const matrix = {
  mode: 'matrix',
  brands: [
    { brand: 'Rossi', score: 60, cited: 3, first: 1 },
    { brand: 'Bianchi', score: 40, cited: 2, first: 2 },
  ],
  matrix: [
    { subject: 'Rossi', vs: { Bianchi: 0.6 } },
    { subject: 'Bianchi', vs: { Rossi: 0.4 } },
  ],
}

const scripted: Partial<typeof runs> = {
  'ai.geo': (payload) => {
    const { host, href: url } = new URL('/', 'https://example.com')
    const found = { host, url, geo_score: 64, has_llms_txt: true, pages_count: 5 }
    return record(geoAudits, payload, analysis('ai.geo', payload, { ...found, ...parts }))
  },
  'ai.visibility': (payload) => {
    const { brand, domain: host } = payload
    const found = { engine: 'openai', score: 58, prompts_total: 3, cited_count: 2, first_count: 1 }
    const run = { brand, host, ...found, avg_position: 1.5, result: verdict }
    return record(visibilityRuns, payload, analysis('ai.visibility', payload, run))
  },
  'ai.engine': (payload) => {
    const { keyword, url } = payload
    const found = { keyword, url, score: 45, result: verdict }
    return record(engineTests, payload, analysis('ai.engine', payload, found))
  },
  'ai.competitor': (payload) => {
    const { brand, competitors } = payload
    const found = { brand, competitors, result: payload.matrix ? matrix : verdict }
    return record(competitorReports, payload, analysis('ai.competitor', payload, found))
  },
  'ai.prompts': (payload) => {
    const found = { prompt: payload.prompt, language: payload.language ?? 'it', result: verdict }
    return record(promptResearches, payload, analysis('ai.prompts', payload, found))
  },
}

const resources = ['/geo', '/ai-visibility', '/ai-engine', '/ai-competitor', '/prompt-research'] as const
const bodies = {
  '/geo': { url: 'https://example.com/' },
  '/ai-visibility': { brand: 'Rossi', domain: 'https://www.example.com/x' },
  '/ai-engine': { keyword: 'scarpe', url: 'https://example.com' },
  '/ai-competitor': { brand: 'Rossi', competitors: 'Bianchi, Verdi' },
  '/prompt-research': { prompt: 'scarpe' },
}
const paid = resources.filter((path) => path !== '/geo')
const datetime = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
const clean = { ...verdict, note: 'trovato  \ufffd' }

beforeAll(async () => {
  mario = await makePerson('mario')
  giulia = await makePerson('giulia')
  const crews = crewsOf(jobs, scripted, { workerId: randomUUID(), pools, concurrency: 8 })
  const queuePool = openQueuePool(database.url, crews.size, 8)
  const crew = await startRunners(queuePool, crews, () => {})
  return async () => {
    await crew.stop()
    await queuePool.end()
  }
})
afterAll(() => vi.unstubAllEnvs())

beforeEach(async () => {
  asked.length = 0
  script = async () => {}
  await db().query(sql.typeAlias('void')`truncate quota_uses, upstream_costs`)
})

type Row = { id: number; result: unknown; competitors: unknown }
const post = (path: string, json: object, as = mario) => api.post<Row>(path, { as, json })
const statuses = async (count: number, path: (turn: number) => keyof typeof bodies, as = mario) =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => (await post(path(n), bodies[path(n)], as)).status),
  ).then(inOrder)
const inOrder = (numbers: number[]) => numbers.toSorted((a, b) => a - b)
const rowsOf = async (path: string, as: Person) =>
  (await api.get(`${path}?per_page=1`, { as })).body.meta.total_results
const fill = (quota: string, runs: number, age = '1 minute', as = mario) =>
  db().query(sql.typeAlias('void')`
    insert into quota_uses (user_id, quota, used_at)
    select ${as.id}, ${quota}, now() - ${age}::interval from generate_series(1, ${runs})`)
const titles = ({ body }: Answer) => body.errors.map(({ title }) => title).join('\n')

describe('records', () => {
  const expected = {
    '/geo': [
      { host: 'example.com', url: 'https://example.com/', geo_score: 64, has_llms_txt: true, pages_count: 5 },
      parts,
    ],
    '/ai-visibility': [
      {
        brand: 'Rossi',
        host: 'example.com',
        engine: 'openai',
        score: 58,
        prompts_total: 3,
        cited_count: 2,
        first_count: 1,
        avg_position: 1.5,
      },
      { result: clean },
    ],
    '/ai-engine': [{ keyword: 'scarpe', url: 'https://example.com', score: 45 }, { result: clean }],
    '/ai-competitor': [
      { brand: 'Rossi', competitors: 'Bianchi,Verdi' },
      { competitors: ['Bianchi', 'Verdi'], result: clean },
    ],
    '/prompt-research': [{ prompt: 'scarpe', language: 'it' }, { result: clean }],
  } as const

  const csv = {
    '/geo': '1,example.com,https://example.com/,64,1,5,',
    '/ai-visibility': '1,Rossi,example.com,openai,58,3,2,1,1.5,',
    '/ai-engine': '1,scarpe,https://example.com,45,',
    '/ai-competitor': '1,Rossi,"Bianchi,Verdi",',
    '/prompt-research': '1,scarpe,it,',
  }

  test.each(resources)('%s: made, read and listed by their owner alone', async (path) => {
    const [listed, payload] = expected[path]
    const made = await post(path, bodies[path])
    expect(made.status).toBe(201)
    // Each module counts its records by itself, and this is the first.
    expect(made.body.data).toEqual({ id: 1, ...listed, ...payload, datetime })
    expect(made.headers.get('location')).toBe(`/api/seo${path}/1`)
    expect(asked[0]?.payload).toMatchObject({ user: mario.id, locale: 'it' })

    expect((await api.get(`${path}/1`, { as: mario })).body.data).toEqual(made.body.data)
    expect((await api.get(`${path}/1`, { as: mario, base: '/api/v1/seo' })).status).toBe(200)
    for (const id of [2, 0, 'x']) expect((await api.get(`${path}/${id}`, { as: mario })).status).toBe(404)
    expect((await api.get(`${path}/1`, { as: giulia })).status).toBe(404)

    const other = await post(path, bodies[path], giulia)
    const newer = await post(path, bodies[path])
    const list = await api.get<Row[]>(`${path}?per_page=1`, { as: mario })
    expect(list.body.data).toEqual([{ id: newer.body.data.id, ...listed, datetime }])
    expect(list.body.meta).toEqual({ page: 1, per_page: 1, total_results: 2, total_pages: 2 })
    const all = await api.get<Row[]>(path, { as: mario })
    expect(all.body.data.map(({ id }) => id)).toEqual([newer.body.data.id, 1])
    expect((await api.get<Row[]>(path, { as: giulia })).body.data[0]?.id).toBe(other.body.data.id)

    const { text } = await api.get(`${path}?format=csv`, { as: mario })
    const [header, ...lines] = text.trim().split('\r\n')
    expect(header).toBe(['id', ...Object.keys(listed), 'datetime'].join(','))
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain(csv[path])
  })

  test.each(resources)('%s: other methods', async (path) => {
    for (const method of ['PATCH', 'DELETE', 'PUT']) {
      const [whole, one] = [
        await api.call(method, path, { as: mario }),
        await api.call(method, `${path}/1`, { as: mario }),
      ]
      expect([whole.status, one.status]).toEqual([405, 405])
      expect([whole.headers.get('allow'), one.headers.get('allow')]).toEqual(['GET, POST', 'GET'])
    }
  })

  test('a run that is repeated after its worker died is one record, and is not made again', async () => {
    const owner = { run: randomUUID(), user: mario.id }
    const found = { keyword: 'x', url: 'https://example.com/', score: 1, result: {} }
    const analyse = vi.fn<() => Promise<typeof found>>().mockResolvedValue(found)
    const first = await record(engineTests, owner, analyse)
    expect(await record(engineTests, owner, analyse)).toEqual(first)
    expect(analyse).toHaveBeenCalledTimes(1)
    // Both had begun before either ended.
    expect(await engineTests.keep({ run: owner.run, userId: mario.id }, { ...found, score: 2 })).toEqual(
      first,
    )
    expect(await engineTests.find(mario.id, first.id)).toMatchObject({ score: 1 })
  })

  test('a caller who goes away finds the record later', async () => {
    const arrived = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const before = await rowsOf('/prompt-research', mario)
    script = async () => {
      arrived.resolve()
      await gone.promise
    }
    const leaving = new AbortController()
    const request = fetch(`${api.url}/api/seo/prompt-research`, {
      method: 'POST',
      headers: mario.headers,
      body: '{"prompt": "x"}',
      signal: leaving.signal,
    })
    await arrived.promise
    leaving.abort()
    await expect(request).rejects.toThrow('aborted')
    gone.resolve()
    await vi.waitFor(async () => expect(await rowsOf('/prompt-research', mario)).toBe(before + 1), 5000)
  })
})

describe('input', () => {
  type Case = [path: string, options: Options, payload: object]
  test.each<Case>([
    ['/geo', { json: { domain: 'example.com' } }, { url: 'example.com' }],
    ['/geo', { json: { url: ' ', domain: 'example.com' } }, { url: 'example.com' }],
    ['/geo', { form: 'url=http%3A%2F%2Fexample.com%2Fa&domain=b.it' }, { url: 'http://example.com/a' }],
    [
      '/ai-visibility',
      { json: { brand: ' Rossi ' } },
      { brand: 'Rossi', domain: null, prompts: [], topic: null },
    ],
    [
      '/ai-visibility',
      { json: { brand: 'R', prompts: 'no', domain: '', topic: 'T' } },
      { prompts: [], domain: null, topic: 'T' },
    ],
    ['/ai-visibility', { json: { brand: 'R', prompts: {}, domain: null } }, { prompts: [] }],
    ['/ai-visibility', { json: { brand: 'R', prompts: [' a ', '', 'b', 'a'] } }, { prompts: ['a', 'b'] }],
    ['/ai-visibility', { form: 'brand=R&prompts[]=a&prompts[]=b' }, { prompts: ['a', 'b'] }],
    ['/ai-engine', { json: { keyword: 'k', url: 'example.com/a' } }, { url: 'https://example.com/a' }],
    ['/prompt-research', { json: { prompt: ' x ' } }, { prompt: 'x', language: null }],
    ['/prompt-research', { json: { prompt: 'x', language: ' EN ' } }, { language: 'EN' }],
    [
      '/ai-competitor',
      { json: { host: 'a.it', competitors: ['B', 'c.it'] } },
      { brand: 'a.it', competitors: ['B', 'c.it'], language: 'it', matrix: false },
    ],
    [
      '/ai-competitor',
      { json: { main_host: 'a.it', competitors: 'B' } },
      { brand: 'a.it', competitors: ['B'] },
    ],
    [
      '/ai-competitor',
      { json: { brand: 'A', host: 'a.it', competitors: 'B, ,b,A' } },
      { brand: 'A', competitors: ['B'] },
    ],
    ['/ai-competitor', { json: { brand: 'A', competitors: ['Bi, Spa'] } }, { competitors: ['Bi, Spa'] }],
    ['/ai-competitor', { form: 'brand=A&competitors[]=B&competitors[]=C' }, { competitors: ['B', 'C'] }],
    [
      '/ai-competitor',
      { json: { brand: 'A', competitors: 'B', language: 'EN', mode: 'x' } },
      { language: 'EN', matrix: false },
    ],
    ['/ai-competitor', { json: { brand: 'A', competitors: 'B', mode: 'matrix' } }, { matrix: true }],
    ['/ai-competitor', { json: { brand: 'A', competitors: 'B', symmetric: true } }, { matrix: true }],
    ['/ai-competitor', { form: 'brand=A&competitors=B&symmetric=on' }, { matrix: true }],
    ['/ai-competitor', { form: 'brand=A&competitors=B&symmetric=0' }, { matrix: false }],
    ['/ai-competitor?symmetric=1', { json: { brand: 'A', competitors: 'B' } }, { matrix: true }],
    ['/ai-competitor?symmetric=0', { json: { brand: 'A', competitors: 'B' } }, { matrix: false }],
  ])('%s %j', async (path, options, payload) => {
    expect((await api.post(path, { as: mario, ...options })).status).toBe(201)
    expect(asked[0]?.payload).toMatchObject(payload)
  })

  const names = (count: number) => Array.from({ length: count }, (_, n) => `B${n}`)
  test.each<[path: string, json: object, field: string]>([
    ['/geo', {}, 'url'],
    ['/geo', { url: '', domain: ' ' }, 'url'],
    ['/geo', { url: 'ftp://example.com' }, 'url'],
    ['/geo', { url: 5 }, 'url'],
    ['/ai-visibility', {}, 'brand'],
    ['/ai-visibility', { brand: ' ' }, 'brand'],
    ['/ai-visibility', { brand: 'R', domain: 'not a domain' }, 'domain'],
    ['/ai-visibility', { brand: 'R', prompts: [5] }, 'prompts'],
    ['/ai-visibility', { brand: 'R', prompts: names(21) }, 'prompts'],
    ['/ai-engine', { url: 'https://example.com' }, 'keyword'],
    ['/ai-engine', { keyword: 'k' }, 'url'],
    ['/ai-engine', { keyword: 'k', url: 'mailto:a@b.it' }, 'url'],
    ['/ai-competitor', { competitors: 'B' }, 'brand'],
    ['/ai-competitor', { brand: 'A' }, 'competitors'],
    ['/ai-competitor', { brand: 'A', competitors: ' , ' }, 'competitors'],
    ['/ai-competitor', { brand: 'A', competitors: [] }, 'competitors'],
    ['/ai-competitor', { brand: 'A', competitors: ['a'] }, 'competitors'],
    ['/ai-competitor', { brand: 'A', competitors: [5] }, 'competitors'],
    ['/ai-competitor', { brand: 'A', competitors: names(21) }, 'competitors'],
    ['/ai-competitor', { brand: 'A', competitors: names(8), mode: 'matrix' }, 'competitors'],
    ['/ai-competitor', { brand: 'A', competitors: 'B', symmetric: 'maybe' }, 'symmetric'],
    ['/prompt-research', {}, 'prompt'],
    ['/prompt-research', { prompt: '' }, 'prompt'],
  ])('%s %j is 422 and uses no quota', async (path, json, field) => {
    const refused = await post(path, json)
    expect(refused.status).toBe(422)
    expect(titles(refused)).toMatch(new RegExp(`: ${field}$`, 'm'))
    expect(await db().exists(sql.unsafe`select 1 from quota_uses`)).toBe(false)
    expect(asked).toEqual([])
  })

  test('two fields that are missing are both said', async () => {
    expect(titles(await post('/ai-competitor', {}))).toMatch(/: brand\n.*: competitors$/)
    expect(titles(await post('/ai-engine', {}))).toMatch(/: keyword\n.*: url$/)
  })
})

describe('the hour’s thirty', () => {
  test('are shared by the five modules, and exact however many ask at once', async () => {
    const before = await Promise.all(resources.map((path) => rowsOf(path, mario)))
    const answers = await statuses(40, (n) => resources[n % 5] ?? '/geo')
    expect(answers).toEqual([...Array<number>(30).fill(201), ...Array<number>(10).fill(429)])
    expect(asked).toHaveLength(30)
    const after = await Promise.all(resources.map((path) => rowsOf(path, mario)))
    expect(after.reduce((sum, rows, at) => sum + rows - (before[at] ?? 0), 0)).toBe(30)

    // Before anything else that is wrong; for nobody else; and not for a matrix.
    expect((await post('/ai-engine', {})).status).toBe(429)
    expect((await post('/geo', bodies['/geo'], giulia)).status).toBe(201)
    expect((await post('/ai-competitor', { ...bodies['/ai-competitor'], mode: 'matrix' })).status).toBe(201)
  })

  test('roll', async () => {
    await fill('ai', 29, '59 minutes')
    await fill('ai', 5, '61 minutes')
    expect(await statuses(3, () => '/geo')).toEqual([201, 429, 429])
    await db().query(sql.typeAlias('void')`update quota_uses set used_at = used_at - interval '1 minute'`)
    expect((await post('/geo', bodies['/geo'])).status).toBe(201)
  })

  test.each(resources)('%s: what ends with 502 is not counted, and leaves no record', async (path) => {
    const before = await rowsOf(path, mario)
    await fill('ai', 29)
    script = async () => {
      throw new Problem('upstream_failed', { reason: 'the engine said no' })
    }
    for (let run = 0; run < 2; run++) {
      const failed = await post(path, bodies[path])
      expect(failed.status).toBe(502)
      expect(titles(failed)).toMatch(/: the engine said no$/)
    }
    expect(await rowsOf(path, mario)).toBe(before)
    script = async () => {}
    expect((await post(path, bodies[path])).status).toBe(201)
    expect((await post(path, bodies[path])).status).toBe(429)
  })
})

describe('a matrix', () => {
  const ask = (as = mario, competitors = ['Bianchi']) =>
    post('/ai-competitor?symmetric=1', { brand: 'Rossi', competitors }, as)

  test('is answered as such, and is a record like others', async () => {
    const made = await ask()
    const record = { brand: 'Rossi', competitors: ['Bianchi'], result: matrix, datetime }
    expect(made.body.data).toEqual({ id: expect.any(Number), ...record, ...matrix })
    const { body } = await api.get(`/ai-competitor/${made.body.data.id}`, { as: mario })
    expect(body.data).toEqual({ id: made.body.data.id, ...record })
    expect((await ask(mario, ['B', 'C', 'D', 'E', 'F', 'G', 'H'])).status).toBe(201)
  })

  test('may be asked for ten times in any 24 hours, and uses nothing of the hour’s thirty', async () => {
    await fill('ai-matrix', 5, '25 hours')
    const answers = await Promise.all(Array.from({ length: 13 }, async () => (await ask()).status))
    expect(inOrder(answers)).toEqual([...Array<number>(10).fill(201), 429, 429, 429])
    expect((await statuses(31, () => '/geo')).filter((status) => status === 201)).toHaveLength(30)
    for (const locale of ['it', 'en']) {
      await db().query(sql.typeAlias('void')`update users set locale = ${locale} where id = ${mario.id}`)
      const refused = await ask(mario, [])
      expect(refused.status).toBe(429)
      expect(titles(refused)).toContain('limite')
    }
    await db().query(sql.typeAlias('void')`update users set locale = 'it' where id = ${mario.id}`)
    expect((await ask(giulia)).status).toBe(201)
  })

  test('that ends with 502 is not counted', async () => {
    await fill('ai-matrix', 9)
    script = async () => {
      throw new Problem('upstream_failed', {})
    }
    expect((await ask()).status).toBe(502)
    script = async () => {}
    expect([(await ask()).status, (await ask()).status]).toEqual([201, 429])
  })
})

describe('what it costs', () => {
  const spend = (upstream: string, usd: number, as = mario, call = 'ask') =>
    addCost({ userId: as.id, upstream, call, usd })

  test('the day’s limit stops what costs, before it is looked at', async () => {
    await spend('openai', 0.75)
    await spend('dataforseo', 0.25, mario, 'ai_optimization/claude/llm_responses/live')
    await spend('dataforseo', 9, mario, 'serp/google/organic/live/advanced')
    await spend('perplexity', 5, giulia)
    expect(await spendLeft(mario.id)).toBeCloseTo(0.5)
    for (const path of paid) expect((await post(path, bodies[path])).status).toBe(201)
    await spend('gemini', 0.5)
    expect(await spendLeft(mario.id)).toBe(0)
    for (const path of paid) {
      const refused = await post(path, {})
      expect(refused.status).toBe(429)
      expect(titles(refused)).toContain('limite')
    }
    const refused = await post('/ai-competitor', { mode: 'matrix' })
    expect([refused.status, titles(refused).includes('limite')]).toEqual([429, true])
    expect((await post('/geo', bodies['/geo'])).status).toBe(201)
    await db().query(sql.typeAlias('void')`update upstream_costs set day = day - 1`)
    expect((await post('/prompt-research', { prompt: 'x' })).status).toBe(201)
  })

  test('without an engine 502 at once, once nothing else is wrong', async () => {
    const key = config.OPENAI_API_KEY
    config.OPENAI_API_KEY = undefined
    try {
      for (const path of paid) {
        const refused = await post(path, bodies[path])
        expect(refused.status).toBe(502)
        expect(titles(refused)).toContain('OPENAI_API_KEY')
        expect((await post(path, {})).status).toBe(422)
      }
      expect(asked).toEqual([])
      expect(await db().exists(sql.unsafe`select 1 from quota_uses`)).toBe(false)
      expect((await post('/geo', bodies['/geo'])).status).toBe(201)
    } finally {
      config.OPENAI_API_KEY = key
    }
  })
})

describe('answers that were paid for', () => {
  const answer = (prompt: string) => ({
    prompt,
    engine: 'openai' as const,
    model: 'm-1',
    text: 'Meglio Rossi.\0',
    citations: [{ url: 'https://example.com/', host: 'example.com', title: null, passage: 'Meglio' }],
    retrieved: [{ url: 'https://example.com/', host: 'example.com', title: 'Rossi' }],
    queries: ['migliori scarpe', "con l'apice"],
    ended: 'whole' as const,
    usage: { inputTokens: 10, outputTokens: 20, searches: 1, usd: 0.0125 },
  })

  test('are found again by their run, in order, as they were', async () => {
    const owner = { run: randomUUID(), userId: mario.id }
    await keepAnswers(owner, [answer('a'), answer('b')])
    await keepAnswers(owner, [])
    await keepAnswers(owner, [answer('c')])
    await keepAnswers({ ...owner, run: randomUUID() }, [answer('d')])
    const kept = ['a', 'b', 'c'].map((prompt) => ({ ...answer(prompt), text: 'Meglio Rossi.' }))
    expect(await keptAnswers(owner.run)).toEqual(kept)
  })

  test('are swept after ninety days', async () => {
    const [old, young] = [randomUUID(), randomUUID()]
    for (const run of [old, young]) await keepAnswers({ run, userId: mario.id }, [answer('a')])
    await db().query(sql.typeAlias('void')`
      update ai_answers set created_at = now() - interval '91 days' where run = ${old}`)
    expect(await sweepAiAnswers()).toBe(1)
    expect([(await keptAnswers(old)).length, (await keptAnswers(young)).length]).toEqual([0, 1])
  })
})
