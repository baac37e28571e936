import { Client } from 'pg'

import { log } from '../telemetry.ts'

const RETRY_MS = [50, 100, 250, 500, 1000, 2000] as const

/**
 * One connection that listens on one channel for the whole process, and comes back by itself. What was notified while
 * it was away is lost, so `onReady` runs after every connection: look for yourself. Close it to let the process end.
 */
export function listen(
  url: string,
  channel: string,
  { onNotification, onReady }: { onNotification: (payload: string) => void; onReady: () => void },
) {
  let client: Client | undefined
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  let closed = false
  void connect()

  async function connect() {
    const fresh = new Client({
      connectionString: url,
      application_name: `listen ${channel}`,
      keepAlive: true,
      connectionTimeoutMillis: 5000,
    })
    client = fresh
    fresh.on('error', (error) => lost(fresh, error))
    fresh.on('end', () => lost(fresh))
    fresh.on('notification', ({ payload }) => onNotification(payload ?? ''))
    try {
      await fresh.connect()
      await fresh.query(`listen ${fresh.escapeIdentifier(channel)}`)
      failures = 0
      onReady()
    } catch (error) {
      lost(fresh, error)
    }
  }

  function lost(broken: Client, error?: unknown) {
    if (closed || client !== broken) return
    client = undefined
    broken.end().catch(() => {})
    const delay = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]
    log.warn({ err: error, channel, retry_ms: delay }, 'listening connection lost')
    timer = setTimeout(() => void connect(), delay)
  }

  return {
    async close() {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
