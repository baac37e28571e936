import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type Site, startSite } from '../fakes/site.ts'
import { crisp, type Fields } from '../fakes/site/truth.ts'
import { type Client, clientOf, type Issues, type PageRow, type Scan } from '../support/client.ts'
import { readCsv } from '../support/csv.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { fetched, fetches } from '../support/fetched.ts'
import { type Service, startService } from '../support/service.ts'

/** Codes that tell of a choice, not of a fault: they cost no points. */
const informative = [
  'redirect_internal',
  'noindex',
  'noindex_header',
  'nofollow_page',
  'nosnippet',
  'noimageindex',
  'canonicalized',
  'link_external_blocked',
  'ai_training_bot_blocked',
  'llms_txt_missing',
]
/** What is left of the site's score with these faults of the whole. */
const gates: Record<string, number> = {
  robots_txt_blocks_all: 0.5,
  noindex_sitewide: 0.5,
  robots_txt_unreachable: 0.8,
  certificate_invalid: 0.7,
  https_missing: 0.8,
  soft_404_site: 0.95,
  sitemap_missing: 0.97,
}

const database = useDatabase()
let service: Service
let site: Site
let mario: Client
let giulia: Client

beforeAll(async () => {
  service = await startService({ url: database.url })
  mario = clientOf(service.origin, (await makePerson('mario')).key)
  giulia = clientOf(service.origin, (await makePerson('giulia')).key)
  site = await startSite()
})
afterAll(async () => {
  await Promise.all([service?.stop(), site?.close()])
})

