import * as frontier from '../../sql/frontier.ts'
import * as pages from '../../sql/pages.ts'
import { db, type Executor } from '../../sql/pool.ts'
import * as targets from '../../sql/targets.ts'
import { countPages } from './metrics.ts'

/** Pages written in one transaction at most. */
const BATCH_PAGES = 50
/** A finished page waits this long at most for others, milliseconds. */
const BATCH_AGE = 1000

/** Another slice has the crawl, or it was deleted: nothing more may be written. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

export type Visited = {
  page: pages.NewPage
  found: readonly frontier.Found[]
  using: targets.Collected
  errors: number
  warnings: number
}

/**
 * Gathers finished pages and writes them in batches, one transaction each: the pages, their links, what they found,
 * the crawl's counters. A page whose batch was not committed is still in the frontier and is fetched again.
 */
export class Batch {
  readonly #crawlId: number
  readonly #lease: string
  #waiting: Visited[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #fault: unknown
  /** When the next page may be asked for. */
  nextFetchAt = new Date()
  /** URLs the crawl knows. */
  pagesFound: number

  constructor(crawlId: number, lease: string, pagesFound: number) {
    this.#crawlId = crawlId
    this.#lease = lease
    this.pagesFound = pagesFound
  }

  /** Pages that wait to be written. */
  get size() {
    return this.#waiting.length
  }

  /** Takes a finished page; resolves at once unless a full batch is being written already. */
  async add(visited: Visited) {
    this.#throwFault()
    this.#waiting.push(visited)
    this.#timer ??= setTimeout(() => void this.flush().catch(() => {}), BATCH_AGE)
    if (this.#waiting.length >= BATCH_PAGES) {
      await this.#writing
      void this.flush().catch(() => {})
    }
  }

  /** Writes what waits, then runs `last` in the same transaction. */
  async flush(last?: (tx: Executor) => Promise<void>) {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(async () => {
      this.#throwFault()
      const visited = this.#waiting.splice(0)
      if (visited.length === 0 && !last) return
      try {
        await this.#write(visited, last)
      } catch (error) {
        this.#fault = error
      }
    })
    await this.#writing
    this.#throwFault()
  }

  async #write(visited: Visited[], last: ((tx: Executor) => Promise<void>) | undefined) {
    await db().transaction(async (tx) => {
      if (visited.length > 0) {
        await pages.insert(
          this.#crawlId,
          visited.map(({ page }) => page),
          tx,
        )
        const using = visited.map(({ page: { urlKey }, using }) => ({ urlKey, ...using }))
        await targets.collect(this.#crawlId, using, tx)
      }
      const progress = await frontier.advance(
        this.#crawlId,
        this.#lease,
        {
          done: visited.map(({ page }) => page.urlKey),
          found: visited.flatMap(({ found }) => found),
          errors: visited.reduce((sum, { errors }) => sum + errors, 0),
          warnings: visited.reduce((sum, { warnings }) => sum + warnings, 0),
          nextFetchAt: this.nextFetchAt,
        },
        tx,
      )
      if (!progress) throw new LeaseLost()
      this.pagesFound = progress.pages_found
      await last?.(tx)
    })
    countPages(visited.map(({ page }) => page))
  }

  #throwFault() {
    if (this.#fault) throw this.#fault
  }
}
