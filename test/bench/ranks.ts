import { parseArgs } from 'node:util'

import { db, sql } from '../../sql/pool.ts'
import { clientOf } from '../support/client.ts'
import { startMeasured } from './service.ts'
import { machine, table } from './table.ts'

const RUNS = 300
const IN_HAND = 4

/**
 * What one account reads of its projects, keywords and positions, one API process, a few callers at once. Every project
 * has its keywords; positions of 90 days are there for some projects alone, or seeding would take longer than measuring.
 */
export async function benchRanks(given: string[]) {
  const { values } = parseArgs({
    args: given,
    options: {
      projects: { type: 'string', default: '1000' },
      keywords: { type: 'string', default: '1000' },
      tracked: { type: 'string', default: '20' },
    },
  })
  const [projects, keywords, tracked] = [values.projects, values.keywords, values.tracked].map(Number) as [
    number,
    number,
    number,
  ]
  const service = await startMeasured({ seed: (userId) => seed(userId, projects, keywords, tracked) })
  try {
    const client = clientOf(service.origin, service.key)
    const lastPage = (projects * keywords) / 25
    const paths: [string, () => string][] = [
      ['/projects', () => '/projects'],
      ['/projects, far page', () => `/projects?page=${Math.ceil(projects / 25)}`],
      ['/keywords', () => '/keywords'],
      ['/keywords, any page', () => `/keywords?page=${1 + Math.floor(Math.random() * lastPage)}`],
      ['/keywords of a project', () => `/keywords?project_id=${any(projects)}`],
      ['/keywords with a tag', () => '/keywords?tag=rare'],
      ['/keywords/{id}', () => `/keywords/${any(projects * keywords)}`],
      ['/keywords/{id}/history', () => `/keywords/${any(tracked * keywords)}/history`],
      [`/projects/{id}, ${keywords} keywords, 90 days`, () => `/projects/${any(tracked)}`],
    ]
    const rows: (string | number)[][] = []
    for (const [name, path] of paths) rows.push([name, ...(await measure(client, path))])
    process.stdout.write(
      [
        `\nReads of an account with ${projects} projects of ${keywords} keywords, ${tracked} of them with 90 daily positions; ${IN_HAND} callers`,
        machine(),
        '',
        table(['', 'p50 ms', 'p95 ms', 'requests/s'], rows),
        '',
      ].join('\n'),
    )
  } finally {
    await service.stop()
  }
}

const any = (count: number) => 1 + Math.floor(Math.random() * count)

async function measure(client: ReturnType<typeof clientOf>, path: () => string) {
  const times: number[] = []
  const began = performance.now()
  const lane = async () => {
    while (times.length < RUNS) {
      const sent = performance.now()
      const { status, text } = await client.api('GET', path())
      if (status !== 200) throw new Error(`${path()}: ${status} ${text}`)
      times.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: IN_HAND }, lane))
  const seconds = (performance.now() - began) / 1000
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return [at(0.5), at(0.95), times.length / seconds]
}

async function seed(userId: number, projects: number, keywords: number, tracked: number) {
  const run = (statement: ReturnType<typeof sql.fragment>) => db().query(sql.typeAlias('void')`${statement}`)
  await run(sql.fragment`
    insert into projects (user_id, name, domain, location_code, language_code)
    select ${userId}, 'Project ' || n, 'example-' || n || '.com', 2380, 'it' from generate_series(1, ${projects}) n`)
  await run(sql.fragment`
    insert into keywords (project_id, keyword, keyword_key, last_position, last_url, checked_at, tags)
    select p, 'keyword ' || k, 'keyword ' || k, nullif(k % 101, 0), 'https://example.com/' || k, now(),
           case when (p + k) % 1000 = 0 then array['rare'] when k % 10 = 0 then array['common'] else '{}' end
      from generate_series(1, ${projects}) p, generate_series(1, ${keywords}) k order by p, k`)
  await run(sql.fragment`
    insert into rankings (keyword_id, checked_at, position, url)
    select k.id, now() - make_interval(days => d), nullif((k.id * 7 + d * 3) % 101, 0), 'https://example.com/'
      from generate_series(0, 89) d, keywords k where k.project_id <= ${tracked}`)
  await run(sql.fragment`analyze`)
}
