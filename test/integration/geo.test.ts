import type { IncomingMessage } from 'node:http'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'

import { auditGeo, type GeoAudit } from '../../tasks/ai/geo.ts'
import { limits } from '../../tasks/ai/geo/limits.ts'
import { closeBrowser, findBrowser } from '../../tasks/browser.ts'
import { closeHttp } from '../../tasks/http.ts'
import { log } from '../../telemetry.ts'
import { badSite, type GeoPages, goodSite } from '../fakes/geo-site.ts'
import { type FakeServer, startServer } from '../fakes/site/server.ts'

/** Every name is the machine itself; whether it may be reached is up to the test. */
const network = vi.hoisted(() => ({ isOpen: true }))
vi.mock('../../tasks/agent.ts', async (original) => {
  const real = await original<typeof import('../../tasks/agent.ts')>()
  const { guard } = await import('../../tasks/address.ts')
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  const [open, shut] = [true, false].map((privateNetworks) => guard({ privateNetworks, resolve }))
  const rules = () => (network.isOpen ? open! : shut!)
  return {
    ...real,
    rules: {
      admit: (host: string, port?: number) => rules().admit(host, port),
      addresses: (host: string) => rules().addresses(host),
    },
  }
})

const usual = { ...limits }
let site: FakeServer
let pages: GeoPages = {}
const host = (name: string) => `${name}.test:${new URL(site.origin).port}`
/** Pages of all hosts of the machine, by path; those with `hang` never answer. */
const answer = (path: string, { headers }: IncomingMessage) => {
  const page = pages[path]
  return typeof page === 'function' ? page(headers['user-agent'] ?? '') : page
}
const hang = { respond: () => {} }

beforeAll(async () => {
  site = await startServer(answer)
})
beforeEach(() => {
  site.forget()
  // Without a browser, unless a test is about it.
  limits.renderMs = 0
})
afterEach(() => {
  Object.assign(limits, usual)
  network.isOpen = true
})
afterAll(async () => {
  await closeBrowser()
  await closeHttp()
  await site.close()
})

const audit = (url: string, locale: 'it' | 'en' = 'en', signal = new AbortController().signal) =>
  auditGeo({ user: 1, run: crypto.randomUUID(), url, locale }, { log, signal, workerId: 'test' })
const check = ({ checks }: GeoAudit, code: string) => checks.find((one) => one.code === code)
const crawler = ({ ai_crawlers }: GeoAudit, agent: string) => ai_crawlers.find((one) => one.agent === agent)

