import { UpstreamFault, type UpstreamFaultKind } from '../fault.ts'

const MINUTE_MS = 60_000
/** However long the source would have it, it is tried again after this. */
const PATIENCE_MS = 30_000

const kinds: [UpstreamFaultKind, number[]][] = [
  ['empty', [40102]],
  ['auth', [40100, 40104, 40201, 40204, 40207]],
  ['funds', [40200, 40203, 40210]],
  ['rate', [40202, 40205, 40206, 40209]],
  ['temporary', [40101, 40103, 50000, 50001, 50301, 50303, 50304, 50401, 50402]],
  ['pending', [40601, 40602]],
]

/** The fault that a status code other than 20000 and 20100 means. */
export function faultOf(code: number, message: string): UpstreamFault {
  const kind =
    kinds.find(([, codes]) => codes.includes(code))?.[0] ?? (code >= 50_000 ? 'temporary' : 'input')
  return new UpstreamFault(kind, `${code} ${message}`, waitAfter(kind, code))
}

/** A fault that passes is tried again after one to three seconds. */
export const soon = () => 1000 + Math.random() * 2000

function waitAfter(kind: UpstreamFaultKind, code: number): number | undefined {
  if (kind === 'temporary' || code === 40209) return soon()
  // Too many in this minute: the next one begins a new count, and is reached by the second wait at the latest.
  if (code === 40202)
    return Math.min(PATIENCE_MS, MINUTE_MS - (Date.now() % MINUTE_MS) + Math.random() * 2000)
  return undefined
}
