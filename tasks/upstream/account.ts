import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import { Counter, Histogram } from 'prom-client'

import { addCost, giveSlot, rest, takeSlot } from '../../sql/upstreams.ts'
import { log, registry } from '../../telemetry.ts'
import { UpstreamFault } from './fault.ts'

/** Between two looks for a free place, milliseconds. */
const WAIT_MS = 250
/** Nobody calls an account that is refused or out of money for this long, seconds. */
const REST_SECONDS = 20

const calls = new Counter({
  name: 'seo_upstream_calls_total',
  help: 'Calls to paid sources, by outcome',
  labelNames: ['upstream', 'call', 'outcome'],
  registers: [registry],
})
const seconds = new Histogram({
  name: 'seo_upstream_seconds',
  help: 'Duration of calls to paid sources',
  labelNames: ['upstream', 'call'],
  buckets: [0.1, 0.3, 1, 3, 10, 30, 100],
  registers: [registry],
})
const costs = new Counter({
  name: 'seo_upstream_cost_usd_total',
  help: 'What calls to paid sources cost, US dollars',
  labelNames: ['upstream', 'call'],
  registers: [registry],
})

export type Account = {
  name: string
  /** Calls in flight at most, of the whole fleet. */
  limit: number
  /** A place is given back after this long whatever happens. */
  callSeconds: number
  /** Runs of one call, the first included. */
  tries: number
}

export type Caller = {
  /** Who is charged; null: the service itself. */
  userId: number | null
  signal: AbortSignal
}

/** One call under an account's rules: its place in the fleet, its retries, its cost. `work` books what it costs. */
export async function underAccount<T>(
  account: Account,
  call: string,
  { userId, signal }: Caller,
  work: (signal: AbortSignal, charge: (usd: number) => void) => Promise<T>,
): Promise<T> {
  for (let run = 1; ; run++) {
    try {
      return await once(account, call, { userId, signal }, work)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof UpstreamFault)) throw error
      if (error.kind === 'auth' || error.kind === 'funds')
        await rest(account.name, error.message, REST_SECONDS)
      if (error.retryAfterMs === undefined || run >= account.tries) throw error
      await sleep(error.retryAfterMs, undefined, { signal })
    }
  }
}

async function once<T>(
  account: Account,
  call: string,
  { userId, signal }: Caller,
  work: (signal: AbortSignal, charge: (usd: number) => void) => Promise<T>,
): Promise<T> {
  const upstream = account.name
  const slot = await place(account, signal)
  const end = seconds.startTimer({ upstream, call })
  let usd = 0
  let outcome = 'ok'
  try {
    return await work(signal, (cost) => (usd += cost))
  } catch (error) {
    outcome = error instanceof UpstreamFault ? error.kind : 'aborted'
    throw error
  } finally {
    end()
    calls.inc({ upstream, call, outcome })
    costs.inc({ upstream, call }, usd)
    await Promise.all([slot.give(), addCost({ userId, upstream, call, usd })]).catch((error: unknown) =>
      log.warn({ err: error, upstream, call, usd }, 'a call could not be booked'),
    )
  }
}

/** A place for one call; waits for one as long as it takes. */
async function place({ name, limit, callSeconds }: Account, signal: AbortSignal) {
  const holder = randomUUID()
  for (;;) {
    const { slot, resting } = await takeSlot(name, holder, { limit, seconds: callSeconds })
    if (slot !== null) return { give: () => giveSlot(name, slot, holder) }
    if (resting !== null) throw new UpstreamFault('funds', resting)
    await sleep(WAIT_MS * (0.5 + Math.random()), undefined, { signal })
  }
}
