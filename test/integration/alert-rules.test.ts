import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

import { setAccount } from '../../sql/accounts.ts'
import * as alerts from '../../sql/alerts.ts'
import * as crawls from '../../sql/crawls.ts'
import { db, sql } from '../../sql/pool.ts'
import * as projects from '../../sql/projects.ts'
import { guard } from '../../tasks/address.ts'
import { guardedAgent } from '../../tasks/agent.ts'
import { lookAt, lookAtHosts, watchHosts } from '../../tasks/alerts/watch.ts'
import { abandonCrawl } from '../../tasks/crawl/abandon.ts'
import type { SitePage } from '../../tasks/crawl/checks/check.ts'
import { finishCrawl } from '../../tasks/crawl/finish.ts'
import { storeAnswer, storeRank } from '../../tasks/rankings/store.ts'
import { log } from '../../telemetry.ts'
import { useApi } from '../support/api.ts'
import { storeScan, storeSite } from '../support/crawl.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'
import { emptyQueue, queued } from '../support/jobs.ts'

useDatabase()
const api = useApi()
const tools = { log, signal: new AbortController().signal, workerId: randomUUID() }
let mario: Person
let giulia: Person

beforeAll(async () => {
  mario = await makePerson('admin')
  giulia = await makePerson('giulia')
})
beforeEach(async () => {
  await db().query(
    sql.typeAlias(
      'void',
    )`truncate alerts, incidents, alert_channels, deliveries, watched_hosts, projects cascade`,
  )
  await db().query(sql.typeAlias('void')`delete from scans`)
  await emptyQueue()
})

const exec = (statement: ReturnType<typeof sql.unsafe>) => db().query(statement)
/** Type and severity of all alerts, oldest first. */
const told = async (as = mario) =>
  (await alerts.list(as.id, { isRead: undefined, limit: 100, offset: 0 })).rows
    .toReversed()
    .map(({ type, severity }) => `${type} ${severity}`)
const incidents = async () =>
  await db().anyFirst(
    sql.type(z.object({ type: z.string() }))`select type || ' ' || subject as type from incidents order by 1`,
  )

