import { setTimeout as sleep } from 'node:timers/promises'

import { config } from '../../config.ts'
import * as crawls from '../../sql/crawls.ts'
import type { Found, Queued } from '../../sql/frontier.ts'
import type { Session } from '../browser.ts'
import { CookieJar } from '../http.ts'
import { Batch } from './batch.ts'
import { countSeverities } from './checks/index.ts'
import { pageDelay } from './pace.ts'
import type { PageRecord } from './page.ts'
import { Queue } from './queue.ts'
import { type Rules, rulesOf } from './rules.ts'
import { followTwin } from './seed.ts'
import { Collector } from './targets/collect.ts'
import { urlKey } from './url.ts'
import { type Outcome, visit } from './visit.ts'

/** URLs one crawl knows at most; it never fetches more than `max_pages`, which is at most 10,000. */
const FRONTIER_LIMIT = 50_000
/** Pages that look empty and stay so in a browser, until the crawl goes on without one. */
const RENDER_TRIALS = 3

/** What comes after: the crawl is finished, goes on in a next slice, or goes on where there is a browser. */
export type Next = 'finish' | 'slice' | 'render'

/** Crawls pages of one crawl until it is finished or told to stop. */
export class Run {
  readonly batch: Batch
  readonly #crawl: crawls.Crawl
  readonly #lease: string
  readonly #session: Session | undefined
  readonly #queue: Queue
  readonly cookies: CookieJar
  readonly #inFlight = new Set<Promise<void>>()
  readonly #collector = new Collector()
  /** Depth by URL of what this slice has found, so that a link on every page is sent to the database once. */
  readonly #known = new Map<string, number>()
  #rules: Rules
  #left: number
  #nextStart: number
  #needsBrowser = false
  #fault: unknown

  constructor(crawl: crawls.Crawl, lease: string, session: Session | undefined) {
    this.#crawl = crawl
    this.#lease = lease
    this.#session = session
    this.#rules = rulesOf(crawl)
    this.cookies = new CookieJar(crawl.cookies)
    this.#left = crawl.max_pages - crawl.pages_processed
    this.#nextStart = crawl.next_fetch_at
    this.batch = new Batch(crawl.id, lease, crawl.pages_found)
    this.#queue = new Queue(crawl.id, () => this.#settle())
  }

  /** `until` stops new pages, `signal` also those in flight: they stay in the frontier. */
  async go(until: AbortSignal, signal: AbortSignal): Promise<Next> {
    await this.#collector.load(this.#crawl.id)
    const finished = await this.#fetchAll(until, signal)
    await this.#settle()
    if (this.#needsBrowser) return 'render'
    if (finished && !signal.aborted) return 'finish'
    return this.#crawl.mode === 'rendered' ? 'render' : 'slice'
  }

  /** True when nothing is left to fetch. */
  async #fetchAll(until: AbortSignal, signal: AbortSignal): Promise<boolean> {
    const stop = AbortSignal.any([until, signal])
    for (;;) {
      if (this.#fault || stop.aborted || this.#needsBrowser) return false
      if (this.#left === 0) {
        // A page handed over to the browser gives its place back.
        await this.#settle()
        if (this.#left === 0) return true
        continue
      }
      const item = await this.#queue.next()
      if (!item) return true
      await this.#pace(stop)
      if (stop.aborted || this.#needsBrowser) return false
      this.#start(item, signal)
      while (this.#inFlight.size >= config.SPIDER_CONCURRENCY) await Promise.race(this.#inFlight)
    }
  }

  async #pace(stop: AbortSignal) {
    const delay = pageDelay(this.#crawl.speed)
    if (delay === 0) return
    const wait = this.#nextStart - Date.now()
    if (wait > 0) await sleep(wait, undefined, { signal: stop }).catch(() => {})
    this.#nextStart = Date.now() + delay
    this.batch.nextFetchAt = new Date(this.#nextStart)
  }

  #start(item: Queued, signal: AbortSignal) {
    this.#left--
    const fetching = this.#fetch(item, signal)
      .catch((error: unknown) => {
        this.#left++
        if (!signal.aborted) this.#fault = error
      })
      .finally(() => this.#inFlight.delete(fetching))
    this.#inFlight.add(fetching)
  }

  async #fetch(item: Queued, signal: AbortSignal) {
    const render = ({ undecided: 'shells', rendered: 'all', plain: 'none' } as const)[this.#crawl.mode]
    const outcome = await visit(item, {
      rules: this.#rules,
      cookies: this.cookies,
      session: this.#session,
      signal,
      render,
    })
    if (!outcome.record) {
      this.#left++
      this.#needsBrowser = true
      return
    }
    await this.#learn(outcome)
    if (item.url === this.#crawl.start_url) await this.#follow(outcome.record)
    const { errors, warnings } = countSeverities(outcome.record.issues)
    const found = this.#found(outcome.record)
    const using = this.#collector.collect(outcome.record.uses)
    await this.batch.add({ page: outcome.record, found, using, errors, warnings })
  }

  /** One page that rendering fills decides for the browser; some that it does not fill decide against. */
  async #learn({ rendering }: Outcome) {
    const crawl = this.#crawl
    if (!rendering || crawl.mode !== 'undecided') return
    if (rendering === 'idle') crawl.render_trials++
    if (rendering === 'paid') crawl.mode = 'rendered'
    else if (crawl.render_trials >= RENDER_TRIALS) crawl.mode = 'plain'
    await crawls.decideMode(crawl.id, this.#lease, crawl.mode, crawl.render_trials)
  }

  /** A start URL that redirects between `example.com` and `www.example.com` means the site it leads to. */
  async #follow({ redirectUrl }: PageRecord) {
    if (redirectUrl === null || !(await followTwin(this.#crawl, this.#lease, new URL(redirectUrl)))) return
    this.#rules = rulesOf(this.#crawl)
  }

  #found(page: PageRecord): Found[] {
    const found: Found[] = []
    const add = (address: string, depth: number) => {
      const known = this.#known.get(address)
      if (known !== undefined && known <= depth) return
      this.#known.set(address, depth)
      if (depth > this.#crawl.max_depth || !this.#rules.mayFetch(new URL(address))) return
      if (this.batch.pagesFound + found.length >= FRONTIER_LIMIT) return
      found.push({ key: urlKey(address), url: address, depth })
    }
    this.#known.set(page.url, page.depth)
    if (page.redirectUrl !== null) add(page.redirectUrl, page.depth)
    for (const { url } of page.links) add(url, page.depth + 1)
    return found
  }

  /** Ends the fetches in flight and writes them; false when there was nothing to end. */
  async #settle() {
    const busy = this.#inFlight.size > 0 || this.batch.size > 0
    await Promise.all(this.#inFlight)
    if (this.#fault) throw this.#fault
    await this.batch.flush()
    return busy
  }
}
