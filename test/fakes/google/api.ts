import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

export type Call = {
  method: string
  path: string
  query: URLSearchParams
  body: Record<string, unknown>
  token: string
}

/** What happens to one call instead of its answer; `cut`: half of its answer comes, as if it were all. */
export type Fault = {
  status?: number
  body?: string | object
  headers?: Record<string, string>
  hang?: true
  reset?: true
  cut?: true
}

export type FakeApi = {
  /** Its origin. */
  url: string
  /** What a token may do; null: it is wrong, or has expired. */
  scopesOf: (token: string) => readonly string[] | null
  /** Every call, in the order of arrival, those that were refused too. */
  calls: Call[]
  inFlight: () => number
  inFlightMax: () => number
  /** Decides about calls to come; undefined answers as usual. */
  fault: (call: Call) => Fault | undefined
  latency: number
  close: () => Promise<void>
}

type Reason = { reason: string; domain?: string; info?: string }

/** A refusal in the envelope of Google's APIs. */
export class Refusal extends Error {
  readonly status: number
  readonly body: object

  constructor(status: number, word: string, message: string, { reason, domain, info }: Partial<Reason> = {}) {
    super(message)
    this.status = status
    const errors = reason && { errors: [{ message, domain: domain ?? 'global', reason }] }
    const details = info && {
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: info }],
    }
    this.body = { error: { code: status, message, ...errors, status: word, ...details } }
  }
}

export const invalid = (message: string) =>
  new Refusal(400, 'INVALID_ARGUMENT', message, { reason: 'invalidParameter' })

/** A Google API on a free port: `answer` throws a `Refusal` or returns what is answered with 200. */
export async function startApi(scope: string, answer: (call: Call) => object): Promise<FakeApi> {
  let [inFlight, inFlightMax] = [0, 0]
  const server = createServer((request, response) => {
    inFlightMax = Math.max(inFlightMax, ++inFlight)
    response.once('close', () => inFlight--)
    void serve(fake, scope, answer, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const fake: FakeApi = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    scopesOf: () => [scope],
    calls: [],
    inFlight: () => inFlight,
    inFlightMax: () => inFlightMax,
    fault: () => undefined,
    latency: 0,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
  return fake
}

async function serve(
  fake: FakeApi,
  scope: string,
  answer: (call: Call) => object,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const url = new URL(request.url ?? '', 'http://fake')
  const sent = await text(request)
  const call: Call = {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    body: sent ? (JSON.parse(sent) as Record<string, unknown>) : {},
    token: /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '',
  }
  fake.calls.push(call)
  await sleep(fake.latency)
  const fault = fake.fault(call)
  if (fault?.hang) return
  if (fault?.reset) return void request.socket.destroy()
  if (fault?.status) return send(response, fault.status, fault.body ?? refusalOf(fault.status), fault.headers)
  try {
    enter(fake, scope, call)
    const whole = JSON.stringify(answer(call))
    send(response, 200, fault?.cut ? whole.slice(0, whole.length / 2) : whole)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    send(response, error.status, error.body)
  }
}

function enter(fake: FakeApi, scope: string, { token }: Call) {
  const scopes = token ? fake.scopesOf(token) : null
  if (!scopes)
    throw new Refusal(
      401,
      'UNAUTHENTICATED',
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
      { reason: 'authError' },
    )
  if (!scopes.includes(scope))
    throw new Refusal(403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.', {
      reason: 'insufficientPermissions',
      info: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
    })
}

const refusalOf = (status: number) =>
  new Refusal(status, status >= 500 ? 'INTERNAL' : 'UNKNOWN', `Injected ${status}.`).body

function send(response: ServerResponse, status: number, body: string | object, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Refuses fields that the API does not know. */
export function onlyKnown(body: object, names: readonly string[]) {
  for (const name of Object.keys(body))
    if (!names.includes(name))
      throw invalid(`Invalid JSON payload received. Unknown name "${name}": Cannot find field.`)
}
