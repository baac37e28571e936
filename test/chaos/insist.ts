import { setTimeout as sleep } from 'node:timers/promises'

const PAUSE_MS = 250
const PATIENCE_MS = 90_000

/** Does something again until it works, as users do of a service that is away for moments. */
export async function insist<T>(work: () => Promise<T>, within = PATIENCE_MS): Promise<T> {
  const until = performance.now() + within
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() > until) throw error
      await sleep(PAUSE_MS)
    }
  }
}
