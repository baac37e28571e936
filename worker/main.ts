import { config } from '../config.ts'
import { publishChecks } from '../sql/checks.ts'
import { closeBrowser } from '../tasks/browser.ts'
import { registry } from '../tasks/crawl/checks/index.ts'
import { closeHttp } from '../tasks/http.ts'
import { runs } from '../tasks/index.ts'
import { isGoogleConfigured, jobs } from '../tasks/jobs.ts'
import { log } from '../telemetry.ts'
import { serve } from './serve.ts'

const secretive = config.WORKER_POOLS.find(
  (pool) => pool === 'alerts' || (pool === 'interactive' && isGoogleConfigured()),
)
if (secretive && !config.SECRET_KEY) {
  log.fatal(`SECRET_KEY: is required by the pool ${secretive}`)
  process.exit(1)
}

await serve(jobs, runs, {
  prepare: () => publishChecks(registry),
  close: () => Promise.all([closeBrowser(), closeHttp()]),
})
