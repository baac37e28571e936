import type { generateText, LanguageModel, ModelMessage, ToolSet } from 'ai'
import type { z } from 'zod'

import { config } from '../../../config.ts'
import { type Account, underAccount } from '../account.ts'
import type { Answer, AnswerEngine, Citation, EngineName } from '../answer-engine.ts'
import { engineSettings } from '../configured.ts'
import { soon } from '../dataforseo/faults.ts'
import { UpstreamFault } from '../fault.ts'
import { distinct, type pageAt } from './citations.ts'
import { insistOnWhole } from './objects.ts'
import { asking, fenced } from './prompts.ts'
import { openSession, type Receipt, type Session } from './session.ts'

/** What is thought counts as well. */
const MAX_OUTPUT_TOKENS = 8000
/** How often an engine that pauses in the middle of an answer is told to go on. */
const MAX_TURNS = 4
const SPARE_SECONDS = 30

type Result = Awaited<ReturnType<typeof generateText>>
type Options = NonNullable<Parameters<typeof generateText>[0]['providerOptions']>
export type Part = Result['content'][number]
type Access = { apiKey: string; baseURL: string; fetch: typeof globalThis.fetch }

/** What is an engine's own about a library of the AI SDK. */
export type Vendor = {
  name: EngineName
  /** Models that think at length unless they are told not to: an analysis asks much in little time. */
  thinks: RegExp
  load(): Promise<
    (
      access: Access,
      model: string,
    ) => { model: LanguageModel; search: (country: string) => ToolSet; options: Options }
  >
  receiptOf: (body: unknown) => Receipt
  read(
    parts: Part[],
    text: string,
    bodies: unknown[],
  ): {
    cited: Citation[]
    retrieved: NonNullable<ReturnType<typeof pageAt>>[]
    queries: string[]
  }
}

/** Places and rests of an engine's account; a timeout may have been billed, and is not tried again. */
export const accountOf = (name: EngineName): Account => ({
  name,
  limit: 8,
  reserved: 0,
  callSeconds: config.AI_TIMEOUT_SECONDS + SPARE_SECONDS,
  tries: 3,
})

/** An answer engine through the AI SDK, which builds the requests and reads the answers; all else is ours. */
export function engine(vendor: Vendor): AnswerEngine {
  const { name } = vendor
  const account = accountOf(name)
  return {
    name,
    ask: (question, caller) =>
      underAccount(account, 'ask', caller, async (signal, charge) => {
        const session = openSession(name, signal, charge, vendor.receiptOf)
        const { generate, search, options } = await open(vendor, session)
        const tools = search(question.country)
        const parts: Part[] = []
        const messages: ModelMessage[] = [{ role: 'user', content: question.prompt }]
        let result: Result
        for (let turn = 1; ; turn++) {
          result = await understood(name, () =>
            generate({ ...options, instructions: asking(question), messages, tools }),
          )
          parts.push(...result.content)
          if (result.rawFinishReason !== 'pause_turn' || turn === MAX_TURNS) break
          messages.push(...result.responseMessages)
        }
        const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
        const ended = endOf(result)
        if (text.trim() === '' && ended !== 'refused')
          throw new UpstreamFault('empty', `${name} answers nothing`)
        const { cited, retrieved, queries } = vendor.read(parts, text, session.bodies)
        const { model, usage } = session
        return { engine: name, model, text, ...distinct(cited, retrieved), queries, ended, usage }
      }),
    extract: ({ schema, instructions, data }, caller) =>
      underAccount(account, 'extract', caller, async (signal, charge) => {
        const session = openSession(name, signal, charge, vendor.receiptOf)
        const { generate, options, Output } = await open(vendor, session)
        const result = await understood(name, () =>
          generate({ ...options, ...fenced({ instructions, data }), output: Output.object({ schema }) }),
        )
        insistOnWhole(name, endOf(result))
        const value = await understood(name, () => result.output as z.output<typeof schema>)
        return { value, model: session.model, usage: session.usage }
      }),
  }
}

async function open(vendor: Vendor, session: Session) {
  globalThis.AI_SDK_LOG_WARNINGS = false
  const [{ generateText: generate, Output }, create] = await Promise.all([import('ai'), vendor.load()])
  const { apiKey = '', baseUrl, model: id } = engineSettings(vendor.name)
  const fetch: Access['fetch'] = async (url, init) => {
    const headers = Object.fromEntries(new Headers(init?.headers))
    const order = { url: url as string, headers, body: init?.body as string }
    return Response.json(await session.post(order))
  }
  const { model, search, options: providerOptions } = create({ apiKey, baseURL: baseUrl, fetch }, id)
  const options = {
    model,
    providerOptions,
    maxRetries: 0,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    ...(vendor.thinks.test(id) && { reasoning: 'low' as const }),
  }
  return { generate, Output, search, options }
}

/** What the library says of an answer that it cannot read: the engine may do better the next time. */
async function understood<T>(name: EngineName, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    const { name: kind, cause } = error as Error
    // It wraps our own, when the network is at fault.
    if (cause instanceof UpstreamFault) throw cause
    if (!kind.startsWith('AI_')) throw error
    insistOnWhole(name, endOf(error as Partial<Result>))
    // Not as a cause: it carries the whole exchange, too much for a log.
    throw new UpstreamFault('temporary', `${name} answers what is not understood`, soon())
  }
}

function endOf({ finishReason, rawFinishReason }: Partial<Result>): Answer['ended'] {
  if (finishReason === 'content-filter') return 'refused'
  return finishReason === 'length' || rawFinishReason === 'pause_turn' ? 'truncated' : 'whole'
}
