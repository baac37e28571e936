import { AsyncLocalStorage } from 'node:async_hooks'

import { type Admission, admit } from '../sql/users.ts'

/** Statements in flight. Requests that come meanwhile share the next one: half of what a read cost was its admission. */
const AT_ONCE = 2
const MOST = 200

type Waiting = {
  keyHash: Buffer
  service: string
  resolve: (admission: Admission | null) => void
  reject: (reason: unknown) => void
}

const waiting: Waiting[] = []
let inFlight = 0
/** What is done for several requests belongs to the trace and the log lines of none. */
const forNobody = AsyncLocalStorage.snapshot()

/** Counts a request and tells whose key it bears; each of those admitted together has its own place in the window. */
export function admission(keyHash: Buffer, service: string): Promise<Admission | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Admission | null>()
  waiting.push({ keyHash, service, resolve, reject })
  if (inFlight < AT_ONCE) void forNobody(admitWaiting)
  return promise
}

async function admitWaiting() {
  inFlight++
  while (waiting.length > 0) {
    const batch = waiting.splice(0, MOST)
    const alike = [
      ...Map.groupBy(batch, ({ keyHash, service }) => `${service} ${keyHash.toString('base64')}`).values(),
    ]
    try {
      const admissions = await admit(alike.map(([first, ...more]) => ({ ...first!, times: 1 + more.length })))
      for (const [index, requests] of alike.entries()) share(admissions[index] ?? null, requests)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  inFlight--
}

function share(given: Admission | null, requests: readonly Waiting[]) {
  for (const [index, { resolve }] of requests.entries()) {
    if (given === null || given.hits === null) resolve(given)
    else resolve({ ...given, hits: given.hits - requests.length + 1 + index })
  }
}
