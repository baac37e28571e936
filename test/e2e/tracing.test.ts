import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'

import { addJob } from '../../sql/queue.ts'
import { startDataForSeo } from '../fakes/dataforseo.ts'
import { startGraph, star } from '../fakes/graph.ts'
import { bucket, startFauxqs } from '../fakes/s3.ts'
import { clientOf } from '../support/client.ts'
import { makePerson, useDatabase } from '../support/database.ts'
import { createMarks, emptyQueue, marks, queued } from '../support/jobs.ts'
import { useProcesses } from '../support/process.ts'
import { scraperOf } from '../support/scraper.ts'
import { startService } from '../support/service.ts'

type Span = {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  links?: { traceId: string }[]
  attributes: { key: string; value: Record<string, unknown> }[]
}

const database = useDatabase()
const start = useProcesses()
const spans: (Span & { service: string })[] = []
let received = ''

/** What OpenTelemetry sends its traces to. */
const collector = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  received += `${request.url} ${body}\n`
  type Export = { resourceSpans?: { resource: Pick<Span, 'attributes'>; scopeSpans: { spans: Span[] }[] }[] }
  for (const { resource, scopeSpans } of (JSON.parse(body) as Export).resourceSpans ?? [])
    for (const span of scopeSpans.flatMap((scope) => scope.spans))
      spans.push({
        ...span,
        service: String(resource.attributes.find(({ key }) => key === 'service.name')?.value['stringValue']),
      })
  response.setHeader('Content-Type', 'application/json').end('{}')
})

beforeAll(async () => {
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  await createMarks()
})
beforeEach(emptyQueue)
afterAll(() => collector.close())

const environment = () => ({
  DATABASE_URL: database.url,
  HOST: '127.0.0.1',
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
})

const attribute = (span: Span, key: string) =>
  span.attributes.find((each) => each.key === key)?.value['stringValue'] as string | undefined

test('a request is traced by its route, into the job it queues, without secrets', async () => {
  const mario = await makePerson('mario')
  const api = start('api/main.ts', { ...environment(), PORT: '0' })
  await api.says('the API listens')
  const port = /"port":(\d+),"msg":"the API listens"/.exec(api.log())?.[1]
  const origin = `http://127.0.0.1:${port}`
  const posted = await fetch(`${origin}/api/seo/spider?api_key=${mario.key}`, {
    method: 'POST',
    headers: { ...mario.headers, 'Content-Type': 'application/json', 'X-Request-Id': 'traced-1' },
    body: JSON.stringify({ start_url: 'https://example.com/' }),
  })
  expect(await posted.json()).toMatchObject({ data: { status: 'crawling' } })
  const [job] = await queued()
  expect(job).toMatchObject({ task: 'crawl.slice', payload: { _request: 'traced-1' } })
  const carrier = job!.payload['_otel'] as { traceparent: string }
  api.child.kill('SIGTERM')
  expect(await api.exited).toBe(0)

  const server = spans.find(({ service, name }) => service === 'seo-web' && name.startsWith('POST'))!
  expect(carrier.traceparent.split('-')[1]).toBe(server.traceId)
  expect(attribute(server, 'http.route')).toContain('/spider')
  expect(attribute(server, 'url.query')).toMatch(/^api_key=REDACTED$/i)
  expect(spans.some(({ traceId, name }) => traceId === server.traceId && name.startsWith('pg.query'))).toBe(
    true,
  )
  expect(received).not.toContain(mario.key)
  expect(received).not.toMatch(/^\/v1\/(metrics|logs)/m)
})

test('neither traces nor log lines tell the key of a scraper request', async () => {
  const lucia = await makePerson('lucia')
  const api = start('api/main.ts', { ...environment(), PORT: '0' })
  await api.says('the API listens')
  const port = /"port":(\d+),"msg":"the API listens"/.exec(api.log())?.[1]
  const root = `http://127.0.0.1:${port}/api/v1`
  const posted = await fetch(`${root}/scrape?x=1&api_key=${lucia.key}`, {
    method: 'POST',
    body: JSON.stringify({ url: 'https://user:secret@example.com/' }),
  })
  expect(posted.status).toBe(201)
  const refused = await fetch(`${root}/nothing?api_key=${lucia.key}&y=2`)
  expect(refused.status).toBe(404)
  // Any other spelling of the name would be traced, so it is none.
  const spelt = await fetch(`${root}/info?api%5Fkey=${'x'.repeat(40)}`)
  expect(spelt.status).toBe(401)
  api.child.kill('SIGTERM')
  expect(await api.exited).toBe(0)

  const queries = spans.map((span) => attribute(span, 'url.query'))
  expect(queries).toEqual(expect.arrayContaining(['x=1&api_key=REDACTED', 'api_key=REDACTED&y=2']))
  expect(received).not.toContain(lucia.key)
  expect(api.log()).toContain('/api/v1/scrape')
  expect(api.log()).not.toContain(lucia.key)
  expect(received + api.log() + JSON.stringify(await queued())).not.toContain('secret')
})

