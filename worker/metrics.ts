import { Counter, Gauge, Histogram } from 'prom-client'

import { registry } from '../telemetry.ts'

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

export const workersDied = new Counter({
  name: 'seo_workers_died_total',
  help: 'Workers that stopped beating, as this process found out',
  registers,
})
export const jobsFreed = new Counter({
  name: 'seo_jobs_freed_total',
  help: 'Jobs of dead workers given to the living by this process',
  registers,
})
