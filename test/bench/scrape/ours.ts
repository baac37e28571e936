import { setTimeout as sleep } from 'node:timers/promises'

import { startMeasured } from '../service.ts'

const POLL_MS = 50
const JOB_MS = 900_000

type Job = {
  status: string
  error?: string
  result: { zip_size: number } | null
  stats: { pages_downloaded: number; resources_downloaded: number; bytes_downloaded: number }
}

export async function startOurs({ concurrency }: { concurrency: number }) {
  const service = await startMeasured({ env: { SCRAPER_CONCURRENCY: String(concurrency) }, maxPages: 10_000 })
  const call = async <T>(path: string, body?: object): Promise<T> => {
    const answer = await fetch(`${service.origin}/api/v1${path}`, {
      headers: { 'x-api-key': service.key, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    const { success, message, data } = (await answer.json()) as { success: boolean; message: string; data: T }
    if (!success) throw new Error(`${path}: ${message}`)
    return data
  }

  return {
    /** One job: from its creation until its archive can be had. */
    async scrape(url: string) {
      const used = service.measure()
      const started = performance.now()
      const { job_id } = await call<{ job_id: string }>('/scrape', { url, depth: 5, max_pages: 10_000 })
      for (;;) {
        const job = await call<Job>(`/jobs/${job_id}`)
        const seconds = (performance.now() - started) / 1000
        if (job.status === 'completed')
          return {
            seconds,
            pages: job.stats.pages_downloaded,
            zipBytes: job.result?.zip_size ?? 0,
            ...used(),
          }
        if (job.status === 'failed' || seconds * 1000 > JOB_MS)
          throw new Error(`the job is ${job.status}: ${job.error}`)
        await sleep(POLL_MS)
      }
    },
    stop: () => service.stop(),
  }
}
