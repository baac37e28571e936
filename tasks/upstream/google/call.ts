import { Agent, request } from 'undici'
import { z } from 'zod'

import { type Account, underAccount } from '../account.ts'
import { UpstreamFault } from '../fault.ts'
import type { Reader } from '../search-account.ts'
import { faultOf, pause, readJson } from './faults.ts'

const TIMEOUT_MS = 25_000
/** A thousand rows are below 3 MB. */
const MAX_BYTES = 16 * 2 ** 20
const CONNECTIONS = 32

export type Question = {
  /** Under which it is counted. */
  name: string
  origin: string
  path: string
  /** It is POSTed, which only reads, too: every call may be repeated. */
  body?: object
}

/** A list; one without entries is left out of an answer. */
export const listOf = <S extends z.ZodType>(schema: S) =>
  z
    .array(schema)
    .nullish()
    .transform((rows) => rows ?? [])

let agent: Agent | undefined

/** One call to a Google API, under its account's rules. A token that is refused is renewed once. */
export async function call<S extends z.ZodType>(
  account: Account,
  { name, ...question }: Question,
  schema: S,
  reader: Reader,
): Promise<z.output<S>> {
  let run = 0
  return await underAccount(account, name, reader, async (signal) => {
    run++
    const token = await reader.token()
    let answer = await send(question, token, run, signal)
    if (answer.status === 401) answer = await send(question, await reader.token(token), run, signal)
    if (answer.status !== 200) throw faultOf(answer, run)
    const read = schema.safeParse(readJson(answer.text))
    if (read.success) return read.data
    const cause = { cause: read.error }
    throw new UpstreamFault('temporary', `an answer of ${name} that is not understood`, pause(run), cause)
  })
}

async function send(
  { origin, path, body }: Omit<Question, 'name'>,
  token: string,
  run: number,
  signal: AbortSignal,
) {
  agent ??= new Agent({ connections: CONNECTIONS, maxResponseSize: MAX_BYTES })
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const answer = await request(`${origin.replace(/\/+$/, '')}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body ? JSON.stringify(body) : null,
      dispatcher: agent,
      signal: AbortSignal.any([signal, timeout]),
    })
    const retryAfter = answer.headers['retry-after']?.toString()
    return { status: answer.statusCode, text: await answer.body.text(), retryAfter }
  } catch (error) {
    // Whoever has waited that long is not let wait again.
    throw new UpstreamFault('temporary', 'no answer', timeout.aborted ? undefined : pause(run), {
      cause: error,
    })
  }
}
