import { Counter, Gauge, Histogram } from 'prom-client'

import { queueDepth } from '../sql/queue.ts'
import { log, registry } from '../telemetry.ts'

const GAUGE_REFRESH_MS = 10_000

const registers = [registry]

export const jobsDone = new Counter({
  name: 'seo_jobs_total',
  help: 'Runs of jobs, by how they ended',
  labelNames: ['task', 'outcome'] as const,
  registers,
})
export const jobDuration = new Histogram({
  name: 'seo_job_duration_seconds',
  help: 'How long runs of jobs took',
  labelNames: ['task'] as const,
  buckets: [0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
  registers,
})
export const jobWait = new Histogram({
  name: 'seo_job_wait_seconds',
  help: 'How long jobs were due before they began',
  labelNames: ['task'] as const,
  buckets: [0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800],
  registers,
})
export const jobsRunning = new Gauge({
  name: 'seo_jobs_running',
  help: 'Jobs running in this process',
  labelNames: ['task'] as const,
  registers,
})
export const lastFetch = new Gauge({
  name: 'seo_worker_pool_last_fetch_timestamp_seconds',
  help: 'When this process last asked for a job',
  labelNames: ['pool'] as const,
  registers,
})

/**
 * Keeps the gauges of the whole queue fresh; one process of the fleet does. In the background, for a scrape must
 * neither wait for the database nor fail with it. Returns what stops it.
 */
export function gaugeQueue(): () => void {
  const depth = new Gauge({
    name: 'seo_queue_jobs',
    help: 'Jobs in the queue, of the whole fleet',
    labelNames: ['task', 'state'] as const,
    registers,
  })
  const oldest = new Gauge({
    name: 'seo_queue_oldest_ready_age_seconds',
    help: 'How long the oldest due job has waited',
    labelNames: ['task'] as const,
    registers,
  })
  const errors = new Counter({
    name: 'seo_queue_gauge_errors_total',
    help: 'Times the queue could not be counted; the gauges kept their last values',
    registers,
  })

  async function refresh() {
    try {
      const counted = await queueDepth()
      depth.reset()
      oldest.reset()
      for (const { task, oldest_ready_age, ...states } of counted) {
        for (const [state, count] of Object.entries(states)) depth.set({ task, state }, count)
        oldest.set({ task }, oldest_ready_age ?? 0)
      }
    } catch (error) {
      errors.inc()
      log.warn({ err: error }, 'the queue could not be counted')
    }
  }

  const timer = setInterval(() => void refresh(), GAUGE_REFRESH_MS)
  void refresh()
  return () => clearInterval(timer)
}
