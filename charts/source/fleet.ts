import { type Dashboard, figure, graph, hourly, percentiles, rate, stacked } from './panels.ts'

/** The clock's gauges; two clocks, as during an update, tell the same. */
const queue = (state: string, by: string) =>
  `sum by (${by}) (max by (task, pool) (seo_queue_jobs{state="${state}", pool=~"$pool"}))`
/** Processes of this service, in a namespace that may have others. */
const ours = (expression: string) => `${expression} and on (pod, instance) seo_metrics_errors_total{}`
const processes = 'count by (pool) (seo_worker_pool_last_fetch_timestamp_seconds{pool=~"$pool"})'

export const fleet: Dashboard = {
  name: 'fleet',
  title: 'Fleet',
  choices: [{ label: 'pool', metric: 'seo_queue_jobs' }],
  rows: [
    {
      title: 'Now',
      panels: [
        figure('Due', 'short', `sum(max by (task) (seo_queue_jobs{state="ready", pool=~"$pool"}))`),
        figure('Running', 'short', `sum(max by (task) (seo_queue_jobs{state="running", pool=~"$pool"}))`),
        figure('Later', 'short', `sum(max by (task) (seo_queue_jobs{state="scheduled", pool=~"$pool"}))`),
        figure('Given up', 'short', `sum(max by (task) (seo_queue_jobs{state="dead", pool=~"$pool"}))`),
        figure('Oldest due job', 's', 'max(seo_queue_oldest_ready_age_seconds{pool=~"$pool"})'),
        figure(
          'Worker processes',
          'short',
          'count(count by (pod, instance) (seo_worker_pool_last_fetch_timestamp_seconds{pool=~"$pool"}))',
        ),
      ],
    },
    {
      title: 'Queue',
      panels: [
        stacked('Due jobs by pool', 'short', [queue('ready', 'pool'), '{{pool}}']),
        graph('Oldest due job by pool', 's', [
          'max by (pool) (seo_queue_oldest_ready_age_seconds{pool=~"$pool"})',
          '{{pool}}',
        ]),
        stacked('Running jobs by pool', 'short', [queue('running', 'pool'), '{{pool}}']),
        graph('Oldest running job', 's', [
          'max by (task) (seo_queue_oldest_running_age_seconds{pool=~"$pool"}) > 0',
          '{{task}}',
        ]),
      ],
    },
    {
      title: 'Work',
      panels: [
        stacked('Jobs ended', 'ops', [`sum by (task) (${rate('seo_jobs_total')})`, '{{task}}']),
        stacked('Jobs that did not succeed', 'ops', [
          `sum by (task, outcome) (${rate('seo_jobs_total', 'outcome!="success"')})`,
          '{{task}} {{outcome}}',
        ]),
        graph('Wait for a worker', 's', ...percentiles('seo_job_wait_seconds', { by: 'task' })),
        graph('Duration', 's', ...percentiles('seo_job_duration_seconds', { by: 'task' })),
      ],
    },
    {
      title: 'Scaling',
      panels: [
        stacked('Processes by pool', 'short', [processes, '{{pool}}']),
        graph('Jobs due or running for each process', 'short', [
          `sum by (pool) (max by (task, pool, state) (seo_queue_jobs{state=~"ready|running", pool=~"$pool"})) / ${processes}`,
          '{{pool}}',
        ]),
        graph('Since a process last looked for jobs', 's', [
          'time() - min by (pool) (seo_worker_pool_last_fetch_timestamp_seconds{pool=~"$pool"})',
          '{{pool}}',
        ]),
        graph(
          'Workers that died, and their jobs',
          'short',
          [`sum(${hourly('seo_workers_died_total')})`, 'workers an hour'],
          [`sum(${hourly('seo_jobs_freed_total')})`, 'jobs an hour'],
        ),
      ],
    },
    {
      title: 'Processes',
      panels: [
        graph('CPU', 'percentunit', [ours(rate('process_cpu_seconds_total')), '{{pod}} {{instance}}']),
        graph('Memory', 'bytes', [ours('process_resident_memory_bytes{}'), '{{pod}} {{instance}}']),
        graph('Event loop lag, p99', 's', [
          ours('nodejs_eventloop_lag_p99_seconds{}'),
          '{{pod}} {{instance}}',
        ]),
        graph('Metrics that could not be collected', 'short', [
          `sum by (pod, instance) (${hourly('seo_metrics_errors_total')})`,
          '{{pod}} {{instance}}',
        ]),
      ],
    },
  ],
}
