import { clientOf } from '../../support/client.ts'
import { startService } from '../../support/service.ts'
import { startDatabase } from '../database.ts'
import { meter } from '../meter.ts'

const POLL_MS = 100
const CRAWL_MS = 600_000

/** The service as it is run: PostgreSQL, one API process, one worker. */
export async function startOurs({ concurrency, maxPages }: { concurrency: number; maxPages: number }) {
  const database = await startDatabase({ maxPages })
  const env = { SPIDER_CONCURRENCY: String(concurrency), DATABASE_POOL_SIZE: '10', LOG_LEVEL: 'error' }
  const service = await startService({ url: database.url, env })
  const client = clientOf(service.origin, database.key)
  const pidOf = (kind: string) => service.members.find((member) => member.kind === kind)?.pid ?? 0

  return {
    /** One crawl: from its creation until it is completed. */
    async crawl(origin: string) {
      const meters = {
        worker: meter(pidOf('worker')),
        api: meter(pidOf('web')),
        postgres: meter(database.pid),
      }
      const started = performance.now()
      const id = await client.begin({ start_url: origin, max_pages: maxPages, max_depth: 50, speed: 'turbo' })
      const scan = await client.ended(id, CRAWL_MS, POLL_MS)
      const seconds = (performance.now() - started) / 1000
      return {
        seconds,
        pages: scan.pages_processed,
        status: scan.status,
        issues: await client.issues(id),
        worker: meters.worker.read(),
        api: meters.api.read(),
        postgres: meters.postgres.read(),
      }
    },
    async stop() {
      await service.stop()
      await database.stop()
    },
  }
}
