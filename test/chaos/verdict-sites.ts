import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import { bucket, clientOf } from '../fakes/s3.ts'
import { manifestOf } from '../support/scraper.ts'
import type { Load } from './load.ts'
import type { Stage } from './stage.ts'
import type { Check } from './verdict.ts'

const Scan = z.object({
  id: z.int(),
  start_url: z.string(),
  max_pages: z.int(),
  statuses: z.array(z.string()),
  pages_processed: z.int().nullable(),
  urls: z.array(z.string()),
})

export async function judgeScans({ sites }: Stage, { ledger }: Load): Promise<Check[]> {
  const all = await db().any(sql.type(Scan)`
    select s.id, s.start_url, s.max_pages, c.pages_processed,
           array(select status from crawls where scan_id = s.id order by id) as statuses,
           array(select url from pages where crawl_id = s.shown_crawl_id) as urls
      from scans s left join crawls c on c.id = s.shown_crawl_id`)
  const known = new Set(all.map(({ id }) => id))
  const isExact = ({
    start_url: url,
    max_pages: limit,
    urls,
    pages_processed: processed,
  }: z.output<typeof Scan>) => {
    const { origin, paths } = sites.of(url)!
    const truth = new Set(paths.map((path) => origin + path))
    const expected = Math.min(limit, truth.size)
    return (
      urls.length === expected &&
      processed === expected &&
      new Set(urls).size === expected &&
      urls.every((each) => truth.has(each))
    )
  }
  const name = ({ id }: { id: number }) => `scan ${id}`
  return [
    {
      name: 'scans that were promised are there',
      seen: ledger.scans.size,
      wrong: [...ledger.scans.keys()]
        .filter((id) => known.has(id) === ledger.deletedScans.has(id))
        .map((id) => `scan ${id}`),
    },
    {
      name: 'scans completed, every crawl of them',
      seen: all.length,
      wrong: all
        .filter(({ statuses }) => statuses.some((status) => status !== 'completed'))
        .map((scan) => `${name(scan)}: ${scan.statuses.join()}`),
    },
    {
      name: 'page sets exact',
      seen: all.reduce((sum, { urls }) => sum + urls.length, 0),
      wrong: all.filter((scan) => !isExact(scan)).map((scan) => `${name(scan)}: ${scan.urls.length} pages`),
    },
  ]
}

const Scrape = z.object({
  public_id: z.string(),
  url: z.string(),
  status: z.string(),
  archive: z.string().nullable(),
  depth: z.int(),
})

export async function judgeScrapes({ s3, sites }: Stage, { ledger, scraper }: Load): Promise<Check[]> {
  const all = await db().any(sql.type(Scrape)`
    select public_id, url, status, archive, depth from scrape_jobs`)
  const known = new Set(all.map(({ public_id }) => public_id))
  const client = clientOf(s3)
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
  client.destroy()
  const objects = Contents.map(({ Key = '' }) => Key)
  const owned = new Set(all.map(({ archive }) => archive))
  const uploads = (await (await fetch(`${s3.endpoint}/${bucket}?uploads`)).text()).match(/<Key>[^<]*/g) ?? []
  const inexact: string[] = []
  for (const { public_id: id, url, depth } of all) {
    const { origin, paths } = sites.of(url)!
    const { entries } = manifestOf(await scraper.files(id))
    const pages = entries
      .filter(({ type, status }) => type === 'text/html' && status === 200)
      .map((entry) => entry.url)
    const truth = new Set((depth === 0 ? ['/'] : paths).map((path) => origin + path))
    if (pages.length !== truth.size || !pages.every((page) => truth.has(page)))
      inexact.push(`${id}: ${pages.length} pages`)
  }
  return [
    {
      name: 'scrape jobs that were promised are there',
      seen: ledger.scrapes.size,
      wrong: [...ledger.scrapes].filter((id) => known.has(id) === ledger.deletedScrapes.has(id)),
    },
    {
      name: 'scrape jobs completed',
      seen: all.length,
      wrong: all
        .filter(({ status }) => status !== 'completed')
        .map((job) => `${job.public_id}: ${job.status}`),
    },
    { name: 'archives exact', seen: all.length, wrong: inexact },
    {
      name: 'one object for each archive, no other, no unfinished upload',
      seen: objects.length,
      wrong: [
        ...objects.filter((key) => !owned.has(key)),
        ...[...owned]
          .filter((key) => key !== null && !objects.includes(key))
          .map((key) => `${key} is missing`),
        ...uploads,
      ],
    },
  ]
}
