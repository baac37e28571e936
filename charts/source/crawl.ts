import { type Dashboard, graph, hourly, percentiles, rate, stacked } from './panels.ts'

export const crawl: Dashboard = {
  name: 'crawl',
  title: 'Crawl',
  rows: [
    {
      title: 'Pages',
      panels: [
        stacked('Pages by engine', 'ops', [
          `sum by (engine) (${rate('seo_crawl_pages_total')})`,
          '{{engine}}',
        ]),
        stacked('Pages by status', 'ops', [
          `sum by (status_class) (${rate('seo_crawl_pages_total')})`,
          '{{status_class}}',
        ]),
        graph('Time to fetch', 's', ...percentiles('seo_crawl_fetch_seconds', { by: 'engine' })),
        stacked('Bytes', 'Bps', [`sum by (engine) (${rate('seo_crawl_bytes_total')})`, '{{engine}}']),
        stacked('Jobs under way', 'short', [
          'sum by (task) (seo_jobs_running{task=~"crawl[.].*"})',
          '{{task}}',
        ]),
        graph('Jobs of crawls that fail', 'ops', [
          `sum by (task) (${rate('seo_jobs_total', 'task=~"crawl[.].*", outcome=~"error|failed_permanently"')})`,
          '{{task}}',
        ]),
      ],
    },
    {
      title: 'Browser',
      panels: [
        stacked('Pages rendered', 'ops', [
          `sum by (outcome) (${rate('seo_browser_renders_total')})`,
          '{{outcome}}',
        ]),
        graph(
          'Browsers and tabs opened',
          'short',
          [`sum(${hourly('seo_browser_starts_total')})`, 'browsers an hour'],
          [`sum(${hourly('seo_browser_tabs_total')})`, 'tabs an hour'],
        ),
      ],
    },
    {
      title: 'Mirrors',
      panels: [
        stacked(
          'Saved',
          'ops',
          [`sum(${rate('seo_scrape_pages_total')})`, 'pages'],
          [`sum(${rate('seo_scrape_resources_total')})`, 'files'],
          [`sum(${rate('seo_scrape_duplicates_total')})`, 'duplicates'],
          [`sum(${rate('seo_scrape_errors_total')})`, 'failed'],
        ),
        graph(
          'Bytes',
          'Bps',
          [`sum(${rate('seo_scrape_bytes_total')})`, 'received'],
          [`sum(${rate('seo_scrape_archive_bytes_total')})`, 'archived'],
        ),
        stacked('Jobs ended', 'short', [
          `sum by (outcome) (${hourly('seo_scrape_jobs_total')})`,
          '{{outcome}} an hour',
        ]),
      ],
    },
  ],
}
