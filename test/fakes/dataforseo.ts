import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

import type { EngineName } from '../../tasks/upstream/answer-engine.ts'
import type { Scripted } from './answer-engines/script.ts'
import { languages, locations } from './dataforseo/catalogue.ts'
import { answers, models } from './dataforseo/llm-responses.ts'
import { type Queue, startQueue } from './dataforseo/queue.ts'
import { live, type Refusal, results } from './dataforseo/results.ts'

type Task = Record<string, unknown>

/** What happens to one call instead of its answer. */
export type Fault = { status?: number; code?: number; body?: string; hang?: true; reset?: true }

export type FakeDataForSeo = {
  /** Its root, ending in `/v3`. */
  url: string
  login: string
  password: string
  /** Where a domain stands for a keyword: 0 for an answer without results, absent for the generated results alone. */
  ranks: Map<string, { domain: string; position: number }>
  /** Every call with its only task, in the order of arrival. */
  calls: { path: string; task: Task }[]
  inFlightMax: () => number
  /** Decides about calls to come; undefined answers as usual. */
  fault: (path: string, task: Task) => Fault | undefined
  queue: Queue
  /** What an engine answers to a prompt. */
  script: (prompt: string, engine: EngineName) => Scripted | string
  latency: number
  close: () => Promise<void>
}

/**
 * DataForSEO v3 as its documents describe it: Basic authentication, arrays of tasks, two levels of status codes, unknown
 * fields and wrong types refused. Every call costs.
 */
export async function startDataForSeo(): Promise<FakeDataForSeo> {
  let [inFlight, inFlightMax] = [0, 0]
  const server = createServer((request, response) => {
    inFlight++
    inFlightMax = Math.max(inFlightMax, inFlight)
    response.once('close', () => inFlight--)
    void answer(fake, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const fake: FakeDataForSeo = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3`,
    login: 'login@example.test',
    password: 'secret-of-the-api',
    ranks: new Map(),
    calls: [],
    inFlightMax: () => inFlightMax,
    fault: () => undefined,
    queue: startQueue((task) => live(task, fake)),
    script: (prompt) => `Nothing is known of ${prompt}`,
    latency: 0,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
  return fake
}

async function answer(fake: FakeDataForSeo, request: IncomingMessage, response: ServerResponse) {
  const path = (request.url ?? '').replace(/^\/v3\//, '')
  const sent = await text(request)
  const login = Buffer.from(`${fake.login}:${fake.password}`).toString('base64')
  if (request.headers.authorization !== `Basic ${login}`) {
    response.setHeader('WWW-Authenticate', 'Basic realm="DataForSEO REST API"')
    return send(response, 401, envelope(40100, 'You are not authorized to access this resource.', null))
  }
  const tasks = request.method === 'POST' ? readJson(sent) : [{}]
  if (path.endsWith('/task_post') && Array.isArray(tasks)) {
    fake.calls.push(...(tasks as Task[]).map((task) => ({ path, task })))
    const fault = fake.fault(path, tasks[0] as Task)
    if (fault?.status) return send(response, fault.status, envelope(fault.status * 100, 'Refused.', null))
    const taken = tasks.map((task: Task) =>
      fault?.code
        ? { id: randomUUID(), status_code: fault.code, status_message: 'Injected.', data: task, result: null }
        : fake.queue.post(task),
    )
    // The questions are taken, but nobody is told.
    if (fault?.reset) return void request.socket.destroy()
    return send(response, 200, envelope(20000, 'Ok.', taken))
  }
  if (!Array.isArray(tasks))
    return send(response, 200, envelope(40503, 'POST data has invalid format.', null))
  const task = (tasks[0] ?? {}) as Task
  fake.calls.push({ path, task })
  await sleep(fake.latency)

  const fault = fake.fault(path, task)
  if (fault?.hang) return
  if (fault?.reset) return void request.socket.destroy()
  if (fault?.body !== undefined) return send(response, fault.status ?? 200, fault.body)
  if (fault?.status) return send(response, fault.status, envelope(fault.status * 100, 'Refused.', null))
  const outcome =
    fault?.code !== undefined
      ? { code: fault.code, message: 'Injected.' }
      : tasks.length === 1
        ? resultsOf(fake, request.method ?? '', path, task)
        : { code: 40000, message: 'You can set only one task at a time.' }
  const done = 'code' in outcome ? outcome : { code: 20000, message: 'Ok.' }
  send(
    response,
    200,
    envelope(20000, 'Ok.', [
      {
        id: randomUUID(),
        status_code: done.code,
        status_message: done.message,
        time: '0.1 sec.',
        cost: request.method === 'POST' ? 0.002 : 0,
        result_count: 'code' in outcome ? 0 : outcome.result.length,
        path: ['v3', ...path.split('/')],
        data: { ...task },
        result: 'code' in outcome ? null : outcome.result,
      },
    ]),
  )
}

function resultsOf(
  fake: FakeDataForSeo,
  method: string,
  path: string,
  task: Task,
): Refusal | { result: unknown[] } {
  if (method === 'GET') {
    const [, country] = /^serp\/google\/locations(?:\/(\w\w))?$/.exec(path) ?? []
    if (path.startsWith('serp/google/locations'))
      return { result: locations.filter((row) => !country || row.country_iso_code === country.toUpperCase()) }
    if (path === 'serp/google/languages') return { result: languages }
    if (path === 'serp/google/organic/tasks_ready') return { result: fake.queue.ready() }
    const [, id] = /^serp\/google\/organic\/task_get\/advanced\/([\w-]+)$/.exec(path) ?? []
    if (id) return fake.queue.get(id)
    const [, engine] = /^ai_optimization\/(\w+)\/llm_responses\/models$/.exec(path) ?? []
    if (engine) return { result: models(engine) }
  }
  const make = method === 'POST' ? (results[path] ?? answers[path]) : undefined
  return make ? make(task, fake) : { code: 40400, message: 'Not Found.' }
}

function envelope(code: number, message: string, tasks: unknown[] | null) {
  return {
    version: '0.1.20260717',
    status_code: code,
    status_message: message,
    time: '0.2 sec.',
    cost: 0.002,
    tasks_count: tasks?.length ?? 0,
    tasks_error: 0,
    tasks,
  }
}

function send(response: ServerResponse, status: number, body: string | object) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

function readJson(sent: string): unknown {
  try {
    return JSON.parse(sent)
  } catch {
    return undefined
  }
}
