import { randomUUID } from 'node:crypto'

import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'

import { scraper } from '../../api/scraper/index.ts'
import { giveAnswer, refuseAnswer } from '../../sql/answers.ts'
import * as jobs from '../../sql/scrape-jobs.ts'
import * as runs from '../../sql/scrape-runs.ts'
import { closeAnswers } from '../../tasks/jobs.ts'
import { useApi } from '../support/api.ts'
import { makePerson, type Person, useDatabase } from '../support/database.ts'
import { emptyQueue, queued } from '../support/jobs.ts'

vi.hoisted(() => vi.stubEnv('S3_BUCKET', 'archives'))

const soon = { timeout: 10_000, interval: 20 }
const id = 'job_1_a'

useDatabase()
const api = useApi(scraper)
let mario: Person

beforeAll(async () => {
  mario = await makePerson('mario')
  const job = await jobs.create({
    publicId: id,
    userId: mario.id,
    url: 'http://site.test/',
    host: 'site.test',
    depth: 2,
    maxPages: 100,
    htmlOnly: false,
    filters: {},
    answer: null,
  })
  const lease = randomUUID()
  await runs.take(job, lease, randomUUID())
  const stats = {
    pages_downloaded: 1,
    resources_downloaded: 0,
    bytes_downloaded: 1,
    duplicates_skipped: 0,
    errors: 0,
  }
  await runs.complete(job, lease, { stats, zipSize: 9, truncated: false, cms: null })
})
beforeEach(emptyQueue)
afterAll(closeAnswers)

/** The answer that the API waits for from a worker. */
const asked = () =>
  vi.waitFor(async () => {
    const [job] = await queued()
    expect(job).toMatchObject({ task: 'scrape.link', payload: { archive: `${id}.zip` } })
    return String(job!.payload['_answer'])
  }, soon)

test.each(['GET', 'HEAD'])('%s leads to an address that a worker signs', async (method) => {
  const answered = api.call(method, `/jobs/${id}/download`, { as: mario })
  const url =
    'https://bucket.test/archives/job_1_a.zip?X-Amz-Signature=a%2Fb&response-content-disposition=x%3D%221%22'
  await giveAnswer(await asked(), { url })
  const { status, headers } = await answered
  expect(status).toBe(302)
  expect(headers.get('location')).toBe(url)
})

test('a bucket that is away is a fault of ours', async () => {
  const answered = api.get(`/jobs/${id}/download`, { as: mario })
  await refuseAnswer(await asked(), { key: 'upstream_failed', params: {} })
  const { status, body } = await answered
  expect(status).toBe(500)
  expect(body.error.error).toBe('INTERNAL_ERROR')
})