test('a job goes on with the trace that queued it, and a chained one begins its own', async () => {
  const trace = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
  const carrier = { traceparent: `00-${trace}-bbbbbbbbbbbbbbbb-01` }
  await addJob({ task: 'test.mark', payload: { name: 'traced', _otel: carrier }, attempts: 1, priority: 0 })
  await addJob({ task: 'test.link', payload: { name: 'linked', _otel: carrier }, attempts: 1, priority: 0 })
  const worker = start('test/support/worker.ts', { ...environment(), OTEL_SERVICE_NAME: 'my-worker' })
  await vi.waitFor(
    async () => expect([...(await marks('traced')), ...(await marks('linked'))]).toHaveLength(2),
    20_000,
  )
  worker.child.kill('SIGTERM')
  expect(await worker.exited).toBe(0)

  const mine = spans.filter(({ service }) => service === 'my-worker')
  expect(mine.find(({ name }) => name === 'process test.mark')).toMatchObject({
    traceId: trace,
    parentSpanId: 'bbbbbbbbbbbbbbbb',
  })
  const linked = mine.find(({ name }) => name === 'process test.link')!
  expect(linked.traceId).not.toBe(trace)
  expect(linked.links).toMatchObject([{ traceId: trace }])
  // Looking for jobs is no part of any trace.
  const known = new Set([trace, linked.traceId])
  expect(mine.filter(({ traceId }) => !known.has(traceId))).toEqual([])
})

test('one trace leads from a request that waits for the fleet to the job, its SQL and what it asks the source', async () => {
  const giulia = await makePerson('giulia')
  const source = await startDataForSeo()
  const service = await startService({
    url: database.url,
    env: {
      ...environment(),
      DATAFORSEO_LOGIN: source.login,
      DATAFORSEO_PASSWORD: source.password,
      DATAFORSEO_URL: source.url,
    },
  })
  try {
    const client = clientOf(service.origin, giulia.key)
    const { status } = await client.api('POST', '/keyword-research', { keyword: 'one trace' })
    expect(status).toBe(201)
  } finally {
    await service.stop()
    await source.close()
  }
  const root = spans.find((span) => attribute(span, 'http.route')?.endsWith('/keyword-research'))!
  const mine = spans.filter(({ traceId }) => traceId === root.traceId)
  const job = mine.find(({ name }) => name === 'process keywords.research')!
  expect([root.service, job.service]).toEqual(['seo-web', 'seo-worker'])
  const within = (outer: Span, span: Span): boolean => {
    const parent = mine.find(({ spanId }) => spanId === span.parentSpanId)
    return parent !== undefined && (parent === outer || within(outer, parent))
  }
  expect(within(root, job)).toBe(true)
  const did = mine.filter((span) => within(job, span))
  expect(did.some(({ name }) => name.startsWith('pg.query'))).toBe(true)
  expect(did.some((span) => attribute(span, 'url.full')?.startsWith(source.url))).toBe(true)
  expect(new Set(did.map(({ service: name }) => name))).toEqual(new Set(['seo-worker']))
  expect(received).not.toContain(source.password)
})

test('a mirror is a trace of its own with a link, down to the bucket, and so is what the clock begins', async () => {
  const paola = await makePerson('paola')
  const s3 = await startFauxqs()
  const site = await startGraph(star(3))
  const service = await startService({
    url: database.url,
    clock: true,
    env: {
      ...environment(),
      ...s3.env,
      S3_BUCKET: bucket,
      S3_ENDPOINT: s3.endpoint,
      S3_FORCE_PATH_STYLE: 'true',
    },
  })
  try {
    const scraper = scraperOf(service.origin, paola.key)
    await scraper.ended(await scraper.begin({ url: site.origin }))
    await vi.waitFor(async () => expect(await queued()).toEqual([]), 20_000)
  } finally {
    await service.stop()
    await Promise.all([site.close(), s3.close()])
  }
  const asked = spans.findLast((span) => attribute(span, 'http.route')?.endsWith('/scrape'))!
  const run = spans.find(({ name }) => name === 'process scrape.run')!
  expect(run.traceId).not.toBe(asked.traceId)
  expect(run.links).toMatchObject([{ traceId: asked.traceId }])
  const calls = spans.filter(({ traceId, name }) => traceId === run.traceId && name.startsWith('S3 '))
  expect(calls.map(({ name }) => name)).toContain('S3 PutObjectCommand')

  const fired = spans.find(({ name }) => name === 'fire maintenance.sweep')!
  const sweep = spans.find(({ name }) => name === 'process maintenance.sweep')!
  expect([fired.service, fired.parentSpanId ?? '']).toEqual(['seo-clock', ''])
  expect(sweep.traceId).not.toBe(fired.traceId)
  expect(sweep.links).toMatchObject([{ traceId: fired.traceId }])
})

test('the sites that are fetched learn nothing of it', async () => {
  const headers: object[] = []
  const site = createServer((request, response) => {
    headers.push(request.headers)
    response.end('hello')
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  await addJob({ task: 'test.fetch', payload: { url }, attempts: 1, priority: 0 })
  const worker = start('test/support/worker.ts', environment())
  await vi.waitFor(() => expect(headers).toHaveLength(2), 20_000)
  worker.child.kill('SIGTERM')
  expect(await worker.exited).toBe(0)
  site.close()
  for (const seen of headers) expect(seen).not.toHaveProperty('traceparent')
  expect(spans.map(({ name }) => name)).toContain('process test.fetch')
})

test('the SDK is loaded when there is an endpoint, and only then', async () => {
  const spy = `import { registerHooks } from 'node:module'
    registerHooks({
      resolve(name, context, next) {
        if (name.startsWith('@opentelemetry/sdk')) process.stderr.write('loads ' + name + ' ')
        return next(name, context)
      },
    })`
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(spy)}`
  const runWith = async (env: Record<string, string>) => {
    const { exited, log } = start('test/support/nothing.ts', { NODE_OPTIONS, ...env })
    expect(await exited).toBe(0)
    return log()
  }
  expect(await runWith({ DATABASE_URL: database.url })).not.toContain('loads')
  expect(await runWith({ ...environment(), OTEL_SDK_DISABLED: 'true' })).not.toContain('loads')
  expect(await runWith(environment())).toContain('loads @opentelemetry/sdk-node')
})
