import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

import type { AxeResults } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { setAccount } from '../../sql/accounts.ts'
import * as crawls from '../../sql/crawls.ts'
import { db, sql } from '../../sql/pool.ts'
import { siteScore } from '../../sql/scores.ts'
import { findBrowser } from '../../tasks/browser/chromium.ts'
import { attachSiteIssues } from '../../tasks/crawl/checks/site.ts'
import { useApi } from '../support/api.ts'
import { address, storeSite } from '../support/crawl.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'

useDatabase()
const api = useApi()
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const EVIL = `"'></title><script>document.title='owned'</script><img src="http://127.0.0.1:9/x" onerror="document.title='owned'">`
const CRAWLS = 3

let browser: Browser
let mario: Person
let scan: number

const Id = z.object({ id: z.int() })
const ofCrawl = async (id: number) =>
  await db().oneFirst(sql.type(Id)`select scan_id as id from crawls where id = ${id}`)
const finish = async (id: number, failure: string | null = null) => {
  const lease = randomUUID()
  await crawls.take(id, lease, randomUUID())
  await crawls.end(id, lease, { failure, score: failure ? null : await siteScore(id), scoreVersion: 2 })
}

beforeAll(async () => {
  mario = await makePerson('admin') // as many requests as it takes
  await setAccount(mario.email, { locale: 'en' })
  const many = Array.from({ length: 30 }, (_, at) => `/page/${at}`)
  const crawl = await storeSite(mario.id, {
    pages: {
      '/': { title: EVIL, links: ['/old', '/gone', ...many] },
      '/old': { redirect: '/' },
      '/gone': { status: 404 },
      '/silent': { status: 0 },
      '/broken': { status: 503 },
      [`/evil?${encodeURIComponent(EVIL)}`]: { title: EVIL },
      [`/long/${'x'.repeat(1500)}`]: {},
      ...Object.fromEntries(many.map((path) => [path, { title: EVIL, links: ['/gone'] }])),
    },
  })
  scan = await ofCrawl(crawl)
  await db().query(sql.typeAlias('void')`
    update pages set bytes = 1000 * id, ttfb_ms = 80, total_ms = 100 + id, depth = id % 5,
                     issues = '{title_missing,meta_desc_missing,title_too_short}', score = 79
     where crawl_id = ${crawl} and is_html and status_code = 200`)
  await attachSiteIssues(crawl)
  await finish(crawl)
  await db().query(sql.typeAlias('void')`
    insert into crawls (scan_id, scope_host, status, score, score_version, started_at, finished_at)
    select scan_id, scope_host, status, 40 + n, score_version, started_at - n * interval '1 day',
           finished_at - n * interval '1 day' from crawls, generate_series(1, ${CRAWLS - 1}::int) as n where id = ${crawl}`)
  const executablePath = findBrowser()
  if (!executablePath) throw new Error('there is no Chromium')
  browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 })
}, 60_000)

afterAll(() => browser?.close())

const reportUrl = (id = scan) => `${api.url}/api/seo/spider/${id}/report`

/** Opens a page as a reader does, and watches what it asks for and what its policy refuses. */
async function visit(
  url: string,
  options: BrowserContextOptions = {},
  waitUntil: 'load' | 'networkidle' = 'load',
) {
  const context = await browser.newContext({ extraHTTPHeaders: mario.headers, ...options })
  const page = await context.newPage()
  const requests: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(url, { waitUntil })
  return { page, requests, complaints, close: () => context.close() }
}

