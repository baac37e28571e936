import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import type { Fleet } from './fleet.ts'
import type { Load } from './load.ts'
import type { Stage } from './stage.ts'
import { judgeAlerts, judgeCalls } from './verdict-outside.ts'
import { judgeScans, judgeScrapes } from './verdict-sites.ts'

/** Of one process: its pool, the queue's, heartbeat, listening. */
const MOST_CONNECTIONS = { web: 5 + 2, worker: 5 + 17 + 2, clock: 5 }
/** This process's own. */
const OWN_CONNECTIONS = 6 + 1

export type Check = { name: string; seen: number; wrong: string[] }

const GivenUp = z.object({ task: z.string(), last_error: z.string().nullable(), is_asked: z.boolean() })
const Count = z.object({ n: z.int() })

/** What has to be true when everything has come to rest. */
export async function judge(stage: Stage, fleet: Fleet, load: Load): Promise<Check[]> {
  return [
    ...(await judgeScans(stage, load)),
    ...(await judgeScrapes(stage, load)),
    ...(await judgeAlerts(stage, load)),
    ...(await judgeCalls(stage)),
    await givenUp(),
    ...(await leftovers()),
    slots(fleet),
    await files(stage, fleet),
    await connections(fleet),
    stops(fleet),
  ]
}

/** Who waits for an answer has been told that there is none, and may ask again; nobody asks again for all else. */
async function givenUp(): Promise<Check> {
  const jobs = await db().any(sql.type(GivenUp)`
    select t.identifier as task, last_error, payload::jsonb ? '_answer' as is_asked
      from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where attempts >= max_attempts`)
  const wrong = jobs.filter(({ is_asked: isAsked }) => !isAsked)
  return {
    name: 'jobs given up that nobody waits for',
    seen: jobs.length,
    wrong: wrong.map(({ task, last_error: error }) => `${task}: ${error}`),
  }
}

/** Rows that should be gone, or should never have been. */
async function leftovers(): Promise<Check[]> {
  const found = await db().one(sql.type(z.record(z.string(), z.int()))`
    select (select count(*) from graphile_worker._private_jobs where locked_at is not null) as "jobs locked",
           (select count(*) from graphile_worker._private_jobs where attempts < max_attempts) as "jobs waiting",
           (select count(*) from crawls where lease is not null or status = 'crawling') as "crawls held",
           (select count(*) from scrape_jobs where lease is not null) as "scrape jobs held",
           (select count(*) from frontier) as "URLs of no crawl under way",
           (select count(*) from pages p where not exists (select from crawls c where c.id = p.crawl_id))
             + (select count(*) from links l where not exists (select from crawls c where c.id = l.crawl_id)) as "pages of no crawl",
           (select count(*) from upstream_slots where until > now()) as "places at the source still taken",
           (select count(*) from deliveries where state = 'waiting') as "deliveries waiting",
           (select count(*) from pg_locks where locktype = 'advisory') as "advisory locks"`)
  return Object.entries(found).map(([name, n]) => ({ name, seen: n, wrong: n > 0 ? [`${n}`] : [] }))
}

/** By the clocks' own logs, as far back as those are kept. */
function slots(fleet: Fleet): Check {
  const lines = fleet
    .everybody()
    .filter(({ kind }) => kind === 'clock')
    .flatMap((clock) => clock.output().split('\n'))
    .filter((line) => line.includes('"msg":"fired"'))
    .map((line) => JSON.parse(line) as { name: string; slot: string })
  const fired = Map.groupBy(lines, ({ name, slot }) => `${name} ${slot}`)
  const wrong = [...fired].filter(([, list]) => list.length > 1).map(([slot]) => slot)
  return { name: 'slots of the clock fired twice', seen: fired.size, wrong }
}

async function files({ dataDir }: Stage, fleet: Fleet): Promise<Check> {
  const list = (...path: string[]) => readdir(join(dataDir, ...path)).catch(() => [] as string[])
  const living = new Set(fleet.living('worker').map((member) => fleet.idOf(member)))
  const homes = await list('scrape')
  const runs = await Promise.all(homes.map((home) => list('scrape', home)))
  const wrong = [...homes.filter((home) => !living.has(home)), ...runs.flat(), ...(await list('archives'))]
  return { name: 'files left', seen: homes.length, wrong }
}

async function connections(fleet: Fleet): Promise<Check> {
  const most = fleet.living().reduce((sum, { kind }) => sum + MOST_CONNECTIONS[kind], OWN_CONNECTIONS)
  const open = await db().oneFirst(sql.type(Count)`
    select count(*) as n from pg_stat_activity where datname = current_database()`)
  const held = await db().oneFirst(sql.type(Count)`
    select count(*) as n from pg_stat_activity
     where datname = current_database() and state like 'idle in transaction%'`)
  const wrong = [
    ...(open > most ? [`${open} are open, ${most} at most may be`] : []),
    ...(held > 0 ? [`${held} hold a transaction`] : []),
  ]
  return { name: 'database connections', seen: open, wrong }
}

function stops(fleet: Fleet): Check {
  const all = fleet.everybody()
  const wrong = all
    .filter((member) => member.output().includes('leaving at once'))
    .map(({ kind, pid }) => `${kind} ${pid}`)
  return { name: 'processes that did not stop in time', seen: all.length, wrong }
}
