import { type Dashboard, graph, percentiles, rate, stacked } from './panels.ts'

const requests = 'seo_http_request_duration_seconds'

export const api: Dashboard = {
  name: 'api',
  title: 'API',
  choices: [{ label: 'route', metric: `${requests}_count` }],
  rows: [
    {
      title: 'Requests',
      panels: [
        stacked('Answers by status', 'reqps', [
          `sum by (status_class) (${rate(`${requests}_count`, 'route=~"$route"')})`,
          '{{status_class}}',
        ]),
        graph('Answers that are 5xx', 'percentunit', [
          `sum(${rate(`${requests}_count`, 'route=~"$route", status_class="5xx"')}) / sum(${rate(`${requests}_count`, 'route=~"$route"')})`,
          '5xx',
        ]),
        graph('Duration', 's', ...percentiles(requests, { of: 'route=~"$route"', at: [0.5, 0.95, 0.99] })),
        graph('Slowest routes, p95', 's', [
          `topk(10, histogram_quantile(0.95, sum by (le, route, method) (${rate(`${requests}_bucket`, 'route=~"$route"')})))`,
          '{{method}} {{route}}',
        ]),
        stacked('Busiest routes', 'reqps', [
          `topk(10, sum by (route, method) (${rate(`${requests}_count`, 'route=~"$route"')}))`,
          '{{method}} {{route}}',
        ]),
        graph('Refused for their rate (429)', 'reqps', [
          `sum by (limit) (${rate('seo_rate_limited_total')})`,
          '{{limit}}',
        ]),
      ],
    },
    {
      title: 'Requests that wait for workers',
      panels: [
        graph('Wait', 's', ...percentiles('seo_task_await_seconds')),
        stacked('What came of it', 'reqps', [
          `sum by (outcome) (${rate('seo_task_await_seconds_count')})`,
          '{{outcome}}',
        ]),
      ],
    },
  ],
}
