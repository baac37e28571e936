/** So many at once; the others wait in line. */
export class Slots {
  #free: number
  readonly #line: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** Waits for a slot; rejects with the signal's reason, and then none is held. */
  async take(signal?: AbortSignal) {
    signal?.throwIfAborted()
    if (this.#free > 0) {
      this.#free--
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      this.#line.splice(this.#line.indexOf(resolve), 1)
      reject(signal?.reason as Error)
    }
    this.#line.push(resolve)
    signal?.addEventListener('abort', leave, { once: true })
    await promise
    signal?.removeEventListener('abort', leave)
  }

  give() {
    const next = this.#line.shift()
    if (next) next()
    else this.#free++
  }
}
