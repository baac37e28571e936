import type { z } from 'zod'

import { config } from '../../../config.ts'
import { type Account, type Caller, underAccount } from '../account.ts'
import type { Answer, AnswerEngine, Citation, EngineName, Extraction } from '../answer-engine.ts'
import { engineSettings } from '../configured.ts'
import { UpstreamFault } from '../fault.ts'
import { distinct, type Page } from './citations.ts'
import { exchange, type Order, within } from './exchange.ts'
import { readObject } from './objects.ts'
import { priceOf } from './prices.ts'
import { asking, fenced } from './prompts.ts'

/** How often an engine that pauses in the middle of an answer is told to go on. */
const MAX_TURNS = 4
const SPARE_SECONDS = 30
/** Characters of a token, where an engine does not count. */
const TOKEN = 4

/** What is asked: with a country, something that the web is searched for; with a schema, an object. */
export type Inquiry = {
  model: string
  instructions: string
  prompt: string
  country?: string
  schema?: object
}

/** What an engine says, in one answer or in several that belong together. */
export type Reading = Pick<Answer, 'text' | 'queries' | 'ended'> & { cited: Citation[]; retrieved: Page[] }

type Said<T> = T | null | undefined
/** What one answer says of itself. */
type Receipt = {
  /** The one that served. */
  model: Said<string>
  inputTokens: Said<number>
  outputTokens: Said<number>
  searches: number
  usd?: Said<number>
}

/** What is an engine's own: its wire protocol. */
export type Vendor = {
  name: EngineName
  /** `path` is below the base address; `bodies` are what it has answered so far, when it has paused. */
  order: (
    inquiry: Inquiry,
    apiKey: string,
    bodies: readonly unknown[],
  ) => Omit<Order, 'url'> & { path: string }
  receiptOf: (body: unknown) => Receipt
  isPaused?: (body: unknown) => boolean
  read: (bodies: readonly unknown[]) => Reading
}

/** An answer engine that speaks a vendor's protocol. */
export function engine(vendor: Vendor): AnswerEngine {
  const { name } = vendor
  const account: Account = {
    name,
    limit: 8,
    reserved: 0,
    callSeconds: config.AI_TIMEOUT_SECONDS + SPARE_SECONDS,
    tries: 3,
  }
  return {
    name,
    ask: (question, caller) =>
      underAccount(account, 'ask', caller, async (signal, charge) => {
        const { prompt, country } = question
        const inquiry = { instructions: asking(question), prompt, country }
        const { reading, model, usage } = await inquire(vendor, inquiry, signal, charge)
        const { text, queries, ended, cited, retrieved } = reading
        if (text.trim() === '' && ended !== 'refused')
          throw new UpstreamFault('empty', `${name} answers nothing`)
        return { engine: name, model, text, ...distinct(cited, retrieved), queries, ended, usage }
      }),
    extract: <T extends z.ZodType>({ schema, ...rest }: Extraction<T>, caller: Caller) =>
      underAccount(account, 'extract', caller, async (signal, charge) => {
        const inquiry = fenced({ schema, ...rest })
        const { reading, model, usage } = await inquire(vendor, inquiry, signal, charge)
        return { value: readObject(name, reading, schema), model, usage }
      }),
  }
}

/** Asks, and books what each exchange costs as it comes. */
async function inquire(
  { name, order, receiptOf, isPaused, read }: Vendor,
  asked: Omit<Inquiry, 'model'>,
  signal: AbortSignal,
  charge: (usd: number) => void,
) {
  const { apiKey = '', baseUrl, model } = engineSettings(name)
  const bounded = within(signal)
  const bodies: unknown[] = []
  const usage = { inputTokens: 0, outputTokens: 0, searches: 0, usd: 0 }
  let served = model
  for (;;) {
    const { path, headers, body: sent } = order({ ...asked, model }, apiKey, bodies)
    const body = await exchange(name, { url: `${baseUrl}/${path}`, headers, body: sent }, bounded)
    const receipt = receiptOf(body)
    const inputTokens = receipt.inputTokens ?? tokensOf(sent)
    const outputTokens = receipt.outputTokens ?? tokensOf(body)
    const { searches } = receipt
    served = receipt.model ?? served
    const usd = receipt.usd ?? priceOf(name, served, { inputTokens, outputTokens, searches })
    charge(usd)
    usage.inputTokens += inputTokens
    usage.outputTokens += outputTokens
    usage.searches += searches
    usage.usd += usd
    bodies.push(body)
    if (bodies.length === MAX_TURNS || !isPaused?.(body)) break
  }
  return { reading: read(bodies), model: served, usage }
}

const tokensOf = (json: unknown) => Math.ceil(JSON.stringify(json).length / TOKEN)
