import { Agent, request } from 'undici'
import type { z } from 'zod'

import { config } from '../../../config.ts'
import { type Account, type Caller, underAccount } from '../account.ts'
import { UpstreamFault } from '../fault.ts'
import { faultOf, soon } from './faults.ts'
import { Envelope, rowsOf } from './wire.ts'

/** The vendor ends a live search, or a live question to a model, after 120 s; all else answers in a few. */
const SEARCH_MS = 130_000
const TIMEOUT_MS = 45_000
/** The list of all locations is about 20 MB. */
const MAX_BYTES = 64 * 2 ** 20

/** 30 calls may be in flight for one account; some are left for other users of it. */
const account: Account = { name: 'dataforseo', limit: 25, reserved: 4, callSeconds: 150, tries: 3 }

let agent: Agent | undefined

/** One task, POSTed live or (without `task`) a list that is read by GET. Returns its results, and tells what it cost. */
export async function call<S extends z.ZodType>(
  path: string,
  task: object | undefined,
  schema: S,
  caller: Caller,
  told: (usd: number) => void = () => {},
): Promise<z.output<S>[]> {
  return await underAccount(account, path, caller, async (signal, charge) => {
    const [only] = await exchange(path, task && [task], signal)
    if (!only) throw new UpstreamFault('temporary', 'an answer without a task', soon())
    charge(only.cost ?? 0)
    told(only.cost ?? 0)
    if (only.status_code !== 20_000) throw faultOf(only.status_code, only.status_message ?? '')
    const results = rowsOf(schema).safeParse(only.result)
    if (results.success) return results.data
    throw new UpstreamFault('temporary', `an answer of ${path} that is not understood`, undefined, {
      cause: results.error,
    })
  })
}

/** Many tasks, POSTed once whatever happens: each is billed. Returns what became of every one. */
export async function post(path: string, tasks: readonly object[], caller: Caller) {
  return await underAccount({ ...account, tries: 1 }, path, caller, async (signal, charge) => {
    const taken = await exchange(path, tasks, signal)
    for (const { cost } of taken) charge(cost ?? 0)
    return taken
  })
}

async function exchange(path: string, tasks: readonly object[] | undefined, signal: AbortSignal) {
  const { status, text } = await send(path, tasks, signal)
  if (status === 401) throw faultOf(40_100, 'the login is refused')
  if (status === 402) throw faultOf(40_200, 'payment is required')
  if (status === 404) throw faultOf(40_400, `${path} does not exist`)
  const envelope = Envelope.safeParse(readJson(text))
  if (!envelope.success)
    throw new UpstreamFault('temporary', `HTTP ${status} without an answer in it`, soon())
  const { status_code: code, status_message: message } = envelope.data
  if (code !== 20_000) throw faultOf(code, message ?? '')
  return envelope.data.tasks
}

async function send(path: string, tasks: readonly object[] | undefined, signal: AbortSignal) {
  agent ??= new Agent({ connections: account.limit, maxResponseSize: MAX_BYTES })
  const timeout = AbortSignal.timeout(timeoutOf(path))
  const credentials = `${config.DATAFORSEO_LOGIN}:${config.DATAFORSEO_PASSWORD}`
  try {
    const { statusCode, body } = await request(`${config.DATAFORSEO_URL.replace(/\/+$/, '')}/${path}`, {
      method: tasks ? 'POST' : 'GET',
      headers: {
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
        accept: 'application/json',
        ...(tasks && { 'content-type': 'application/json' }),
      },
      body: tasks ? JSON.stringify(tasks) : null,
      dispatcher: agent,
      signal: AbortSignal.any([signal, timeout]),
    })
    return { status: statusCode, text: await body.text() }
  } catch (error) {
    // What was asked and may have been billed is not asked again after such a wait.
    const isBilled = timeout.aborted && tasks !== undefined
    throw new UpstreamFault('temporary', 'no answer', isBilled ? undefined : soon(), { cause: error })
  }
}

function timeoutOf(path: string): number {
  if (path.endsWith('llm_responses/live')) return Math.min(SEARCH_MS, config.AI_TIMEOUT_SECONDS * 1000)
  return path.includes('organic/live') ? SEARCH_MS : TIMEOUT_MS
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
