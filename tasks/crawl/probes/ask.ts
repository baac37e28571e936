import { setTimeout as sleep } from 'node:timers/promises'

import type { FetchOptions } from '../../http.ts'
import { type Followed, follow } from '../follow.ts'

/** For one request and its answer. */
const TIMEOUT_MS = 10_000
const REDIRECTS = 5
const BYTES = 512 * 1024

/** Asks for one address and follows where it leads. */
export type Ask = (
  url: URL,
  options?: Pick<FetchOptions, 'userAgent' | 'maxBytes'> & { goesOn?: (next: URL) => boolean },
) => Promise<Followed>

/** Asks one thing after the other, with pauses of so many milliseconds. */
export function asker(
  spacing: number,
  asking: { signal: AbortSignal; through?: NonNullable<FetchOptions['through']> },
): Ask {
  let last: Promise<unknown> = Promise.resolve()
  const pause = () => sleep(spacing)
  return (url, options) => {
    const asked = last.then(() =>
      follow(url, { ...asking, timeoutMs: TIMEOUT_MS, maxBytes: BYTES, most: REDIRECTS, ...options }),
    )
    last = asked.then(pause, pause)
    return asked
  }
}
