import { Client } from 'pg'

/** A beat that takes longer has failed. */
const BEAT_TIMEOUT_MS = 4000

export type Beating = { id: string; host: string; pools: readonly string[]; poolIds: readonly string[] }

/**
 * A connection for one worker's beats alone: a pool that its own work has emptied must not make it look dead.
 * `beat` resolves to false when the row is gone: the others have given this worker up.
 */
export function heartbeatConnection(url: string) {
  let client: Client | undefined
  let entered = false

  async function connected() {
    if (client) return client
    const fresh = new Client({
      connectionString: url,
      application_name: 'heartbeat',
      keepAlive: true,
      connectionTimeoutMillis: BEAT_TIMEOUT_MS,
      query_timeout: BEAT_TIMEOUT_MS,
    })
    fresh.on('error', () => drop(fresh))
    try {
      await fresh.connect()
    } catch (error) {
      drop(fresh)
      throw error
    }
    return (client = fresh)
  }

  function drop(broken: Client) {
    if (client === broken) client = undefined
    // Not awaited: a connection that hangs would hang its goodbye as well.
    broken.end().catch(() => {})
  }

  async function beat({ id, host, pools, poolIds }: Beating): Promise<boolean> {
    const on = await connected()
    try {
      const { rowCount } = entered
        ? await on.query('update workers set beat_at = now(), pool_ids = $2 where id = $1', [id, poolIds])
        : await on.query(
            `insert into workers (id, host, pools, pool_ids) values ($1, $2, $3, $4)
             on conflict (id) do update set beat_at = now(), pool_ids = excluded.pool_ids`,
            [id, host, pools, poolIds],
          )
      entered = true
      return rowCount === 1
    } catch (error) {
      drop(on)
      throw error
    }
  }

  return { beat, close: () => client && drop(client) }
}
