import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import { probeChecks } from '../../tasks/crawl/probes/checks/index.ts'
import { html } from '../fakes/site/html.ts'
import { type Answer, type FakeServer, startServer } from '../fakes/site/server.ts'
import { type Client, clientOf } from '../support/client.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { type Service, startService } from '../support/service.ts'

const database = useDatabase()
let service: Service
let mario: Client
const servers: FakeServer[] = []

beforeAll(async () => {
  service = await startService({ url: database.url })
  mario = clientOf(service.origin, (await makePerson('mario')).key)
})
afterAll(async () => {
  await Promise.all([service?.stop(), ...servers.map((server) => server.close())])
})

type Asked = { path: string; agent: string; origin: string }

/** A site of two pages that answers the rest as it is told. */
async function open(rest: (asked: Asked) => Answer | undefined): Promise<FakeServer> {
  const server = await startServer((path, { headers }) => {
    const origin = `http://${headers.host}`
    const told = rest({ path, agent: headers['user-agent'] ?? '', origin })
    if (told) return told
    if (path === '/') return { body: html('/', origin, { body: '<a href="/about">About</a>' }) }
    return path === '/about' ? { body: html('/about', origin) } : undefined
  })
  servers.push(server)
  return server
}

const codes = new Set(probeChecks.map(({ code }) => code))

/** The issues of a scan that probes raise, by path. */
async function probed(site: FakeServer, options: object = {}) {
  const scan = await mario.crawl({ start_url: site.origin, ...options })
  expect(scan.status).toBe('completed')
  const pages = await mario.pages(scan.id)
  return Object.fromEntries(
    pages.map(({ url, issues }) => [
      url.slice(site.origin.length),
      issues.filter((code) => codes.has(code)).toSorted(),
    ]),
  )
}

const text = (body: string): Answer => ({ headers: { 'content-type': 'text/plain' }, body })
const urlset = (...urls: string[]): Answer => ({
  headers: { 'content-type': 'application/xml' },
  body: `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`,
})
const llms = text('# A site\n\n> It is there to be read.\n\n- [About](/about): what it is about')
const icon = { headers: { 'content-type': 'image/x-icon' }, body: 'icon' }

const sound = ({ path, origin }: Asked): Answer | undefined =>
  ({
    '/robots.txt': text(`User-agent: *\nDisallow: /private/\nSitemap: ${origin}/pages.xml`),
    '/pages.xml': urlset(`${origin}/`, `${origin}/about`),
    '/llms.txt': llms,
    '/favicon.ico': icon,
  })[path]

describe('a site', () => {
  test('without faults has no issue of this kind', async () => {
    expect(await probed(await open(sound))).toEqual({ '/': [], '/about': [] })
  })

  test('with faults has them on its start page', async () => {
    const site = await open((asked) => {
      const { path, agent, origin } = asked
      if (/^Mozilla.*ClaudeBot/.test(agent)) return { status: 403 }
      if (path === '/robots.txt')
        return text('Dissalow: /x\nUser-agent: GPTBot\nUser-agent: PerplexityBot\nDisallow: /')
      if (path === '/sitemap.xml') return urlset(`${origin}/`, 'http://elsewhere.test/', '/relative')
      if (path === '/llms.txt') return text('Hello')
      if (path.length === 25) return { body: '<title>Welcome</title>' }
      return path === '/favicon.ico' ? { status: 404 } : undefined
    })
    expect(await probed(site)).toEqual({
      '/': [
        'ai_bot_waf_blocked',
        'ai_search_bot_blocked',
        'ai_training_bot_blocked',
        'favicon_missing',
        'llms_txt_invalid',
        'robots_txt_invalid',
        'robots_txt_no_sitemap',
        'sitemap_invalid',
        'sitemap_url_offsite',
        'soft_404_site',
      ],
      '/about': [],
    })
  })

  test('is asked the same with its sitemap and without, and each thing once', async () => {
    const site = await open((asked) =>
      asked.path === '/pages.xml' ? urlset('http://elsewhere.test/') : sound(asked),
    )
    for (const use_sitemap of [true, false]) {
      site.forget()
      expect((await probed(site, { use_sitemap }))['/']).toEqual(['sitemap_url_offsite'])
      for (const path of ['/robots.txt', '/pages.xml', '/llms.txt', '/favicon.ico'])
        expect([path, site.hits.get(path)]).toEqual([path, 1])
    }
  })

  test('that names an icon is not asked for another', async () => {
    const site = await open((asked) =>
      asked.path === '/'
        ? { body: html('/', asked.origin, { head: '<link rel="icon" href="/icon.svg">' }) }
        : asked.path === '/favicon.ico'
          ? undefined
          : sound(asked),
    )
    expect(await probed(site)).toEqual({ '/': [] })
    expect(site.hits.has('/favicon.ico')).toBe(false)
  })

  test('is asked nothing that it forbids a crawl that respects it', async () => {
    const robots = 'User-agent: *\nDisallow: /\nAllow: /$\nAllow: /about\nUser-agent: ClaudeBot\nDisallow: /'
    const site = await open((asked) => (asked.path === '/robots.txt' ? text(robots) : sound(asked)))
    await probed(site, { respect_robots: true })
    const paths = [...site.hits.keys()].filter((path) => !/^\/(robots\.txt|sitemap|wp-sitemap)/.test(path))
    expect(paths.toSorted()).toEqual(['/', '/about'])
    expect(site.log.some(({ headers }) => headers['user-agent']?.includes('ClaudeBot'))).toBe(false)
  })

  test('that lets some questions hang is judged by the others, in time', async () => {
    const site = await open((asked) => (asked.path === '/llms.txt' ? undefined : sound(asked)))
    const release = site.hold((path) => path === '/llms.txt')
    expect((await probed(site))['/']).toEqual([])
    release()
  })
})

test('where nothing answers, nothing more is asked', async () => {
  const closed = await startServer(() => ({}))
  await closed.close()
  const scan = await mario.crawl({ start_url: closed.origin })
  expect(scan.status).toBe('failed')
  const Kept = z.object({ kept: z.int() })
  const { kept } = await db().one(sql.type(Kept)`
    select count(*) as kept from probes p join scans s on s.crawl_id = p.crawl_id where s.id = ${scan.id}`)
  expect(kept).toBe(0)
})

test('what AI agents may do, and how they are met, is kept with the crawl', async () => {
  const site = await open((asked) =>
    /GPTBot/.test(asked.agent)
      ? { status: 403 }
      : asked.path === '/robots.txt'
        ? text('User-agent: CCBot\nDisallow: /')
        : sound(asked),
  )
  const scan = await mario.crawl({ start_url: site.origin })
  const Agents = z.object({ agents: z.array(z.looseObject({ token: z.string() })) })
  const { agents } = await db().one(sql.type(Agents)`
    select p.facts -> 'agents' as agents from probes p join scans s on s.crawl_id = p.crawl_id where s.id = ${scan.id}`)
  expect(agents).toEqual(
    expect.arrayContaining([
      { token: 'GPTBot', purpose: 'training', allowed: true, met: 'turned_away' },
      { token: 'CCBot', purpose: 'training', allowed: false, met: 'not_visited' },
      { token: 'ChatGPT-User', purpose: 'user', allowed: true, met: 'welcomed' },
    ]),
  )
})
