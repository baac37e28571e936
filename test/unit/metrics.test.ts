import { Gauge } from 'prom-client'
import { expect, test, vi } from 'vitest'

import { exposition, registry } from '../../telemetry.ts'

test('a metric that cannot be collected is left out, and counted', async () => {
  const collect = vi.fn<() => Promise<void>>().mockRejectedValue(new Error('no'))
  const name = 'seo_test_broken'
  void new Gauge({ name, help: 'breaks', registers: [registry], collect })
  try {
    expect(await exposition()).not.toContain(name)
    const text = await exposition()
    expect(text).toMatch(/^seo_metrics_errors_total [12]$/m)
    expect(text.endsWith('\n')).toBe(true)
    collect.mockResolvedValue()
    expect(await exposition()).toContain(`${name} 0`)
  } finally {
    registry.removeSingleMetric(name)
  }
})