describe('a page audit', () => {
  test('of a good site, by its host alone', async () => {
    pages = goodSite(`http://${host('good')}`)
    const found = await audit(host('good'))
    expect(found).toMatchObject({
      host: host('good'),
      url: `http://${host('good')}/`,
      has_llms_txt: true,
      pages_count: 5,
    })
    expect(found.checks.filter(({ status }) => status === 'fail' || status === 'unknown')).toEqual([])
    expect(found.geo_score).toBeGreaterThanOrEqual(95)
    expect(crawler(found, 'GPTBot')).toEqual({
      agent: 'GPTBot',
      operator: 'OpenAI',
      class: 'training',
      robots: 'blocked',
      observed: null,
    })
    expect(crawler(found, 'PerplexityBot')).toMatchObject({
      class: 'search',
      robots: 'allowed',
      observed: 'welcomed',
    })
    expect(found.ai_crawlers.length).toBeGreaterThanOrEqual(45)
    expect(check(found, 'ai_training_allowed')).toMatchObject({
      status: 'warn',
      evidence: ['GPTBot'],
      weight: 0,
    })
    expect(
      check(found, 'fresh')
        ?.pages?.map(({ url }) => new URL(url).pathname)
        .toSorted(),
    ).toEqual(['/chi-siamo', '/come-si-curano-le-scarpe', '/contatti', '/solo-nella-mappa-del-sito'])
    expect(JSON.parse(JSON.stringify(found))).toEqual(found)
    const ours = site.log.filter(({ headers }) => headers['user-agent']?.startsWith('SeoSuiteBot'))
    expect(ours.map(({ path }) => path)).not.toContain('/vietata-agli-altri-robot')
    expect(site.inFlightMax()).toBeLessThanOrEqual(limits.atOnce + 2)
  })

  test('of a bad site, in the language of the account', async () => {
    pages = badSite()
    const found = await audit(`http://${host('bad')}/`, 'it')
    expect(found).toMatchObject({ has_llms_txt: false, pages_count: 1 })
    expect(found.geo_score).toBeLessThan(35)
    expect(check(found, 'content_without_js')).toMatchObject({
      status: 'fail',
      score: 0,
      evidence: ['/app.js'],
    })
    expect(check(found, 'snippets_allowed')).toMatchObject({ status: 'fail', evidence: ['nosnippet'] })
    expect(check(found, 'ai_search_allowed')).toMatchObject({ status: 'warn', evidence: ['OAI-SearchBot'] })
    expect(check(found, 'readable')).toMatchObject({ status: 'unknown', score: null })
    expect(crawler(found, 'ChatGPT-User')).toMatchObject({ robots: 'blocked', observed: null })
    const gains = found.recommendations.map(({ gain }) => gain)
    expect(gains).toEqual(gains.toSorted((a, b) => b - a))
    expect(found.recommendations[0]).toMatchObject({ check: 'content_without_js', priority: 'high' })
    expect(found.recommendations[0]?.fix).toContain('rendering lato server')
    expect(Math.abs(100 - found.geo_score - gains.reduce((sum, gain) => sum + gain, 0))).toBeLessThan(2)
  })

  test('ends where redirects do', async () => {
    pages = {
      ...goodSite(`http://${host('new')}`),
      '/old': { status: 301, headers: { location: `http://${host('new')}/` } },
    }
    expect(await audit(`http://${host('old')}/old`)).toMatchObject({
      host: host('new'),
      url: `http://${host('new')}/`,
    })
  })

  test('finds agents that the server turns away', async () => {
    const page = { body: `<p>${'word '.repeat(500)}` }
    pages = { '/': (agent) => (/OAI-SearchBot|ChatGPT/.test(agent) ? { status: 403 } : page) }
    const found = await audit(`http://${host('wall')}/`)
    expect(check(found, 'ai_visits_welcome')).toMatchObject({
      status: 'warn',
      evidence: ['OAI-SearchBot', 'ChatGPT-User'],
      value: { tried: 5, welcomed: 3 },
    })
    expect(crawler(found, 'OAI-SearchBot')).toMatchObject({ robots: 'allowed', observed: 'turned_away' })
    expect(found.recommendations.find((one) => one.check === 'ai_visits_welcome')?.gain).toBeGreaterThan(0)
  })

  test.each([
    ['answers 503', { status: 503 }, 503],
    ['never comes', hang, 0],
  ])('takes agents to be shut out when robots.txt %s', async (_what, robots, status) => {
    limits.requestMs = 300
    pages = { ...goodSite(site.origin), '/robots.txt': robots }
    const found = await audit(`http://${host('away')}/`)
    expect(found.ai_crawlers.every(({ robots }) => robots === 'blocked')).toBe(true)
    expect(check(found, 'ai_search_allowed')).toMatchObject({
      status: 'fail',
      value: { allowed: 0, robots_txt_status: status },
    })
    expect(found).toMatchObject({ pages_count: 1, has_llms_txt: true })
  })

  test('counts what does not answer neither for nor against', async () => {
    Object.assign(limits, { requestMs: 300, gatherMs: 1500 })
    const slow = { '/llms.txt': hang, '/sitemap.xml': hang, '/chi-siamo': hang, '/contatti': { status: 500 } }
    pages = { ...goodSite(`http://${host('slow')}`), ...slow }
    const found = await audit(`http://${host('slow')}/`)
    expect(found).toMatchObject({ pages_count: 2, has_llms_txt: false })
    for (const code of ['llms_txt', 'sitemap_present'])
      expect(check(found, code)).toMatchObject({ status: 'unknown' })
    expect(found.geo_score).toBeGreaterThan(90)
  })

  test('reads no more of a huge page than it must', async () => {
    Object.assign(limits, { pageBytes: 200_000, answerBytes: 50_000 })
    pages = { '/': { body: `<title>Huge</title><p>${'word '.repeat(1_000_000)}` } }
    const found = await audit(`http://${host('huge')}/`)
    expect(check(found, 'page_light')).toMatchObject({ status: 'fail', value: 200_000 })
  })

  test('takes a page that answers every address for no llms.txt', async () => {
    pages = new Proxy({}, { get: () => ({ body: '<!doctype html><title>Home</title><h1>Home</h1>' }) })
    const found = await audit(`http://${host('any')}/`)
    expect(found.has_llms_txt).toBe(false)
    expect(check(found, 'llms_txt')).toMatchObject({ status: 'fail', value: 200 })
  })
})

