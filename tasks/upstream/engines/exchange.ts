import { Agent, request } from 'undici'

import { config } from '../../../config.ts'
import type { EngineName } from '../answer-engine.ts'
import { soon } from '../dataforseo/faults.ts'
import { UpstreamFault } from '../fault.ts'
import { faultOf } from './faults.ts'

/** Some pages' worth of search results come with an answer. */
const MAX_BYTES = 8 * 2 ** 20
const CONNECTIONS = 16

/** A POST to an engine. */
export type Order = { url: string; headers: Record<string, string>; body: object }

let agent: Agent | undefined

/** The JSON that an engine answers; every failure, also one told with status 200, is an UpstreamFault or the signal's reason. */
export async function exchange(engine: EngineName, order: Order, signal: AbortSignal): Promise<unknown> {
  const { status, headers, text } = await send(engine, order, signal)
  const body = readJson(text)
  const told = (body as { error?: unknown } | null | undefined)?.error
  if (status !== 200 || (told !== undefined && told !== null))
    throw faultOf(engine, { status, headers, body, retryMs: soon() })
  if (body === undefined) throw new UpstreamFault('temporary', `${engine} answers what is not JSON`)
  return body
}

/** The caller's end, or the bound on one analysis. */
export const within = (signal: AbortSignal): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(config.AI_TIMEOUT_SECONDS * 1000)])

async function send(engine: EngineName, { url, headers, body }: Order, signal: AbortSignal) {
  agent ??= new Agent({
    connections: CONNECTIONS,
    maxResponseSize: MAX_BYTES,
    // The signal bounds both.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      dispatcher: agent,
      signal,
    })
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
  } catch (error) {
    if (signal.aborted && (signal.reason as Error).name !== 'TimeoutError') throw signal.reason
    // What was asked and may have been billed is not asked again after such a wait, or for such an answer.
    const isBilled = signal.aborted || (error as { code?: string }).code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
    throw new UpstreamFault('temporary', `${engine} gives no answer`, isBilled ? undefined : soon(), {
      cause: error,
    })
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
