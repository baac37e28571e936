/** How long a task may take to heed its abort signal. */
const PATIENCE_MS = 10_000

/**
 * Runs work with a signal that fires when `parent` does or when the time is over. Work that goes on regardless is left
 * behind: it must not hold its place among the running jobs for ever.
 */
export async function withDeadline<T>(
  seconds: number,
  parent: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  patience = PATIENCE_MS,
): Promise<T> {
  const controller = new AbortController()
  const late = Promise.withResolvers<never>()
  const stop = () => controller.abort(parent.reason)
  const overdue = new Error(`took longer than ${seconds} s`)
  const timers = [
    setTimeout(() => controller.abort(overdue), seconds * 1000),
    setTimeout(() => late.reject(overdue), seconds * 1000 + patience),
  ]
  if (parent.aborted) stop()
  parent.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work(controller.signal), late.promise])
  } finally {
    timers.forEach(clearTimeout)
    parent.removeEventListener('abort', stop)
  }
}
