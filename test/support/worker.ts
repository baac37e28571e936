// A worker process like worker/main.ts, with the tests' jobs.
import { serve } from '../../worker/serve.ts'
import { jobs, runs } from './jobs.ts'

await serve(jobs, runs)