describe('positions', () => {
  let keyword: number
  let project: number
  const rank = (position: number | null) =>
    storeRank(keyword, { position, url: position === null ? null : 'https://example.com/' })
  const Kept = z.object({ position: z.int().nullable(), checks: z.int() })
  const kept = () =>
    db().one(sql.type(Kept)`
      select last_position as position, (select count(*) from rankings where keyword_id = k.id) as checks
        from keywords k where id = ${keyword}`)

  beforeEach(async () => {
    const json = { name: 'x', domain: 'example.com' }
    project = (await api.post<{ id: number }>('/projects', { as: mario, json })).body.data.id
    await api.post(`/projects/${project}/keywords`, { as: mario, json: { keywords: ['scarpe rosse'] } })
    keyword = await db().oneFirst(
      sql.type(z.object({ id: z.int() }))`select id from keywords where project_id = ${project}`,
    )
  })

  test('that fell far are alerted of, with a delivery and its job', async () => {
    const json = { kind: 'webhook', target: 'https://hooks.example/' }
    await api.post('/alert-channels', { as: mario, json })
    await rank(4)
    expect(await told()).toEqual([])
    await rank(9)
    const { data } = (await api.get<{ message: string }[]>('/alerts', { as: mario })).body
    expect(data).toMatchObject([
      {
        type: 'rank_drop',
        severity: 'warning',
        message: '"scarpe rosse" (example.com) è scesa dalla posizione 4 alla 9',
      },
    ])
    const deliveries = await db().anyFirst(
      sql.type(z.object({ id: z.string() }))`select id::text from deliveries`,
    )
    expect((await queued()).map(({ task, payload }) => [task, payload['delivery']])).toEqual([
      ['alerts.send', deliveries[0]],
    ])
    expect(await kept()).toEqual({ position: 9, checks: 2 })
    expect(await told(giulia)).toEqual([])
  })

  test.each<[string, (number | null)[], string[]]>([
    ['a first check is no movement', [null], []],
    ['nor is the first one that finds something', [3], []],
    ['in and out of the first 100', [null, 99, null], ['rank_gain info', 'rank_drop warning']],
    ['a fall in two steps is one alert a day', [4, 9, 20], ['rank_drop warning']],
    ['a fall that gets worse is another', [4, 9, null], ['rank_drop warning', 'rank_drop critical']],
    [
      'a way back ends it, and the next fall is told',
      [4, 9, 4, 9],
      ['rank_drop warning', 'rank_gain info', 'rank_drop warning'],
    ],
    ['small steps are no news', [1, 3, 5, 7, 9, 11], []],
  ])('%s', async (_what, positions, expected) => {
    for (const position of positions) await rank(position)
    expect(await told()).toEqual(expected)
  })

  test('that fall day after day are told every day', async () => {
    for (const position of [4, 9, 20]) {
      await rank(position)
      await exec(sql.unsafe`update incidents set quiet_until = quiet_until - interval '23 hours'`)
    }
    expect(await told()).toEqual(['rank_drop warning', 'rank_drop warning'])
  })

  test('are told once, however many store the same', async () => {
    await rank(4)
    await Promise.all(Array.from({ length: 8 }, () => rank(9)))
    expect(await told()).toEqual(['rank_drop warning'])
  })

  test('and their alerts are stored together or not at all', async () => {
    await rank(4)
    await exec(sql.unsafe`alter table alerts add constraint broken check (false) not valid`)
    await expect(rank(9)).rejects.toThrow(/constraint/)
    expect(await kept()).toEqual({ position: 4, checks: 1 })
    await exec(sql.unsafe`alter table alerts drop constraint broken`)
    await rank(9)
    expect(await told()).toEqual(['rank_drop warning'])
  })

  test('from the queue are told once, however often they are collected', async () => {
    await rank(4)
    const task = await db().oneFirst(
      sql.type(
        z.object({ id: z.int() }),
      )`insert into rank_tasks (keyword_id) values (${keyword}) returning id`,
    )
    const answer = { position: 9, url: null }
    await Promise.all(Array.from({ length: 4 }, () => storeAnswer(task, answer)))
    await storeAnswer(task, { position: 90, url: null })
    expect(await told()).toEqual(['rank_drop warning'])
    expect(await kept()).toEqual({ position: 9, checks: 2 })
  })

  test('of another site or market are not compared with', async () => {
    await rank(4)
    await projects.change(mario.id, project, { name: 'y', domain: 'example.com', languageCode: 'it' })
    await rank(9)
    expect(await told()).toEqual(['rank_drop warning'])
    await projects.change(mario.id, project, { domain: 'example.org' })
    // The second may come from a refresh that began before.
    for (const position of [90, 1]) await rank(position)
    expect(await told()).toHaveLength(1)
    await exec(sql.unsafe`update projects set comparable_from = now() - interval '1 second'`)
    await rank(40)
    expect(await told()).toEqual(['rank_drop warning'])
    await recoverAll()
    await rank(1)
    expect(await told()).toEqual(['rank_drop warning', 'rank_gain info'])
  })

  test('of a keyword that was deleted are nothing', async () => {
    await rank(4)
    await exec(sql.unsafe`delete from keywords`)
    await rank(50)
    expect(await told()).toEqual([])
  })
})

const recoverAll = () => exec(sql.unsafe`delete from incidents`)

