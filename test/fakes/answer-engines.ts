import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

import { type EngineName, engineNames } from '../../tasks/upstream/answer-engine.ts'
import { anthropic } from './answer-engines/anthropic.ts'
import { gemini } from './answer-engines/gemini.ts'
import { openAi } from './answer-engines/openai.ts'
import { perplexity } from './answer-engines/perplexity.ts'
import type { Fault, Json, Scripted } from './answer-engines/script.ts'

export type { Fault, Scripted } from './answer-engines/script.ts'

const HUGE_BYTES = 12 * 2 ** 20
const wires = { openai: openAi, anthropic, gemini, perplexity }

/** One request that was taken for well formed, or for a fault. */
export type Call = {
  engine: EngineName
  kind: 'ask' | 'extract'
  prompt: string
  instructions: string
  body: Json
  headers: Headers
}

export type FakeAnswerEngines = {
  /** Keys and base addresses of all four, as the environment of a process. */
  environment: Record<`${Uppercase<EngineName>}_${'API_KEY' | 'BASE_URL'}`, string>
  /** What is answered to a prompt; a string cites nothing. */
  script: (prompt: string, engine: EngineName) => Scripted | string
  /** The object that is found in data; a string is sent as it is. */
  extraction: (data: string, engine: EngineName, asked: { instructions: string; schema: object }) => unknown
  /** Decides about calls to come; undefined answers as usual. */
  fault: (engine: EngineName, prompt: string) => Fault | undefined
  /** Milliseconds before every answer. */
  latency: number
  calls: Call[]
  inFlightMax: (engine: EngineName) => number
  close: () => Promise<void>
}

/**
 * The four answer engines on one loopback server, each by its own wire protocol and below a path of its own. Strict:
 * keys, required and unknown fields, shapes of tools and of schemas.
 */
export async function startAnswerEngines(): Promise<FakeAnswerEngines> {
  const flying = new Map(engineNames.map((name) => [name, { now: 0, most: 0 }]))
  const server = createServer((request, response) => {
    const engine = engineNames.find((name) => request.url?.startsWith(`/${name}/`))
    const flight = engine && flying.get(engine)
    if (!engine || !flight) return void response.writeHead(404).end()
    flight.most = Math.max(flight.most, ++flight.now)
    response.once('close', () => flight.now--)
    void answer(fake, engine, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fake: FakeAnswerEngines = {
    environment: Object.fromEntries(
      engineNames.flatMap((name) => [
        [`${name.toUpperCase()}_API_KEY`, keyOf(name)],
        [`${name.toUpperCase()}_BASE_URL`, `${root}/${name}/${name === 'gemini' ? 'v1beta' : 'v1'}`],
      ]),
    ) as FakeAnswerEngines['environment'],
    script: (prompt) => `Nothing is known of ${prompt}`,
    extraction: () => ({}),
    fault: () => undefined,
    latency: 0,
    calls: [],
    inFlightMax: (name) => flying.get(name)?.most ?? 0,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
  return fake
}

export const keyOf = (engine: EngineName) => `key-of-${engine}-0123456789`

async function answer(
  fake: FakeAnswerEngines,
  engine: EngineName,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const wire = wires[engine]
  const path = (request.url ?? '').slice(engine.length + 1)
  const headers = new Headers(request.headers as Record<string, string>)
  const body = readJson(await text(request))
  const isAddressed = request.method === 'POST' && wire.path.test(path)
  if (!isAddressed) return send(response, { status: 404, body: { error: { message: `No ${path}` } } })
  const key = wire.keyOf(headers)
  if (key !== keyOf(engine)) return send(response, wire.refuse('bad key', `Incorrect key provided: ${key}`))
  const wrong = body ? wire.wrong(body, headers) : 'The body is not JSON.'
  if (!body || wrong) return send(response, wire.refuse('not understood', wrong ?? ''))

  const asked = wire.asked(body, path)
  const { instructions, schema } = asked
  const prompt = schema
    ? (/<(data-\w+)>\n([^]*)\n<\/\1>/.exec(asked.prompt)?.[2] ?? asked.prompt)
    : asked.prompt
  fake.calls.push({ engine, kind: schema ? 'extract' : 'ask', prompt, instructions, body, headers })
  await sleep(fake.latency)
  const fault = fake.fault(engine, prompt)
  if (fault === 'hang') return
  if (fault === 'reset') return void request.socket.destroy()
  if (fault === 'malformed') return send(response, { status: 200, body: '{"output": [' })
  if (fault === 'huge') return send(response, { status: 200, body: `"${'x'.repeat(HUGE_BYTES)}"` })
  if (fault === 'refused' || fault === 'truncated') {
    const scripted = { parts: [{ text: 'I can' }], ended: fault }
    return send(response, { status: 200, body: wire.answer(scripted, asked, body) })
  }
  if (fault && fault !== 'bare')
    return send(response, wire.refuse(fault, `Refused: ${fault}. Your key is ${key}.`))

  const said = schema
    ? fake.extraction(prompt, engine, { instructions, schema })
    : fake.script(prompt, engine)
  const scripted =
    !schema && typeof said === 'object'
      ? (said as Scripted)
      : { parts: [{ text: typeof said === 'string' ? said : JSON.stringify(said) }] }
  const whole = wire.answer(scripted, asked, body)
  send(response, { status: 200, body: fault === 'bare' ? JSON.stringify(whole, bare) : whole })
}

/** Without what an answer can be understood without. */
const bare = (key: string, value: unknown) =>
  /^(id|object|role|status|error|incomplete_details|model|modelVersion|usage|usageMetadata|annotations|logprobs|citations|stop_\w+|finishReason|groundingMetadata|index)$/.test(
    key,
  )
    ? undefined
    : value

function send(
  response: ServerResponse,
  { status, body, headers }: { status: number; body: object | string; headers?: Record<string, string> },
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

function readJson(sent: string): Json | undefined {
  try {
    return JSON.parse(sent) as Json
  } catch {
    return undefined
  }
}
