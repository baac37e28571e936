import { z } from 'zod'

import * as jobs from '../../sql/scrape-jobs.ts'

/** A job as every answer shows it. */
export const Job = jobs.ScrapeJob.pick({ id: true, url: true, status: true })
  .extend({
    created_at: z.int().describe('Unix seconds, as all times.'),
    started_at: z.int().nullable(),
    completed_at: z.int().nullable().describe('When it ended, also if it failed.'),
    duration: z.int().nullable().describe('Seconds from start to end.'),
    result: z
      .object({
        zip_file: z.string().describe('Name of the archive.'),
        zip_size: z.int().describe('Its bytes.'),
      })
      .nullable()
      .describe('Null until it has completed.'),
    stats: jobs.Stats,
    truncated: z
      .boolean()
      .nullable()
      .describe('A bound on the bytes of one job was met: something is missing.'),
    error: z.string().optional().describe('Why it failed; only when it did.'),
  })
  .meta({ id: 'ScrapeJob' })

export const jobExample: z.output<typeof Job> = {
  id: 'job_1782898200_5f2c9b1e7a3d4c60',
  url: 'https://example.com/',
  status: 'completed',
  created_at: 1782898200,
  started_at: 1782898201,
  completed_at: 1782898213,
  duration: 12,
  result: { zip_file: 'job_1782898200_5f2c9b1e7a3d4c60.zip', zip_size: 1830412 },
  stats: {
    pages_downloaded: 42,
    resources_downloaded: 118,
    bytes_downloaded: 4127730,
    duplicates_skipped: 3,
    errors: 1,
  },
  truncated: false,
}

/** A stored job in the shape of an answer. */
export function shown({ zip_file, zip_size, failure, ...job }: z.output<typeof jobs.ScrapeJob>) {
  return {
    ...job,
    result: zip_file !== null && zip_size !== null ? { zip_file, zip_size } : null,
    stats: job,
    error: job.status === 'failed' ? (failure ?? '') : undefined,
  }
}

/** What every endpoint below one job begins with; absent, malformed or somebody else's is 404. */
export const oneJob = {
  params: z.object({
    id: z
      .string()
      .regex(/^job_\d{1,20}_[0-9a-f]{1,64}$/)
      .describe('Id of the job.'),
  }),
  find: ({ id, user }: { id: string; user: { id: number } }) => jobs.find(user.id, id),
}
