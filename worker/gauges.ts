import { Counter, Gauge } from 'prom-client'

import { databaseActivity, limitStatements } from '../sql/activity.ts'
import { db } from '../sql/pool.ts'
import { queueDepth } from '../sql/queue.ts'
import { log, registry } from '../telemetry.ts'

const PAUSE_MS = 10_000
/** What takes longer is given up: watching the database must not burden it. */
const STATEMENT_TIMEOUT_MS = 2000
/** One look ends long before; a process where it has not is stuck. */
const STUCK_MS = 120_000

type States = Omit<Awaited<ReturnType<typeof queueDepth>>[number], 'task'>

const registers = [registry]
const none: States = {
  ready: 0,
  scheduled: 0,
  running: 0,
  dead: 0,
  oldest_ready_age: null,
  oldest_running_age: null,
}

/**
 * Keeps the gauges of the whole queue and its database fresh; one process of the fleet does. In the background, for a
 * scrape must neither wait for the database nor fail with it. Jobs that are named are told of even when there are none.
 */
export function startGauges(pools: readonly { task: string; pool: string }[]) {
  const showQueue = queueGauges(new Map(pools.map(({ task, pool }) => [task, pool])))
  const showDatabase = databaseGauges()
  const errors = counter('seo_observation_errors_total', 'Times queue and database could not be looked at')
  let began = performance.now()
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  async function look() {
    began = performance.now()
    try {
      const [queue, activity] = await db().transaction(async (tx) => {
        await limitStatements(STATEMENT_TIMEOUT_MS, tx)
        return [await queueDepth(tx), await databaseActivity(tx)]
      })
      showQueue(queue)
      showDatabase(activity)
    } catch (error) {
      errors.inc()
      log.warn({ err: error }, 'the queue could not be counted')
    }
    if (!stopped) timer = setTimeout(() => void look(), PAUSE_MS)
  }

  void look()
  return {
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
    /** Why this process is beyond help; undefined while it works. */
    ailment: () => (performance.now() - began > STUCK_MS ? 'the queue is no longer counted' : undefined),
  }
}

function queueGauges(poolOf: ReadonlyMap<string, string>) {
  const depth = gauge('seo_queue_jobs', 'Jobs in the queue, of the whole fleet', ['task', 'pool', 'state'])
  const waiting = gauge('seo_queue_oldest_ready_age_seconds', 'How long the oldest due job has waited', [
    'task',
    'pool',
  ])
  const running = gauge('seo_queue_oldest_running_age_seconds', 'How long the oldest running job has run', [
    'task',
    'pool',
  ])
  return (counted: Awaited<ReturnType<typeof queueDepth>>) => {
    for (const each of [depth, waiting, running]) each.reset()
    const all = new Map<string, States>([...poolOf.keys()].map((task) => [task, none]))
    for (const { task, ...states } of counted) all.set(task, states)
    for (const [task, { oldest_ready_age, oldest_running_age, ...states }] of all) {
      const labels = { task, pool: poolOf.get(task) ?? 'unknown' }
      for (const [state, count] of Object.entries(states)) depth.set({ ...labels, state }, count)
      waiting.set(labels, oldest_ready_age ?? 0)
      running.set(labels, oldest_running_age ?? 0)
    }
  }
}

function databaseGauges() {
  const connections = gauge('seo_database_connections', 'Connections to this database', ['state'])
  const limit = gauge('seo_database_connection_limit', 'Connections that the server takes')
  const oldest = gauge('seo_database_oldest_transaction_seconds', 'Age of the oldest open transaction')
  const size = gauge('seo_database_size_bytes', 'Size of this database')
  const dead = gauge('seo_database_dead_jobs', 'Dead rows of the jobs table, not yet vacuumed')
  const transactions = counter('seo_database_transactions_total', 'Transactions ended', ['outcome'])
  const blocks = counter('seo_database_blocks_total', 'Blocks asked for, and where they were found', [
    'found',
  ])
  return (now: Awaited<ReturnType<typeof databaseActivity>>) => {
    connections.set({ state: 'active' }, now.active)
    connections.set({ state: 'idle' }, now.idle)
    connections.set({ state: 'held' }, now.held)
    limit.set(now.connection_limit)
    oldest.set(now.oldest_transaction)
    size.set(now.size)
    dead.set(now.dead_jobs)
    // PostgreSQL counts these itself.
    transactions.reset()
    transactions.inc({ outcome: 'commit' }, now.commits)
    transactions.inc({ outcome: 'rollback' }, now.rollbacks)
    blocks.reset()
    blocks.inc({ found: 'memory' }, now.blocks_cached)
    blocks.inc({ found: 'disk' }, now.blocks_read)
  }
}

const gauge = (name: string, help: string, labelNames: string[] = []) =>
  new Gauge({ name, help, labelNames, registers })

const counter = (name: string, help: string, labelNames: string[] = []) =>
  new Counter({ name, help, labelNames, registers })
