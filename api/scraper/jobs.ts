import { resolve } from 'node:path'

import { z } from 'zod'

import { config } from '../../config.ts'
import { Problem } from '../../problem.ts'
import { db } from '../../sql/pool.ts'
import * as jobs from '../../sql/scrape-jobs.ts'
import { ask, enqueue } from '../../tasks/jobs.ts'
import { archive, endpoint, item } from '../endpoint.ts'
import { exactQuery } from '../fields.ts'
import { Job, jobExample, oneJob, shown } from './job.ts'

const MAX_LIMIT = 1000
const MAX_URL_LENGTH = 2048
const LINK_SECONDS = 15
/** A worker notices a deletion within a second; until then it may write. */
const NOTICED_MS = 10_000

const directory = resolve(config.DATA_DIR, 'archives')

const JobList = z.object({
  jobs: z.array(Job).describe('Newest first.'),
  count: z.int().describe('Jobs that match, on all pages.'),
  limit: z.int(),
  offset: z.int(),
})

const list = endpoint({
  method: 'get',
  path: '/jobs',
  summary: 'List scrape jobs',
  query: z.object({
    limit: exactQuery(1, MAX_LIMIT, 100),
    offset: exactQuery(0, Number.MAX_SAFE_INTEGER, 0),
    status: z.enum(jobs.statuses).optional(),
    url: z
      .string()
      .max(MAX_URL_LENGTH)
      .optional()
      .describe('Part of the URL, in any case; `*` is any run of characters.'),
  }),
  reply: item(JobList, { jobs: [jobExample], count: 1, limit: 100, offset: 0 }),
  problems: ['invalid'],
  async handle({ query: { limit, offset, status, url }, user }) {
    const found = await jobs.list(user.id, { status: status ?? null, url: url ?? null, limit, offset })
    return { jobs: found.jobs.map(shown), count: found.count, limit, offset }
  },
})

const read = endpoint({
  method: 'get',
  path: '/jobs/:id',
  summary: 'Read a scrape job',
  params: oneJob.params,
  reply: item(Job, jobExample),
  find: oneJob.find,
  handle: async ({ record }) => shown(record),
})

const remove = endpoint({
  method: 'delete',
  path: '/jobs/:id',
  summary: 'Delete a scrape job',
  description:
    'With its archive, and it leaves the statistics. A job that is pending or running is cancelled.',
  params: oneJob.params,
  reply: item(z.object({ job_id: z.string() }), { job_id: jobExample.id }),
  async handle({ id, user }) {
    const removed = await db().transaction(async (on) => {
      const job = await jobs.remove(user.id, id, on)
      const runAt = job?.held ? new Date(Date.now() + NOTICED_MS) : undefined
      if (job?.archive) await enqueue('scrape.remove', { archive: job.archive }, { on, runAt })
      return job
    })
    if (!removed) throw new Problem('not_found')
    return { job_id: id }
  },
})

const download = endpoint({
  method: 'get',
  path: '/jobs/:id/download',
  summary: 'Download the archive of a scrape job',
  description: 'The ZIP file, or 302 to where it is. Until the job has completed it is 404.',
  params: oneJob.params,
  reply: archive,
  problems: ['range'],
  find: oneJob.find,
  async handle({ record: { zip_file: name } }) {
    if (name === null) throw new Problem('not_found')
    if (!config.S3_BUCKET) return { directory, name }
    const { url } = await ask('scrape.link', { archive: name }, { within: LINK_SECONDS })
    return { location: url }
  },
})

export const jobEndpoints = [list, read, remove, download]
