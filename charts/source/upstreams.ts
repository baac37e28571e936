import { type Dashboard, figure, graph, hourly, percentiles, rate, stacked } from './panels.ts'

const calls = 'seo_upstream_calls_total'

export const upstreams: Dashboard = {
  name: 'upstreams',
  title: 'Upstreams',
  rows: [
    {
      title: 'Paid sources',
      panels: [
        stacked('Calls', 'reqps', [`sum by (upstream, call) (${rate(calls)})`, '{{upstream}} {{call}}']),
        stacked('Faults', 'reqps', [
          `sum by (upstream, outcome) (${rate(calls, 'outcome!="ok"')})`,
          '{{upstream}} {{outcome}}',
        ]),
        graph('Duration', 's', ...percentiles('seo_upstream_seconds', { by: 'upstream' })),
        stacked('Spend', 'currencyUSD', [
          `sum by (upstream, call) (${hourly('seo_upstream_cost_usd_total')})`,
          '{{upstream}} {{call}}, an hour',
        ]),
        figure('Spend in 24 h', 'currencyUSD', 'sum(increase(seo_upstream_cost_usd_total{}[24h]))'),
      ],
    },
    {
      title: 'Alerts to users',
      panels: [
        stacked('Raised', 'short', [
          `sum by (type) (${hourly('seo_alerts_raised_total')})`,
          '{{type}} an hour',
        ]),
        stacked('Attempts to deliver', 'short', [
          `sum by (kind, outcome) (${hourly('seo_alert_deliveries_total')})`,
          '{{kind}} {{outcome}} an hour',
        ]),
        graph(
          'Time to delivery',
          's',
          ...percentiles('seo_alert_delivery_age_seconds', { by: 'kind', at: [0.95] }),
        ),
      ],
    },
  ],
}
