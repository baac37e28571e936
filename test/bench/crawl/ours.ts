import { clientOf } from '../../support/client.ts'
import { startMeasured } from '../service.ts'

const POLL_MS = 100
const CRAWL_MS = 600_000

export async function startOurs({ concurrency, maxPages }: { concurrency: number; maxPages: number }) {
  const service = await startMeasured({ env: { SPIDER_CONCURRENCY: String(concurrency) }, maxPages })
  const client = clientOf(service.origin, service.key)

  return {
    /** One crawl: from its creation until it is completed. */
    async crawl(origin: string) {
      const used = service.measure()
      const started = performance.now()
      const id = await client.begin({ start_url: origin, max_pages: maxPages, max_depth: 50, speed: 'turbo' })
      const scan = await client.ended(id, CRAWL_MS, POLL_MS)
      const seconds = (performance.now() - started) / 1000
      return {
        seconds,
        pages: scan.pages_processed,
        status: scan.status,
        issues: await client.issues(id),
        ...used(),
      }
    },
    stop: () => service.stop(),
  }
}
