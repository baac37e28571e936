import { Counter, Histogram } from 'prom-client'

import { registry } from '../../telemetry.ts'

const registers = [registry]

export const alertsRaised = new Counter({
  name: 'seo_alerts_raised_total',
  help: 'Alerts stored',
  labelNames: ['type'] as const,
  registers,
})
export const attemptsMade = new Counter({
  name: 'seo_alert_deliveries_total',
  help: 'Attempts to send messages to channels, by how they ended',
  labelNames: ['kind', 'outcome'] as const,
  registers,
})
export const deliveryAge = new Histogram({
  name: 'seo_alert_delivery_age_seconds',
  help: 'Time from an alert to its delivery',
  labelNames: ['kind'] as const,
  buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200, 28_800, 86_400],
  registers,
})