describe('nothing is audited', () => {
  const refused = (reason: RegExp) => ({
    key: 'upstream_failed',
    params: { reason: expect.stringMatching(reason) as string },
  })

  test.each<[string, GeoPages[string] | undefined, RegExp]>([
    ['answers 500', { status: 500, body: '<p>Error' }, /^http.*: the page answers 500$/],
    ['is not there', undefined, /answers 404/],
    [
      'is no HTML',
      { headers: { 'content-type': 'application/pdf' }, body: '%PDF' },
      /application\/pdf is no HTML page/,
    ],
    ['leads nowhere', { status: 302, headers: { location: '/page' } }, /answers 302/],
    [
      'is a challenge',
      { headers: { 'cf-mitigated': 'challenge' }, body: '<title>Just a moment...</title>' },
      /firewall/,
    ],
    [
      'leads to another protocol',
      { status: 302, headers: { location: 'ftp://x.test/' } },
      /ftp: addresses are not fetched/,
    ],
  ])('where the page %s', async (_what, page, reason) => {
    pages = page ? { '/page': page } : {}
    await expect(audit(`http://${host('none')}/page`)).rejects.toMatchObject(refused(reason))
  })

  test('where the page never comes', async () => {
    limits.reachMs = 600
    pages = { '/': hang }
    await expect(audit(`http://${host('hang')}/`)).rejects.toMatchObject(refused(/not done within 0.6 s/))
    await expect(audit(host('hang'))).rejects.toMatchObject(refused(/^http:.*not done within 0.3 s/))
  })

  test('where nobody listens', async () => {
    await expect(audit('http://gone.test:1/')).rejects.toMatchObject(refused(/ECONNREFUSED/))
  })

  test('in private networks, at once or after a redirect', async () => {
    network.isOpen = false
    for (const url of [`http://${host('inner')}/`, 'http://127.0.0.1:1/', host('inner')])
      await expect(audit(url)).rejects.toMatchObject(refused(/not a public address/))
    expect(site.log).toEqual([])
  })

  test('when the worker ends', async () => {
    pages = { '/': hang }
    const reason = new Error('the worker ends')
    await expect(audit(`http://${host('end')}/`, 'en', AbortSignal.abort(reason))).rejects.toBe(reason)
    const ending = new AbortController()
    pages = { '/': { body: '<p>text' }, '/robots.txt': hang }
    const running = audit(`http://${host('end')}/`, 'en', ending.signal)
    await expect.poll(() => site.hits.get('/robots.txt')).toBe(1)
    ending.abort(reason)
    await expect(running).rejects.toBe(reason)
  })
})

test.skipIf(findBrowser() === null)(
  'a page that its scripts fill is compared with what agents get',
  async () => {
    limits.renderMs = usual.renderMs
    pages = badSite()
    const found = await audit(`http://${host('app')}/`)
    const { value } = check(found, 'content_without_js')!
    expect(value).toMatchObject({ words: 0 })
    expect((value as { words_with_scripts: number }).words_with_scripts).toBeGreaterThan(300)
    expect(check(found, 'question_headings')).toMatchObject({ status: 'fail' })
    expect(found.recommendations[0]).toMatchObject({ check: 'content_without_js' })
    expect(found.recommendations[0]?.gain).toBeGreaterThan(20)
    expect(found.recommendations.map((one) => one.check)).not.toContain('question_headings')
  },
  60_000,
)