describe('crawls', () => {
  let scan: number
  beforeEach(async () => {
    scan = await storeScan(mario.id)
  })

  type Pages = Record<string, SitePage>
  const fine: Pages = { '/': { links: ['/a'] }, '/a': {} }
  const faulty: Pages = { '/': { links: ['/a'] }, '/a': { status: 503 } }
  async function crawl(
    pages: Pages,
    { robots = '', status = 200, scanId = scan, userId = mario.id } = {},
  ): Promise<number> {
    const id = await storeSite(userId, { pages }, scanId)
    await exec(sql.unsafe`
      update crawls set robots_txt = ${robots}, robots_status = ${status} where id = ${id}`)
    return id
  }
  async function finish(...given: Parameters<typeof crawl>) {
    await finishCrawl({ crawl: await crawl(...given) }, tools)
  }
  const some = async (type: string, as = mario) => (await told(as)).filter((each) => each.startsWith(type))

  test('with server errors are alerted of at first, and again only after one without', async () => {
    const counts: number[] = []
    for (const pages of [faulty, faulty, fine, fine, faulty]) {
      await finish(pages)
      counts.push((await some('spider_server_errors critical')).length)
    }
    expect(counts).toEqual([1, 1, 1, 1, 2])
    const { rows } = await alerts.list(mario.id, { isRead: undefined, limit: 100, offset: 0 })
    expect(rows.find(({ type }) => type === 'spider_server_errors')?.message).toBe(
      'example.test: una pagina risponde con un errore del server, https://example.test/a (503)',
    )
  })

  test('that fail are alerted of once, say nothing else, and end with one that does not', async () => {
    await finish(faulty)
    for (let times = 0; times < 2; times++) await finish({ '/': { status: 0 } })
    expect(await some('spider_failed')).toEqual(['spider_failed warning'])
    await finish(faulty)
    expect(await some('spider_server_errors')).toHaveLength(1)
    await abandonCrawl({ crawl: await crawl(faulty), failure: 'Given up.' }, tools)
    expect(await some('spider_failed')).toHaveLength(2)
    expect(await incidents()).toEqual([`spider_failed scan:${scan}`, `spider_server_errors scan:${scan}`])
  })

  test('with a lower score are alerted of, unless it was made otherwise', async () => {
    await finish(fine)
    const worse: Pages = {
      ...fine,
      '/': { links: ['/a', '/b', '/c'] },
      '/b': { status: 404 },
      '/c': { status: 404 },
    }
    await finish(worse)
    expect(await some('spider_score_drop')).toEqual(['spider_score_drop critical'])
    await finish(worse)
    await finish(fine)
    await finish(worse)
    expect(await some('spider_score_drop')).toHaveLength(2)
    await finish(fine)
    await exec(sql.unsafe`update crawls set score_version = 1`)
    await finish(worse)
    expect(await some('spider_score_drop')).toHaveLength(2)
  })

  test('are told once, however many workers finish them', async () => {
    const id = await crawl(faulty)
    await Promise.allSettled(Array.from({ length: 4 }, () => finishCrawl({ crawl: id }, tools)))
    await finishCrawl({ crawl: id }, tools)
    expect(await told()).toEqual(['spider_server_errors critical'])
  })

  test('are ended together with their alerts, or not at all', async () => {
    const id = await crawl(faulty)
    await exec(sql.unsafe`alter table alerts add constraint broken check (false) not valid`)
    await expect(finishCrawl({ crawl: id }, tools)).rejects.toThrow(/constraint/)
    expect(await crawls.isCrawling(id)).toBe(true)
    await exec(sql.unsafe`alter table alerts drop constraint broken`)
    await finishCrawl({ crawl: id }, tools)
    expect(await told()).toEqual(['spider_server_errors critical'])
  })

  test('that were deleted are nothing', async () => {
    const id = await crawl(faulty)
    await exec(sql.unsafe`delete from scans`)
    await finishCrawl({ crawl: id }, tools)
    expect(await told()).toEqual([])
  })

  const shut = (...agents: string[]) =>
    `${agents.map((agent) => `User-agent: ${agent}\n`).join('')}Disallow: /\n`

  test('tell which AI agents robots.txt keeps out from now on', async () => {
    const steps: [string, number, number][] = [
      [shut('CCBot', 'Claude-User'), 200, 0],
      [shut('CCBot', 'Claude-User', 'GPTBot'), 200, 0],
      [shut('Claude-User', 'OAI-SearchBot'), 200, 1],
      [shut('Claude-User', 'OAI-SearchBot'), 200, 1],
      [shut('Claude-User', 'OAI-SearchBot', 'PerplexityBot'), 200, 2],
      ['', 503, 2],
      ['', 0, 2],
      ['', 403, 2],
      [shut('Claude-User', 'OAI-SearchBot', 'PerplexityBot'), 200, 2],
      ['', 404, 2],
      [shut('*'), 200, 3],
    ]
    const counts: number[] = []
    for (const [robots, status] of steps) {
      await finish(fine, { robots, status })
      counts.push((await some('ai_crawler_blocked')).length)
    }
    expect(counts).toEqual(steps.map(([, , count]) => count))
    expect(await some('ai_crawler_blocked')).toEqual([
      'ai_crawler_blocked warning',
      'ai_crawler_blocked warning',
      'ai_crawler_blocked critical',
    ])
  })

  test('tell each user what changed since they looked', async () => {
    const robots = shut('OAI-SearchBot')
    await finish(fine)
    const theirs = { userId: giulia.id, scanId: await storeScan(giulia.id) }
    await finish(fine, { robots, ...theirs })
    expect(await some('ai_crawler', giulia)).toEqual([])
    await finish(fine, { robots })
    expect(await some('ai_crawler')).toHaveLength(1)
    await finish(fine, theirs)
    await finish(fine, { robots, ...theirs })
    expect(await some('ai_crawler', giulia)).toHaveLength(1)
    expect(await some('ai_crawler')).toHaveLength(1)
  })

  test('that fail for robots.txt still tell what it says', async () => {
    await finish(fine)
    await finish({ '/': { status: 0 } }, { robots: shut('*') })
    expect(await told()).toEqual(['spider_failed warning', 'ai_crawler_blocked critical'])
  })

  test('tell of the certificate that their probes saw', async () => {
    for (const days of [20, 20, 5, -1, 80, 20]) {
      const id = await crawl(fine)
      const certificate = {
        validTo: new Date(Date.now() + days * 86_400_000).toISOString(),
        issuer: 'CA',
        error: null,
      }
      const start = { url: 'https://example.test/', status: 200, title: null, canonical: null }
      const facts = { at: new Date().toISOString(), start, certificate }
      await exec(sql.unsafe`
        insert into probes (crawl_id, facts, probed)
        values (${id}, ${sql.jsonb({ ...unasked, ...facts })}, true)`)
      await finishCrawl({ crawl: id }, tools)
    }
    expect(await some('certificate')).toEqual([
      'certificate_expiring warning',
      'certificate_expiring critical',
      'certificate_expiring warning',
    ])
  })
})

