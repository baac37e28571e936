import { publishChecks } from '../sql/checks.ts'
import { closeBrowser } from '../tasks/browser.ts'
import { registry } from '../tasks/crawl/checks/index.ts'
import { closeHttp } from '../tasks/http.ts'
import { runs } from '../tasks/index.ts'
import { jobs } from '../tasks/jobs.ts'
import { serve } from './serve.ts'

await serve(jobs, runs, {
  prepare: () => publishChecks(registry),
  close: () => Promise.all([closeBrowser(), closeHttp()]),
})
