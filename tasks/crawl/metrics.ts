import { Counter, Histogram } from 'prom-client'

import type { NewPage } from '../../sql/pages.ts'
import { registry } from '../../telemetry.ts'

const registers = [registry]
const pagesCrawled = new Counter({
  name: 'seo_crawl_pages_total',
  help: 'Pages crawled and stored',
  labelNames: ['engine', 'status_class'] as const,
  registers,
})
const bytesFetched = new Counter({
  name: 'seo_crawl_bytes_total',
  help: 'Bytes of decoded pages',
  labelNames: ['engine'] as const,
  registers,
})
const fetchSeconds = new Histogram({
  name: 'seo_crawl_fetch_seconds',
  help: 'How long pages took, from the request to the last byte',
  labelNames: ['engine'] as const,
  buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
  registers,
})

/** Counts pages once they are stored. */
export function countPages(pages: readonly NewPage[]): void {
  for (const { rendered, statusCode, bytes, totalMs } of pages) {
    const engine = rendered ? 'browser' : 'http'
    const status_class = statusCode === 0 ? 'failed' : `${Math.floor(statusCode / 100)}xx`
    pagesCrawled.inc({ engine, status_class })
    bytesFetched.inc({ engine }, bytes)
    if (totalMs !== null) fetchSeconds.observe({ engine }, totalMs / 1000)
  }
}
