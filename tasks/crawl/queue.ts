import * as frontier from '../../sql/frontier.ts'

/** URLs read from the frontier at once. */
const CHUNK = 200

/**
 * What one slice still has to fetch, in breadth-first order. A level is finished, and written, before the next one
 * begins; `settle` is how the queue asks for that.
 */
export class Queue {
  readonly #crawlId: number
  readonly #settle: () => Promise<boolean>
  #chunk: frontier.Queued[] = []
  #at = { depth: -1, seq: 0 }

  /** `settle` ends the fetches in flight and writes them; false when there was nothing to end. */
  constructor(crawlId: number, settle: () => Promise<boolean>) {
    this.#crawlId = crawlId
    this.#settle = settle
  }

  /** The next URL; null when the frontier is empty. */
  async next(): Promise<frontier.Queued | null> {
    for (;;) {
      const item = this.#chunk.shift()
      if (item) {
        this.#at = { depth: item.depth, seq: item.seq }
        return item
      }
      if (await this.#read()) continue
      // Pages in flight may still add to this level: a redirect's target stays on the level of its source.
      if (await this.#settle()) {
        if (await this.#read()) continue
      }
      const depth = await frontier.level(this.#crawlId)
      if (depth === null) return null
      this.#at = { depth, seq: 0 }
    }
  }

  async #read() {
    if (this.#at.depth < 0) return false
    this.#chunk = [...(await frontier.next(this.#crawlId, this.#at, CHUNK))]
    return this.#chunk.length > 0
  }
}
