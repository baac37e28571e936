import { randomBytes } from 'node:crypto'

import { z } from 'zod'

import { publicUrl } from '../../config.ts'
import { Problem } from '../../problem.ts'
import { db, type Executor } from '../../sql/pool.ts'
import * as jobs from '../../sql/scrape-jobs.ts'
import { enqueue, settled } from '../../tasks/jobs.ts'
import { created, endpoint } from '../endpoint.ts'
import { webAddress } from '../web-address.ts'
import { Job, jobExample, shown } from './job.ts'

/** How long a synchronous request waits for the end of its job. */
const WAIT_SECONDS = 300
const ID_BYTES = 8

const Started = z
  .object({
    job_id: z.string(),
    status: z.literal('pending'),
    status_url: z.string().describe('Where to follow the job.'),
    message: z.string(),
  })
  .meta({ id: 'ScrapeStarted' })
const Ended = Job.extend({ job_id: z.string() }).meta({ id: 'ScrapeEnded' })

const startUrl = z
  .string()
  .transform((given, context) => {
    const url = webAddress(given.trim())
    if (url) return url
    context.addIssue({ code: 'custom', message: 'must be an http or https URL of at most 2048 characters' })
    return z.NEVER
  })
  .meta({ override: { type: 'string', format: 'uri', maxLength: 2048 }, description: 'URL to scrape.' })

const Order = z
  .object({
    url: startUrl,
    depth: z.int().min(0).max(5).default(2).describe('How many links deep to follow.'),
    max_pages: z.int().min(1).max(10_000).default(100),
    html_only: z.boolean().default(false).describe('Save pages alone.'),
    async: z
      .boolean()
      .default(true)
      .describe(`False: answer when the job has ended, after ${WAIT_SECONDS} s at most.`),
    filters: jobs.Filters.optional(),
  })
  .meta({
    example: { url: 'https://example.com/', depth: 2, max_pages: 50, filters: { presets: ['no_tracking'] } },
  })

export const scrape = endpoint({
  method: 'post',
  path: '/scrape',
  summary: 'Start a scrape job',
  body: Order,
  reply: created(z.union([Ended, Started]), started(jobExample.id)),
  problems: ['invalid'],
  location: ({ job_id: id }) => `/jobs/${id}`,
  async handle({ body, user }) {
    const id = `job_${Math.floor(Date.now() / 1000)}_${randomBytes(ID_BYTES).toString('hex')}`
    const start = (on: Executor, answer: string | null) =>
      startJob({ ...body, id, user: user.id, answer }, on)
    if (body.async) {
      await db().transaction((on) => start(on, null))
      return started(id)
    }
    if (!(await settled(WAIT_SECONDS, start))) return started(id)
    const job = await jobs.find(user.id, id)
    // Somebody deleted it meanwhile.
    if (!job) throw new Problem('not_found')
    return { ...shown(job), job_id: id }
  },
})

type Order = z.output<typeof Order> & { id: string; user: number; answer: string | null }

/** A job and what makes a worker begin it exist together or not at all. */
async function startJob(
  { id, user, url, depth, max_pages, html_only, filters, answer }: Order,
  on: Executor,
) {
  const job = await jobs.create(
    {
      publicId: id,
      userId: user,
      url: url.href,
      host: url.hostname,
      depth,
      maxPages: max_pages,
      htmlOnly: html_only,
      filters: filters ?? {},
      answer,
    },
    on,
  )
  await enqueue('scrape.run', { job }, { on, key: `scrape:${job}` })
}

function started(id: string) {
  return {
    job_id: id,
    status: 'pending' as const,
    status_url: `${publicUrl}/api/v1/jobs/${id}`,
    message: 'The job is queued; follow it at status_url.',
  }
}