describe('a crawl of a site of which everything is known', () => {
  let scan: Scan
  let pages: PageRow[]
  let byUrl: Map<string, PageRow>
  let issues: Issues

  beforeAll(async () => {
    scan = await mario.crawl({ start_url: site.origin, name: '  The fixture  ' })
    pages = await mario.pages(scan.id)
    byUrl = new Map(pages.map((page) => [page.url, page]))
    issues = await mario.issues(scan.id)
  })

  test('completes', () => {
    expect(scan).toMatchObject({ status: 'completed', host: new URL(site.origin).host, name: 'The fixture' })
    expect(scan).not.toHaveProperty('failure')
    expect(scan).not.toHaveProperty('pending')
  })

  test('lists every page once and nothing else', () => {
    expect(pages.map(({ url }) => url).toSorted()).toEqual(
      site
        .truth()
        .map(({ url }) => url)
        .toSorted(),
    )
  })

  test('gives each its status', () => {
    expect(Object.fromEntries(pages.map(({ url, status_code }) => [url, status_code]))).toEqual(
      Object.fromEntries(site.truth().map(({ url, status }) => [url, status])),
    )
  })

  test('reads the fields of each', () => {
    const expected = site.truth().map(({ url, fields }) => ({ url, ...fields }))
    const actual = expected.map(({ url, ...fields }) => {
      const page = byUrl.get(url)
      const names = Object.keys(fields) as (keyof Fields)[]
      return { url, ...Object.fromEntries(names.map((name) => [name, page?.[name]])) }
    })
    expect(actual).toEqual(expected)
  })

  test('finds every issue that is there, and none that is not', () => {
    const expected = site.truth().map(({ path, has }) => [path, has.toSorted()])
    const actual = site.truth().map(({ url, path, unsure }) => {
      const found = new Set(byUrl.get(url)?.issues)
      return [path, crisp.filter((code) => found.has(code) && !unsure.includes(code)).toSorted()]
    })
    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(expected))
  })

  test('counts a code once per page', () => {
    for (const { issues } of pages) expect([...new Set(issues)]).toEqual(issues)
  })

  test('names the types of structured data', () => {
    expect(byUrl.get(`${site.origin}/content/json-ld`)?.schema_types).toContain('Article')
    expect(byUrl.get(`${site.origin}/about`)?.schema_types ?? '').toBe('')
  })

  test('takes nothing out of redirects and files', () => {
    const bare = site
      .truth()
      .filter(({ status, isHtml }) => (status < 400 && status >= 300) || (status === 200 && !isHtml))
    expect(bare.length).toBeGreaterThan(12)
    for (const { url } of bare)
      expect(byUrl.get(url)).toMatchObject({
        url,
        score: null,
        title: null,
        h1: null,
        words_count: 0,
        internal_links: 0,
      })
  })

  test('calls nothing indexable that does not answer 2xx', () => {
    const others = pages.filter(({ status_code }) => status_code >= 300)
    expect(others.filter(({ is_indexable }) => is_indexable)).toEqual([])
  })

  test('asks for each page once, by its own name, and for nothing it has no business with', () => {
    const html = site.truth().filter(({ isHtml }) => isHtml)
    const pages = fetched(site.log)
    for (const { path } of html) expect([path, pages.get(path)]).toEqual([path, 1])
    expect([...site.hits.keys()].filter((path) => path.startsWith('/never/'))).toEqual([])
    expect([...site.hits.keys()].filter((path) => path.startsWith('/sitemap-only/'))).toEqual([])
    for (const { headers } of fetches(site.log))
      expect(headers['user-agent']).toMatch(/^SeoSuiteBot\/\S+ \(\+http:\/\/.+\/docs\)$/)
  })

  test('looks at links that leave the site without fetching them, and visits the start page alone as others', () => {
    expect(site.other.log.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
      'HEAD /a',
      'HEAD /b',
      'HEAD /external',
    ])
    const others = site.log.filter(({ headers }) => !headers['user-agent']?.startsWith('SeoSuiteBot/'))
    expect(new Set(others.map(({ path }) => path))).toEqual(new Set(['/']))
  })

  test('sums the issues up', () => {
    const counts = Map.groupBy(
      pages.flatMap((page) => page.issues),
      (code) => code,
    )
    expect(Object.fromEntries(issues.issues.map(({ code, pages }) => [code, pages]))).toEqual(
      Object.fromEntries([...counts].map(([code, found]) => [code, found.length])),
    )
    const sums = { major: 0, moderate: 0, minor: 0 }
    for (const issue of issues.issues) sums[issue.severity] += issue.pages
    expect(issues.by_severity).toEqual(sums)
    expect(issues.issues.map(({ pages }) => pages)).toEqual(
      issues.issues.map(({ pages }) => pages).toSorted((a, b) => b - a),
    )
    expect(scan).toMatchObject({ errors_count: sums.major, warnings_count: sums.moderate })
  })

  test('weighs the codes as the catalogue does', () => {
    const severities = Object.fromEntries(issues.issues.map(({ code, severity }) => [code, severity]))
    expect(severities).toMatchObject({
      http_4xx: 'major',
      title_missing: 'major',
      redirect_loop: 'major',
      canonical_to_error: 'major',
      meta_desc_missing: 'moderate',
      redirect_temporary: 'moderate',
      images_no_alt: 'moderate',
      title_too_long: 'minor',
      noindex: 'minor',
    })
  })

  test('scores each page by its issues, and the site by its pages', () => {
    const severities = new Map(issues.issues.map(({ code, severity }) => [code, severity]))
    const fetched = new Map(site.truth().map((truth) => [truth.url, truth]))
    const fair = (page: PageRow) => {
      if (page.status_code >= 400) return 0
      if (!fetched.get(page.url)?.isHtml) return null
      const faults = page.issues.filter((code) => !informative.includes(code))
      const count = (severity: string) => faults.filter((code) => severities.get(code) === severity).length
      const [major, moderate, minor] = [15 * count('major'), 5 * count('moderate'), count('minor')]
      return 100 - Math.min(60, major) - Math.min(30, moderate) - Math.min(10, minor)
    }
    for (const page of pages) expect([page.url, page.score]).toEqual([page.url, fair(page)])
    const judged = pages.filter(
      (page) => page.status_code >= 400 || (page.score !== null && page.is_indexable),
    )
    const mean = judged.reduce((sum, page) => sum + (page.score ?? 0), 0) / judged.length
    const left = issues.issues.reduce((product, { code }) => product * (gates[code] ?? 1), 1)
    expect(scan.score).toBe(Math.round(mean * left))
  })

  test('counts what it found', async () => {
    expect(scan).toMatchObject({ pages_processed: pages.length, pages_found: pages.length })
    expect(scan.started_datetime).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    expect(scan.finished_datetime! >= scan.started_datetime!).toBe(true)
    const [snapshot, ...more] = await mario.history(scan.id)
    expect(more).toEqual([])
    const of = (hundreds: number) =>
      pages.filter(({ status_code }) => Math.floor(status_code / 100) === hundreds).length
    expect(snapshot).toMatchObject({
      score: scan.score,
      pages_found: scan.pages_found,
      pages_processed: scan.pages_processed,
      errors_count: scan.errors_count,
      warnings_count: scan.warnings_count,
      status_2xx: of(2),
      status_3xx: of(3),
      status_4xx: of(4),
      status_5xx: of(5),
      started_datetime: scan.started_datetime,
      finished_datetime: scan.finished_datetime,
    })
    expect(snapshot?.duration_seconds).toBeGreaterThanOrEqual(0)
    expect(snapshot?.datetime).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  })

  test('pages come by id, in pages', async () => {
    expect(pages.map(({ id }) => id)).toEqual(pages.map(({ id }) => id).toSorted((a, b) => a - b))
    const reply = await mario.api<PageRow[]>('GET', `/spider/${scan.id}/pages?page=2&per_page=10`)
    expect(reply.meta).toEqual({
      page: 2,
      per_page: 10,
      total_results: pages.length,
      total_pages: Math.ceil(pages.length / 10),
    })
    expect(reply.data).toEqual(pages.slice(10, 20))
  })

  test('pages can be filtered by status and by having issues', async () => {
    const filtered = async (query: string) =>
      (await mario.api<PageRow[]>('GET', `/spider/${scan.id}/pages?per_page=100&${query}`)).data
    expect(await filtered('status=404')).toEqual(pages.filter((page) => page.status_code === 404))
    expect(await filtered('status=301')).toEqual(pages.filter((page) => page.status_code === 301))
    expect(await filtered('status=0')).toEqual([])
    const { meta } = await mario.api('GET', `/spider/${scan.id}/pages?issues=1`)
    expect(meta.total_results).toBe(pages.filter((page) => page.issues.length > 0).length)
    expect(await filtered('issues=yes&status=500')).toEqual(
      pages.filter((page) => page.status_code === 500 && page.issues.length > 0),
    )
  })

  test('pages can be had as CSV', async () => {
    const reply = await mario.api('GET', `/spider/${scan.id}/pages?format=csv&per_page=3`)
    expect(reply.headers.get('content-type')).toMatch(/^text\/csv/)
    expect(reply.headers.get('content-disposition')).toMatch(/^attachment/)
    const rows = readCsv(reply.text)
    expect(Object.keys(rows[0] ?? {})).toEqual(Object.keys(pages[0] ?? {}))
    expect(rows.map(({ url }) => url)).toEqual(pages.map(({ url }) => url))
    rows.forEach((row, index) => {
      const page = pages[index]!
      expect(row['is_indexable']).toBe(page.is_indexable ? '1' : '0')
      expect(JSON.parse(row['issues'] ?? '')).toEqual(page.issues)
      expect(row['score']).toBe(page.score === null ? '' : String(page.score))
      expect(row['title']).toBe(page.title ?? '')
    })
  })

  test('is nobody else’s', async () => {
    for (const path of ['', '/issues', '/pages', '/history', `/compare?to=${scan.id}`])
      expect([path, (await giulia.api('GET', `/spider/${scan.id}${path}`)).status]).toEqual([path, 404])
    for (const [method, path] of [
      ['POST', '/rescan'],
      ['PATCH', ''],
      ['DELETE', ''],
    ] as const)
      expect((await giulia.api(method, `/spider/${scan.id}${path}`, { name: 'mine' })).status).toBe(404)
    expect((await giulia.api('GET', '/spider')).data).toEqual([])
    expect((await mario.scan(scan.id)).name).toBe('The fixture')
  })
})
