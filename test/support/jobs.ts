import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

import { request } from 'undici'
import { z } from 'zod'

import { Problem } from '../../problem.ts'
import { db, sql } from '../../sql/pool.ts'
import type { Runs } from '../../tasks/index.ts'
import { GiveUp, Later } from '../../tasks/outcome.ts'
import { type Jobs, queueOf } from '../../tasks/queue.ts'

/** Jobs that do nothing but show what the queue does with them. */
export const jobs = {
  /** Leaves a mark. */
  'test.mark': { pool: 'interactive', payload: z.object({ name: z.string() }), attempts: 3, priority: 0 },
  /** Leaves a mark, in a trace of its own. */
  'test.link': {
    pool: 'interactive',
    payload: z.object({ name: z.string() }),
    attempts: 3,
    priority: 0,
    chained: true,
  },
  /** Fetches an address by both of Node's ways. */
  'test.fetch': { pool: 'interactive', payload: z.object({ url: z.string() }), attempts: 1, priority: 0 },
  /** Leaves a mark and stays; a polite one leaves when it is told to. */
  'test.hold': {
    pool: 'crawl',
    payload: z.object({ name: z.string(), seconds: z.number(), polite: z.boolean() }),
    attempts: 1,
    priority: 0,
  },
  /** Leaves a mark and ends as it is told. */
  'test.end': {
    pool: 'interactive',
    payload: z.object({
      name: z.string(),
      how: z.enum(['throw', 'throw too late', 'give up', 'later', 'once later', 'overrun']),
    }),
    attempts: 2,
    priority: 0,
    deadlineSeconds: 0.2,
  },
  /** Answers, or fails in a known or unknown way. */
  'test.echo': {
    pool: 'interactive',
    payload: z.object({ word: z.string(), fail: z.enum(['problem', 'error', 'never']).optional() }),
    attempts: 1,
    priority: -10,
    answer: z.object({ word: z.string() }),
  },
} as const satisfies Jobs

export const { enqueue, enqueueAll, ask } = queueOf(jobs)

export const runs: Runs<typeof jobs> = {
  'test.mark': ({ name }) => leaveMark(name),
  'test.link': ({ name }) => leaveMark(name),
  async 'test.fetch'({ url }) {
    await (await request(url)).body.dump()
    get(url).end()
  },
  async 'test.hold'({ name, seconds, polite }, { signal }) {
    await leaveMark(name)
    await sleep(seconds * 1000, undefined, polite ? { signal } : {})
  },
  async 'test.end'({ name, how }, { signal }) {
    await leaveMark(name)
    if (how === 'throw') throw new Error('thrown')
    if (how === 'throw too late') {
      await enqueue('test.hold', { name: 'heir', seconds: 0, polite: true }, { key: name, runAt: tomorrow() })
      throw new Error('thrown')
    }
    if (how === 'give up') throw new GiveUp('hopeless')
    if (how === 'later') throw new Later(3600)
    if (how === 'once later' && (await marks(name)).length === 1) throw new Later(1)
    if (how === 'overrun') await sleep(60_000, undefined, { signal })
  },
  async 'test.echo'({ word, fail }) {
    await leaveMark(`echo ${word}`)
    if (fail === 'problem') throw new Problem('quota', { seconds: 7 })
    if (fail === 'error') throw new Error('broken')
    if (fail === 'never') await sleep(60_000)
    return { word }
  },
}

const tomorrow = () => new Date(Date.now() + 86_400_000)

export async function createMarks() {
  await db().query(sql.typeAlias('void')`
    create table if not exists marks (name text, pid int, at timestamptz default clock_timestamp())`)
}

async function leaveMark(name: string) {
  await db().query(sql.typeAlias('void')`insert into marks (name, pid) values (${name}, ${process.pid})`)
}

/** Process ids of who left marks of this name, in order. */
export async function marks(name: string) {
  return await db().anyFirst(
    sql.type(z.object({ pid: z.int() }))`select pid from marks where name = ${name} order by at`,
  )
}

const Row = z.object({
  id: z.string(),
  task: z.string(),
  key: z.string().nullable(),
  attempts: z.int(),
  max_attempts: z.int(),
  locked: z.boolean(),
  last_error: z.string().nullable(),
  wait: z.number(),
  payload: z.record(z.string(), z.unknown()),
})

/** All that is in the queue; `wait` in seconds. */
export async function queued() {
  return await db().any(sql.type(Row)`
    select j.id::text, t.identifier as task, key, attempts, max_attempts, locked_at is not null as locked, last_error,
           extract(epoch from run_at - now())::float8 as wait, payload
      from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id order by j.id`)
}

export async function emptyQueue() {
  await db().query(sql.typeAlias('void')`delete from graphile_worker._private_jobs`)
}
