import { type Dashboard, graph, hourly, rate, stacked } from './panels.ts'

export const database: Dashboard = {
  name: 'database',
  title: 'Database',
  rows: [
    {
      title: 'As the clock sees it',
      panels: [
        stacked('Connections', 'short', ['max by (state) (seo_database_connections{})', '{{state}}']),
        graph('Connections taken of those there are', 'percentunit', [
          'sum(max by (state) (seo_database_connections{})) / max(seo_database_connection_limit{})',
          'taken',
        ]),
        graph('Oldest open transaction', 's', ['max(seo_database_oldest_transaction_seconds{})', 'age']),
        graph('Dead rows of the jobs table', 'short', ['max(seo_database_dead_jobs{})', 'rows']),
        stacked('Transactions', 'ops', [
          `max by (outcome) (${rate('seo_database_transactions_total')})`,
          '{{outcome}}',
        ]),
        graph('Blocks found in memory', 'percentunit', [
          `max(${rate('seo_database_blocks_total', 'found="memory"')}) / sum(max by (found) (${rate('seo_database_blocks_total')}))`,
          'hits',
        ]),
        graph('Size', 'bytes', ['max(seo_database_size_bytes{})', 'size']),
        graph('Looks that failed', 'short', [`sum(${hourly('seo_observation_errors_total')})`, 'an hour']),
      ],
    },
  ],
}
