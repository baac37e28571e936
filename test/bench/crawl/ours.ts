import { clientOf } from '../../support/client.ts'
import { startMeasured } from '../service.ts'

const POLL_MS = 100
const CRAWL_MS = 600_000

type Options = {
  concurrency: number
  maxPages: number
  /** Of PostgreSQL. */
  settings?: Record<string, string>
}

export async function startOurs({ concurrency, maxPages, settings = {} }: Options) {
  const env = { SPIDER_CONCURRENCY: String(concurrency) }
  const service = await startMeasured({ env, maxPages, settings })
  const client = clientOf(service.origin, service.key)

  return {
    /** One crawl: from its creation until it is completed. */
    async crawl(origin: string, more: Record<string, unknown> = {}) {
      const used = service.measure()
      const before = await service.jobSeconds()
      const started = performance.now()
      const body = { start_url: origin, max_pages: maxPages, max_depth: 50, speed: 'turbo', ...more }
      const id = await client.begin(body)
      const scan = await client.ended(id, CRAWL_MS, POLL_MS)
      const seconds = (performance.now() - started) / 1000
      return {
        seconds,
        pages: scan.pages_processed,
        status: scan.status,
        issues: await client.issues(id),
        /** Seconds its jobs ran, by name. */
        jobs: Object.fromEntries(
          Object.entries(await service.jobSeconds()).map(([job, sum]) => [job, sum - (before[job] ?? 0)]),
        ),
        ...used(),
      }
    },
    stop: () => service.stop(),
  }
}
