import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import { Counter, Histogram } from 'prom-client'

import { config } from '../../config.ts'
import { addCost, giveSlot, rest, takeSlot } from '../../sql/upstreams.ts'
import { log, registry } from '../../telemetry.ts'
import { UpstreamFault } from './fault.ts'

/** Between two looks for a free place, milliseconds. */
const WAIT_MS = 250
/** Nobody calls an account that is refused or out of money for this long, seconds. */
const REST_SECONDS = 20
/** How long a call in flight, which is paid for, may go on when its worker stops. */
const GRACE_MS = Math.min(8, config.SHUTDOWN_GRACE_SECONDS / 2) * 1000

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
  /** Whose places these are, when each has their own; such an account is never left alone. */
  owner?: string
  /** Calls in flight at most, of the whole fleet. */
  limit: number
  /** So many of them are kept from bulk work, for who waits for a single call. */
  reserved: number
  /** A place is given back after this long whatever happens. */
  callSeconds: number
  /** Runs of one call, the first included. */
  tries: number
}

/** A job that calls; the same object for all its calls. */
export type Caller = {
  /** Who is charged; null: the service itself. */
  userId: number | null
  /** After it fires nothing is begun, and what is in flight has some seconds more. */
  signal: AbortSignal
  workerId: string
  /** After it fires nothing is begun; what is in flight goes on. */
  over?: AbortSignal
  /** One of very many calls. */
  bulk?: boolean
}

type Work<T> = (signal: AbortSignal, charge: (usd: number) => void) => Promise<T>

/** One call under an account's rules: its place in the fleet, its retries, its cost. `work` books what it costs. */
export async function underAccount<T>(
  account: Account,
  call: string,
  caller: Caller,
  work: Work<T>,
): Promise<T> {
  const waiting = caller.over ? AbortSignal.any([caller.signal, caller.over]) : caller.signal
  for (let run = 1; ; run++) {
    const free = await inLine(caller, () => place(account, caller, waiting))
    try {
      return await inFlight(account, call, caller, free, work)
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error
      if (error.retryAfterMs === undefined || run >= account.tries) throw error
      await sleep(error.retryAfterMs, undefined, { signal: waiting })
    }
  }
}

async function inFlight<T>(
  { name: upstream, owner }: Account,
  call: string,
  { userId, signal }: Caller,
  free: () => Promise<void>,
  work: Work<T>,
): Promise<T> {
  const end = seconds.startTimer({ upstream, call })
  const grace = graceAfter(signal)
  let usd = 0
  let outcome = 'ok'
  try {
    return await work(grace.signal, (cost) => (usd += cost))
  } catch (error) {
    outcome = error instanceof UpstreamFault ? error.kind : 'aborted'
    if (error instanceof UpstreamFault && !owner && (error.kind === 'auth' || error.kind === 'funds'))
      await rest(upstream, error.message, REST_SECONDS)
    throw error
  } finally {
    grace.forget()
    end()
    calls.inc({ upstream, call, outcome })
    costs.inc({ upstream, call }, usd)
    await Promise.all([free(), addCost({ userId, upstream, call, usd })]).catch((error: unknown) =>
      log.warn({ err: error, upstream, call, usd }, 'a call could not be booked'),
    )
  }
}

/** A place for one call; waits for one as long as it takes. Returns what gives it back. */
async function place(
  { name, owner, limit, reserved, callSeconds }: Account,
  { workerId, bulk }: Caller,
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const holder = randomUUID()
  const of = owner ? `${name}: ${owner}` : name
  const places = { limit: bulk ? limit - reserved : limit, seconds: callSeconds }
  for (;;) {
    signal.throwIfAborted()
    const { slot, resting } = await takeSlot(of, { holder, worker: workerId }, places)
    if (slot !== null) return () => giveSlot(of, slot, holder)
    if (resting !== null) throw new UpstreamFault('funds', resting)
    await sleep(WAIT_MS * (0.5 + Math.random()), undefined, { signal })
  }
}

const lines = new WeakMap<Caller, Promise<unknown>>()

/** Only the first of a job's calls looks for a place: one with very many has no better chances than one with few. */
function inLine<T>(caller: Caller, turn: () => Promise<T>): Promise<T> {
  const mine = (lines.get(caller) ?? Promise.resolve()).then(turn, turn)
  lines.set(caller, mine)
  return mine
}

/** Fires some seconds after `signal` does. */
function graceAfter(signal: AbortSignal) {
  const late = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const begin = () => (timer = setTimeout(() => late.abort(signal.reason), GRACE_MS))
  if (signal.aborted) begin()
  else signal.addEventListener('abort', begin, { once: true })
  const forget = () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', begin)
  }
  return { signal: late.signal, forget }
}
