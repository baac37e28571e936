import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

const Activity = z.object({
  active: z.int(),
  idle: z.int(),
  held: z.int(),
  connection_limit: z.int(),
  oldest_transaction: z.number(),
  size: z.int(),
  dead_jobs: z.int(),
  commits: z.int(),
  rollbacks: z.int(),
  blocks_cached: z.int(),
  blocks_read: z.int(),
})

/**
 * What this database is busy with: its connections, for how many seconds the oldest transaction has been open, its
 * bytes, the dead rows of the jobs table, and counters since its statistics were reset. Sees the transactions of other
 * roles with `pg_read_all_stats` only. A transaction that is held open makes every look for jobs slower.
 */
export async function databaseActivity(on: Executor = db()) {
  return await on.one(sql.type(Activity)`
    with connections as (
      select count(*) filter (where state = 'active') as active,
             count(*) filter (where state like 'idle in transaction%') as held,
             count(*) filter (where state is distinct from 'active' and state not like 'idle in transaction%') as idle,
             coalesce(extract(epoch from clock_timestamp() - min(xact_start)), 0)::float8 as oldest_transaction
        from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
    )
    select connections.*, current_setting('max_connections')::int as connection_limit,
           pg_database_size(d.datid) as size,
           coalesce((select n_dead_tup from pg_stat_all_tables
                      where relid = to_regclass('graphile_worker._private_jobs')), 0) as dead_jobs,
           d.xact_commit as commits, d.xact_rollback as rollbacks, d.blks_hit as blocks_cached, d.blks_read as blocks_read
      from connections, pg_stat_database d where d.datname = current_database()`)
}

/** What takes longer is given up, for the rest of this transaction. */
export async function limitStatements(milliseconds: number, on: Executor) {
  await on.query(sql.type(z.unknown())`select set_config('statement_timeout', ${String(milliseconds)}, true)`)
}
