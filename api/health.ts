import { Router } from 'express'

import { workersBeat } from '../sql/readiness.ts'
import { log, type Probe } from '../telemetry.ts'
import { localsOf } from './exchange.ts'

/** Ready once requests and jobs are served: not while draining, with the database away, or without a worker. */
export const readiness =
  (draining: () => boolean): Probe =>
  async () => {
    if (draining()) return 'shutting down'
    try {
      return (await workersBeat()) ? undefined : 'no worker is running'
    } catch (error) {
      log.debug({ err: error }, 'not ready')
      return 'the database does not answer'
    }
  }

/** `/livez` and `/readyz`: 200, or 503 with the reason. */
export function health(ready: Probe): Router {
  const router = Router()
  const probes = { '/livez': async () => undefined, '/readyz': ready } satisfies Record<string, Probe>
  for (const [path, probe] of Object.entries(probes))
    router.get(path, async (_request, response) => {
      localsOf(response).route = path
      const reason = await probe()
      response.set('Cache-Control', 'no-store')
      response.status(reason ? 503 : 200).json(reason ? { status: 'unavailable', reason } : { status: 'ok' })
    })
  return router
}
