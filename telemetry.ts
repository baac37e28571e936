import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer, type Server } from 'node:http'
import { register } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'

import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import pino from 'pino'
import { collectDefaultMetrics, Counter, Registry } from 'prom-client'

import { config, host } from './config.ts'

const TRACE_FLUSH_MS = 3000

const requests = new AsyncLocalStorage<string>()

/** JSON lines on stderr; pretty on a terminal. stdout belongs to results. */
export const log = pino(
  {
    level: config.LOG_LEVEL,
    base: null,
    mixin: () => (requests.getStore() ? { request: requests.getStore() } : {}),
  },
  process.stderr.isTTY
    ? pino.transport({ target: 'pino-pretty', options: { destination: 2 } })
    : pino.destination({ dest: 2, sync: true }),
)

/** Every metric of this process. */
export const registry = new Registry()

/** Id of the HTTP request that all this is done for, also when a worker does it. */
export const requestId = (): string | undefined => requests.getStore()

/** Runs something on behalf of a request: log lines and queued jobs tell its id. */
export const forRequest = <T>(id: string | undefined, work: () => T): T =>
  id ? requests.run(id, work) : work()

/** The current trace, for a job's payload; undefined when nothing is traced. */
export function traceCarrier(): Record<string, string> | undefined {
  const carrier: Record<string, string> = {}
  propagation.inject(context.active(), carrier)
  return carrier['traceparent'] ? carrier : undefined
}

/**
 * Runs a job in a span. It continues the trace of who queued it; a chained job begins its own, with a link, for
 * otherwise one trace would last as long as the chain.
 */
export async function inJobSpan<T>(
  job: { name: string; id: string; carrier: Record<string, string> | undefined; chained: boolean },
  work: () => Promise<T>,
): Promise<T> {
  const origin = job.carrier ? propagation.extract(ROOT_CONTEXT, job.carrier) : ROOT_CONTEXT
  const from = trace.getSpanContext(origin)
  const options = {
    kind: SpanKind.CONSUMER,
    attributes: {
      'messaging.system': 'graphile_worker',
      'messaging.operation.type': 'process',
      'messaging.destination.name': job.name,
      'messaging.message.id': job.id,
    },
    links: job.chained && from ? [{ context: from }] : [],
  }
  return await inSpan(`process ${job.name}`, options, work, job.chained ? ROOT_CONTEXT : origin)
}

/** Runs something in a span of its own, which ends with it. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: () => Promise<T>,
  parent: Context = context.active(),
): Promise<T> {
  return await trace.getTracer('seo-suite').startActiveSpan(name, options, parent, async (span) => {
    try {
      return await work()
    } catch (error) {
      span.recordException(error as Error)
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

const services: Record<string, string> = {
  'api/main.ts': 'seo-web',
  'worker/main.ts': 'seo-worker',
  'worker/clock.ts': 'seo-clock',
}

/**
 * Starts OpenTelemetry when it is configured. A preload (`node --import ./telemetry.ts`): express, http and pg are
 * patched as they load, so this must come before them. When off, none of it is even imported.
 */
async function startTracing() {
  if (!config.OTEL_EXPORTER_OTLP_ENDPOINT || config.OTEL_SDK_DISABLED) return undefined
  // Only express needs the loader hook; without it its spans, and so http.route, are missing.
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url)
  const [
    { NodeSDK },
    { HttpInstrumentation },
    { ExpressInstrumentation },
    { PgInstrumentation },
    { UndiciInstrumentation },
  ] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/instrumentation-http'),
    import('@opentelemetry/instrumentation-express'),
    import('@opentelemetry/instrumentation-pg'),
    import('@opentelemetry/instrumentation-undici'),
  ])
  const script = (process.argv[1] ?? '').split('/').slice(-2).join('/')
  const sdk = new NodeSDK({
    serviceName: config.OTEL_SERVICE_NAME ?? services[script] ?? 'seo-suite',
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [
      new HttpInstrumentation({
        // Requests of our own go through undici or the S3 client; the browser's proxy must not tell sites our trace.
        disableOutgoingRequestInstrumentation: true,
        ignoreIncomingRequestHook: ({ url }) => /^\/(livez|readyz|metrics)/.test(url ?? ''),
        redactedQueryParamsServer: ['api_key', 'code', 'state', 'token'],
      }),
      new ExpressInstrumentation(),
      new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true }),
      // Ignored requests carry no traceparent: what we crawl must not learn it.
      new UndiciInstrumentation({
        requireParentforSpans: true,
        ignoreRequestHook: ({ origin }) => !upstreams.has(origin),
      }),
    ],
  })
  sdk.start()
  return sdk
}

/** The only hosts that may learn of our traces. */
const upstreams = new Set(
  Object.entries(config)
    .filter(
      ([name, value]) =>
        /^(DATAFORSEO|SEARXNG|GOOGLE|OPENAI|ANTHROPIC|GEMINI|PERPLEXITY)_.*URL$/.test(name) && value,
    )
    .map(([, value]) => new URL(String(value)).origin),
)

const tracing = await startTracing()

/** Sends what is left of the traces; gives up after 3 s. */
export async function stopTracing(): Promise<void> {
  if (!tracing) return
  const late = sleep(TRACE_FLUSH_MS, undefined, { ref: false })
  await Promise.race([tracing.shutdown(), late]).catch((error: unknown) =>
    log.warn({ err: error }, 'traces could not be sent'),
  )
}

const lostMetrics = new Counter({
  name: 'seo_metrics_errors_total',
  help: 'Metrics that could not be collected, and were left out',
  registers: [registry],
})

/** Every metric that can be collected: `registry.metrics()` gives none when one of them throws. */
export async function exposition(): Promise<string> {
  const metrics = registry.getMetricsAsArray().map(({ name }) => registry.getSingleMetricAsString(name))
  const texts = await Promise.all(
    metrics.map((text) =>
      text.catch((error: unknown) => {
        lostMetrics.inc()
        log.warn({ err: error }, 'a metric could not be collected')
        return ''
      }),
    ),
  )
  return `${texts.filter(Boolean).join('\n\n')}\n`
}

/** Why something is not alive or not ready; undefined when it is. */
export type Probe = () => Promise<string | undefined>

/**
 * Serves `/metrics`, `/livez` and `/readyz` on a port of their own; 0 is off. A port in use is told and lived without:
 * the work itself does not need it.
 */
export function serveMetrics(
  port: number,
  { live, ready }: { live: Probe; ready: Probe },
): Server | undefined {
  if (port === 0) return undefined
  collectDefaultMetrics({ register: registry })
  const probes: Record<string, Probe> = { '/livez': live, '/readyz': ready }
  async function answer(path: string): Promise<[status: number, type: string, body: string]> {
    if (path === '/metrics') return [200, registry.contentType, await exposition()]
    const probe = probes[path]
    if (!probe) return [404, 'text/plain', 'not found']
    const reason = await probe()
    const body = reason ? { status: 'unavailable', reason } : { status: 'ok' }
    return [reason ? 503 : 200, 'application/json', JSON.stringify(body)]
  }
  const server = createServer(async ({ url = '' }, response) => {
    const [status, type, body] = await answer(url.split('?')[0] ?? '').catch((error: unknown) => {
      log.error({ err: error }, 'a metrics request failed')
      return [500, 'text/plain', 'failed'] as const
    })
    response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body)
  })
  server.on('error', (error) => log.warn({ err: error, port }, 'no metrics are served'))
  server.listen(port, host)
  server.unref()
  return server
}
