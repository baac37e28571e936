import { trace } from '@opentelemetry/api'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { guard } from '../../tasks/address.ts'
import { guardedAgent } from '../../tasks/agent.ts'
import { fetchOnce } from '../../tasks/http.ts'
import { type Hostile, startHostile } from '../fakes/hostile.ts'

const nowhere = {
  onStart() {},
  onEnd() {},
  async forceFlush() {},
  async shutdown() {},
}
const sdk = new NodeSDK({
  autoDetectResources: false,
  spanProcessors: [nowhere],
  metricReaders: [],
  logRecordProcessors: [],
  instrumentations: [new UndiciInstrumentation()],
})
const through = guardedAgent(guard({ privateNetworks: true }))
let hostile: Hostile

beforeAll(async () => {
  sdk.start()
  hostile = await startHostile()
})
afterAll(async () => {
  await through.destroy()
  await hostile.close()
  await sdk.shutdown()
})

test('a fetched site is told nothing of our traces', async () => {
  await trace.getTracer('test').startActiveSpan('work', async (span) => {
    // What the instrumentation does to any other request.
    const { body } = await request(`${hostile.url}/ok?traced`, { dispatcher: through })
    await body.dump()
    await fetchOnce(new URL('/ok?fetched', hostile.url), { through })
    span.end()
  })
  expect(hostile.headers.get('/ok?traced')).toHaveProperty('traceparent')
  expect(hostile.headers.get('/ok?fetched')).not.toHaveProperty('traceparent')
})