const unasked = {
  sitemaps: null,
  oldTls: null,
  http: null,
  twin: null,
  nowhere: null,
  icon: null,
  llms: null,
  visits: null,
}

describe('the daily look', () => {
  const track = async (domain: string, as = mario) => {
    const json = { name: 'x', domain }
    return (await api.post<{ id: number }>('/projects', { as, json })).body.data.id
  }
  async function due() {
    await emptyQueue()
    await watchHosts({}, tools)
    return (await queued()).map(({ task, payload }) => {
      expect(task).toBe('alerts.look')
      return payload['hosts'] as string[]
    })
  }
  const tomorrow = () => exec(sql.unsafe`update watched_hosts set due_at = now()`)
  const watch = (host: string, isHttps: boolean, as = mario) =>
    exec(sql.unsafe`
      insert into watched_hosts (host, user_id, is_https) values (${host}, ${as.id}, ${isHttps})`)
  const scanned = (host: string, as = mario) =>
    exec(sql.unsafe`
      insert into scans (user_id, start_url, host, max_pages, max_depth, speed, include_subdomains, respect_robots,
                         use_sitemap, exclude_paths)
      values (${as.id}, ${`https://${host}/`}, ${host}, 1, 1, 'fast', false, false, false, '')`)

  test('is once a day at every domain that is tracked, and at every host crawled by https', async () => {
    const id = await track('a.example')
    await track('a.example')
    await track('a.example', giulia)
    for (const host of ['secure.example', 'plain.example', 'twin.example']) await scanned(host)
    await watch('secure.example', true)
    await watch('plain.example', false)
    await watch('www.twin.example', true)
    await watch('forgotten.example', true)
    expect((await due()).flat().toSorted()).toEqual(['a.example', 'secure.example', 'www.twin.example'])
    expect(await due()).toEqual([])
    const Next = z.object({ hours: z.number() })
    const hours = await db().anyFirst(sql.type(Next)`
      select extract(epoch from due_at - now())::float8 / 3600 as hours from watched_hosts`)
    expect(Math.min(...hours)).toBeGreaterThan(11.9)
    expect(Math.max(...hours)).toBeLessThanOrEqual(36)

    await setAccount(giulia.email, { status: 'suspended' })
    await api.delete(`/projects/${id}`, { as: mario })
    await tomorrow()
    expect((await due()).flat()).toContain('a.example')
    await exec(sql.unsafe`delete from projects where user_id = ${mario.id}`)
    await tomorrow()
    expect((await due()).flat().toSorted()).toEqual(['secure.example', 'www.twin.example'])
    await setAccount(giulia.email, { status: 'active' })
    await tomorrow()
    expect((await due()).flat()).toContain('a.example')
  })

  test('at very many hosts is many short jobs, and however many share them out, each host is in one', async () => {
    await exec(sql.unsafe`
      insert into projects (user_id, name, domain, location_code, language_code)
      select ${mario.id}, 'x', 'host' || n || '.example', 1, 'it' from generate_series(1, 2345) n`)
    await Promise.all([1, 2, 3].map(() => watchHosts({}, tools)))
    const batches = (await queued()).map(({ payload }) => payload['hosts'] as string[])
    expect(batches.flat()).toHaveLength(2345)
    expect(new Set(batches.flat()).size).toBe(2345)
    expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(50)
  })

  test('goes on though one host cannot be looked at, and ends when it is told to', async () => {
    const seen: string[] = []
    const stop = new AbortController()
    const hosts = Array.from({ length: 30 }, (_, n) => `${n}.example`)
    await expect(
      lookAtHosts({ hosts }, { ...tools, signal: stop.signal }, async (host) => {
        seen.push(host)
        stop.abort()
        return { host, certificate: null, robots: null }
      }),
    ).rejects.toThrow('aborted')
    expect(seen).toHaveLength(10)
  })

  describe('of a server', () => {
    const key = readFileSync(new URL('../fakes/self-signed.key.pem', import.meta.url))
    const cert = readFileSync(new URL('../fakes/self-signed.cert.pem', import.meta.url))
    const ends = Date.parse('2126-10-28T12:33:59Z')
    const everywhere = guard({
      privateNetworks: true,
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    })
    const through = guardedAgent(everywhere, { ca: cert.toString() })
    let server: Server
    let host: string
    let robots: { status: number; text: string }
    const listen = async () => {
      server = createServer({ key, cert }, (_request, response) =>
        response.writeHead(robots.status).end(robots.text),
      )
      await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
      host = `hostile.test:${(server.address() as AddressInfo).port}`
    }
    const hangUp = async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    }
    const look = () =>
      lookAtHosts({ hosts: [host] }, tools, (host, signal) =>
        lookAt(host, signal, { rules: everywhere, through }),
      )
    const daysBefore = (days: number) => vi.useFakeTimers({ toFake: ['Date'], now: ends - days * 86_400_000 })

    beforeEach(async () => {
      robots = { status: 200, text: '' }
      await listen()
      for (const person of [mario, giulia]) await watch(host, true, person)
    })
    afterEach(async () => {
      vi.useRealTimers()
      if (server.listening) await hangUp()
    })
    afterAll(() => through.destroy())

    test('tells everybody who watches it that its certificate ends, once, and once more when it is urgent', async () => {
      await look()
      expect(await told()).toEqual([])
      for (const days of [31, 30, 29, 8]) {
        daysBefore(days)
        await look()
      }
      expect(await told()).toEqual(['certificate_expiring warning'])
      for (const days of [7, 6, -1]) {
        daysBefore(days)
        await look()
      }
      const expected = ['certificate_expiring warning', 'certificate_expiring critical']
      expect([await told(), await told(giulia)]).toEqual([expected, expected])
      expect(await incidents()).toEqual(Array(2).fill(`certificate_expiring host:${host}`))
      daysBefore(90)
      await look()
      expect(await incidents()).toEqual([])
    })

    test('tells which AI agents are kept out since, each once, however many look', async () => {
      await look()
      robots.text = 'User-agent: Claude-SearchBot\nDisallow: /'
      await Promise.all([look(), look(), look()])
      await look()
      expect(await told()).toEqual(['ai_crawler_blocked warning'])
      expect(await told(giulia)).toEqual(['ai_crawler_blocked warning'])
      robots.text = 'User-agent: *\nDisallow: /private'
      await look()
      expect(await incidents()).toEqual([])
      robots.text = 'User-agent: Claude-SearchBot\nDisallow: /'
      await look()
      expect(await told()).toHaveLength(2)
    })

    test('that does not answer tells nothing, and is taken up where it was', async () => {
      await look()
      for (const status of [500, 403, 429]) {
        robots = { status, text: 'User-agent: *\nDisallow: /' }
        await look()
      }
      await hangUp()
      daysBefore(3)
      await look()
      expect([await told(), await incidents()]).toEqual([[], []])
    })

    test('leaves the bare domain of a site that is crawled as www. to that', async () => {
      const bare = host
      await look()
      await watch(`www.${bare}`, true)
      robots.text = 'User-agent: Claude-SearchBot\nDisallow: /'
      await look()
      expect(await told()).toEqual([])
      expect(await told(giulia)).toEqual(['ai_crawler_blocked warning'])
    })
  })

  test('reads robots.txt by http where nothing listens for https', async () => {
    const text = 'User-agent: GPTBot\nDisallow: /'
    const server = createSocketServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', ([first]) => {
        if (first === 0x16) socket.resetAndDestroy()
        else
          socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`)
      })
    })
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    const rules = guard({ privateNetworks: true })
    const through = guardedAgent(rules)
    try {
      const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
      expect(await lookAt(host, tools.signal, { rules, through })).toEqual({
        host,
        certificate: null,
        robots: { status: 200, text },
      })
      // The address is a private one, and here nobody allows that.
      expect(await lookAt(host, tools.signal)).toEqual({
        host,
        certificate: null,
        robots: { status: 0, text: '' },
      })
    } finally {
      await through.destroy()
      await new Promise((done) => server.close(done))
    }
  })
})

test('all that is kept of a user goes with them', async () => {
  const { id } = await makePerson('leaving')
  const crawl = await storeSite(id, { pages: { '/': { status: 500 } } })
  await finishCrawl({ crawl }, tools)
  const Kept = z.object({ alerts: z.int(), incidents: z.int(), hosts: z.int() })
  const kept = () =>
    db().one(sql.type(Kept)`
      select (select count(*) from alerts) as alerts, (select count(*) from incidents) as incidents,
             (select count(*) from watched_hosts) as hosts`)
  expect(await kept()).toEqual({ alerts: 1, incidents: 1, hosts: 1 })
  await exec(sql.unsafe`delete from users where id = ${id}`)
  expect(await kept()).toEqual({ alerts: 0, incidents: 0, hosts: 0 })
})