/** What axe finds wrong with a page, in words. */
async function faults(page: Page, options: object = {}) {
  await page.evaluate(await readFile(axe, 'utf8'))
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`)
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

describe('GET /spider/{id}/report', () => {
  test('is HTML in the language of the account, with a policy that allows nothing but its style', async () => {
    const { headers, text } = await api.get(`/spider/${scan}/report`, { as: mario })
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-language')).toBe('en')
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]+='; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    )
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(text).toContain('<html lang="en">')
    expect(text.length).toBeLessThan(300_000)
    const again = await api.get(`/spider/${scan}/report`, {
      as: mario,
      headers: { 'If-None-Match': headers.get('etag') ?? '' },
    })
    expect(again.status).toBe(304)
  })

  test('is Italian for accounts that are', async () => {
    await setAccount(mario.email, { locale: 'it' })
    const { text } = await api.get(`/spider/${scan}/report`, { as: mario })
    await setAccount(mario.email, { locale: 'en' })
    expect(text).toContain('<html lang="it">')
    expect(text).toContain('Che cosa correggere per primo')
  })

  test('asks for nothing, is refused nothing, and nothing of the site runs in it', async () => {
    const { page, requests, complaints, close } = await visit(reportUrl(), {}, 'networkidle')
    expect(requests).toEqual([reportUrl()])
    expect(complaints).toEqual([])
    expect(await page.title()).toBe('SEO report: example.test')
    expect(await page.locator('script, img, iframe, object, form').count()).toBe(0)
    await close()
  })

  test('shows what is in the database', async () => {
    const { page, close } = await visit(reportUrl(), { javaScriptEnabled: false })
    const score = await siteScore(
      await db().oneFirst(sql.type(Id)`select crawl_id as id from scans where id = ${scan}`),
    )
    await page.getByRole('img', { name: `Score ${score} of 100` }).waitFor()
    await page.getByRole('img', { name: `${CRAWLS} crawls` }).waitFor()
    const row = (name: string) => page.getByRole('row', { name }).locator('.number').first().innerText()
    const [{ issues, by_severity }, all] = await Promise.all([
      api
        .get<{ issues: { code: string; pages: number }[]; by_severity: Record<string, number> }>(
          `/spider/${scan}/issues`,
          { as: mario },
        )
        .then(({ body }) => body.data),
      api.get(`/spider/${scan}/pages`, { as: mario }).then(({ body }) => body.meta.total_results),
    ])
    expect(await row('Major')).toBe(String(by_severity['major']))
    expect(await row('Moderate')).toBe(String(by_severity['moderate']))
    expect(await row('Minor')).toBe(String(by_severity['minor']))
    expect([await row('4xx'), await row('5xx'), await row('no answer')]).toEqual(['1', '1', '1'])
    const codes = await page.locator('.finding code:first-of-type, tr th code').allInnerTexts()
    expect(codes).toEqual(expect.arrayContaining(issues.map(({ code }) => code)))
    expect(await page.getByText(`${all}; `).innerText()).toContain('are HTML')
    expect(
      await page.getByRole('table').filter({ hasText: 'First byte' }).first().locator('tbody tr').count(),
    ).toBe(10)
    await close()
  })

  test('links lead to the pages of the site, and give nothing away', async () => {
    const { page, close } = await visit(reportUrl())
    const links = await page
      .locator('main a[rel]')
      .evaluateAll((all) => all.map((a) => [a.getAttribute('href') ?? '', a.getAttribute('rel')] as const))
    expect(links.length).toBeGreaterThan(20)
    for (const [href, rel] of links) {
      expect(href.startsWith(address('/'))).toBe(true)
      expect(rel).toBe('noopener noreferrer nofollow')
    }
    await close()
  })

  test.each([
    ['light', {}],
    ['dark', { runOnly: ['color-contrast'] }],
  ] as const)('is accessible (%s)', async (colorScheme, options) => {
    const { page, close } = await visit(reportUrl(), { colorScheme })
    expect(await faults(page, options)).toEqual([])
    await close()
  })

  test.each([
    ['a telephone', { viewport: { width: 360, height: 740 } }],
    ['a desk', { viewport: { width: 1400, height: 900 } }],
  ])('fits the screen of %s', async (_what, options) => {
    const { page, close } = await visit(reportUrl(), options)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    await close()
  })

  test('is drawn: light or dark as the reader likes it, with its colours, and light on paper', async () => {
    const looks = await Promise.all(
      (['light', 'dark'] as const).map(async (colorScheme) => {
        const { page, close } = await visit(reportUrl(), {
          colorScheme,
          viewport: { width: 1000, height: 600 },
        })
        const look = await lookOf(page)
        await page.emulateMedia({ media: 'print', colorScheme })
        const paper = await lookOf(page)
        await close()
        return { look, paper }
      }),
    )
    const [light, dark] = looks
    expect(light?.look.brightness).toBeGreaterThan(200)
    expect(dark?.look.brightness).toBeLessThan(80)
    expect(dark?.paper.brightness).toBeGreaterThan(200)
    for (const { look } of looks) {
      expect(look.red).toBeGreaterThan(200)
      expect(look.green).toBeGreaterThan(200)
    }
  })

  test('prints: a few sheets, nothing beyond their edge', async () => {
    const { page, close } = await visit(reportUrl())
    const pdf = (await page.pdf({ format: 'A4' })).toString('latin1')
    const sheets = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0
    expect(sheets).toBeGreaterThan(1)
    expect(sheets).toBeLessThan(15)
    await page.setViewportSize({ width: 680, height: 900 }) // A4 within its margins
    await page.emulateMedia({ media: 'print' })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(680)
    await close()
  })
})

describe('a scan that is not done', () => {
  const seen = async (id: number) => {
    const { page, complaints, close } = await visit(reportUrl(id))
    const [text, wrong] = [await page.locator('body').innerText(), [...complaints, ...(await faults(page))]]
    await close()
    expect(wrong).toEqual([])
    return text
  }

  test('has a report of what there is so far', async () => {
    const { body } = await api.post<{ id: number }>('/spider', {
      as: mario,
      json: { start_url: address('/') },
    })
    expect(await seen(body.data.id)).toContain('No page has been read yet.')
    const running = await ofCrawl(await storeSite(mario.id, { pages: { '/': {}, '/gone': { status: 404 } } }))
    const text = await seen(running)
    expect(text).toContain('The crawl is still running')
    expect(text).toMatch(/^Score\n–$/m)
  })

  test('or of why it failed', async () => {
    const crawl = await storeSite(mario.id, { pages: { '/': { status: 0 } } })
    await finish(crawl, `No page answered: ${EVIL}`)
    const text = await seen(await ofCrawl(crawl))
    expect(text).toContain(`The crawl failed. No page answered: ${EVIL}`)
  })

  test('keeps that of the crawl before while it is crawled again', async () => {
    const crawl = await storeSite(mario.id, { pages: { '/': {} } })
    const again = await ofCrawl(crawl)
    await finish(crawl)
    await api.post(`/spider/${again}/rescan`, { as: mario })
    const text = await seen(again)
    expect(text).toContain('A new crawl is running')
    expect(text).toContain('Crawl that ended on')
  })
})

describe('GET /docs/checks', () => {
  test('needs no key, lists every check, and asks for nothing else', async () => {
    const { page, requests, complaints, close } = await visit(`${api.url}/docs/checks`, {
      extraHTTPHeaders: {},
    })
    expect([requests.length, complaints]).toEqual([1, []])
    const codes = await db().anyFirst(sql.type(z.object({ code: z.string() }))`select code from checks`)
    expect(codes.length).toBeGreaterThan(100)
    const listed = await page.locator('tbody tr[id]').evaluateAll((rows) => rows.map(({ id }) => id))
    expect(new Set(listed)).toEqual(new Set(codes))
    // Its rows are all alike, and axe looks at each for long.
    await page.evaluate(
      `[...document.querySelectorAll('tbody tr[id]')].slice(20).forEach((row) => row.remove())`,
    )
    expect(await faults(page)).toEqual([])
    await close()
  })

  test('every address within it leads somewhere', async () => {
    const { page, close } = await visit(`${api.url}/docs/checks#title_missing`)
    expect(await page.locator('tr:target').innerText()).toContain('title_missing')
    const dead = await page.evaluate(
      `[...document.querySelectorAll('a[href^="#"]')].filter((a) => !document.querySelector(a.getAttribute('href'))).map(String)`,
    )
    expect(dead).toEqual([])
    await close()
  })

  test('the documentation leads to it', async () => {
    expect(await (await fetch(`${api.url}/docs`)).text()).toContain('href="/docs/checks"')
  })
})

type Look = { brightness: number; red: number; green: number }

/** Of a screenshot of the top: the mean brightness of a pixel, 0 to 255, and how many are red and green. */
async function lookOf(page: Page): Promise<Look> {
  const shot = (await page.screenshot()).toString('base64')
  const blank = await browser.newPage()
  const look = await blank.evaluate<Look>(`(async () => {
    const image = await createImageBitmap(await (await fetch('data:image/png;base64,${shot}')).blob())
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d')
    canvas.drawImage(image, 0, 0)
    const { data } = canvas.getImageData(0, 0, image.width, image.height)
    let [sum, red, green] = [0, 0, 0]
    for (let at = 0; at < data.length; at += 4) {
      const [r, g, b] = [data[at], data[at + 1], data[at + 2]]
      sum += (r + g + b) / 3
      if (r > g + 60 && r > b + 60) red++
      if (g > r + 50 && g > b + 40) green++
    }
    return { brightness: sum / (data.length / 4), red, green }
  })()`)
  await blank.close()
  return look
}
