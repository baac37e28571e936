import type { EngineName, Usage } from '../answer-engine.ts'
import { engineSettings } from '../configured.ts'
import { exchange, type Order, within } from './exchange.ts'
import { priceOf } from './prices.ts'

/** What one answer of an engine says of itself; `usd` when it says that too. */
export type Receipt = {
  model: string | null
  inputTokens: number
  outputTokens: number
  searches: number
  usd?: number | undefined
}

/** One call: its exchanges with an engine, in one bound of time, each booked as it comes. */
export type Session = {
  post(order: Order): Promise<unknown>
  /** The JSON of every answer so far. */
  readonly bodies: unknown[]
  /** The model that served. */
  readonly model: string
  readonly usage: Usage
}

export function openSession(
  engine: EngineName,
  signal: AbortSignal,
  charge: (usd: number) => void,
  receiptOf: (body: unknown) => Receipt,
): Session {
  const usage = { inputTokens: 0, outputTokens: 0, searches: 0, usd: 0 }
  const session = { bodies: [] as unknown[], model: engineSettings(engine).model, usage, post }
  const bounded = within(signal)

  async function post(order: Order): Promise<unknown> {
    const body = await exchange(engine, order, bounded)
    const receipt = receiptOf(body)
    session.model = receipt.model ?? session.model
    const usd = receipt.usd ?? priceOf(engine, session.model, receipt)
    charge(usd)
    usage.inputTokens += receipt.inputTokens
    usage.outputTokens += receipt.outputTokens
    usage.searches += receipt.searches
    usage.usd += usd
    session.bodies.push(body)
    return body
  }

  return session
}
