import { config } from '../../config.ts'
import type { Stats } from '../../sql/scrape-jobs.ts'
import { log } from '../../telemetry.ts'
import { CookieJar, FetchFault, type Head, isRedirect, redirectTarget } from '../http.ts'
import type { Archive } from './archive.ts'
import { declaredBytes, download } from './download.ts'
import type { Filter } from './filters.ts'
import { Frontier, type Resource, settle } from './frontier.ts'
import { Keeper, sortOf } from './keeper.ts'
import { Spool } from './spool.ts'
import type { Workspace } from './workspace.ts'

const MIB = 1024 * 1024
const FILE_BYTES = config.SCRAPER_MAX_FILE_MB * MIB
const JOB_BYTES = config.SCRAPER_MAX_JOB_MB * MIB
/** What is rewritten is held in memory, with all its references: larger pages and style sheets are left out. */
const DOCUMENT_BYTES = Math.min(FILE_BYTES, 10 * MIB)
/** A job that still finds something after this long keeps what it has, milliseconds; its deadline is later. */
const JOB_MS = 2.5 * 3_600_000

/** Why a site cannot be mirrored; told to the job's owner. */
export class MirrorFault extends Error {
  override readonly name = 'MirrorFault'
}

export type Order = {
  start: URL
  depth: number
  maxPages: number
  filter: Filter
  archive: Archive
  workspace: Workspace
  signal: AbortSignal
}

/** Fetches a site: what needs no rewriting goes into the archive, pages and style sheets into the spool. */
export class Mirror {
  readonly stats: Stats = {
    pages_downloaded: 0,
    resources_downloaded: 0,
    bytes_downloaded: 0,
    duplicates_skipped: 0,
    errors: 0,
  }
  readonly frontier: Frontier
  readonly spool: Spool<Resource>
  /** Whether a bound ended it. */
  truncated = false
  readonly #order: Order
  readonly #keeper: Keeper
  readonly #cookies = new CookieJar()
  /** Fires when nothing more is to be fetched, whatever is in flight. */
  readonly #enough = new AbortController()
  readonly #signal: AbortSignal
  /** Pages in flight: each may become one of `maxPages`. */
  #reserved = 0
  #busy = 0
  #fault: unknown
  #startFault = 'it was not saved'
  #change = Promise.withResolvers<void>()

  constructor(order: Order) {
    const { start, filter, depth, archive, workspace, signal } = order
    this.#order = order
    this.#signal = AbortSignal.any([signal, this.#enough.signal])
    this.frontier = new Frontier(start, { filter, maxDepth: depth })
    this.spool = new Spool(workspace.path())
    this.#keeper = new Keeper({
      frontier: this.frontier,
      archive,
      spool: this.spool,
      stats: this.stats,
      signal: this.#signal,
      savesPages: filter.savesPages,
    })
  }

  get cms() {
    return this.#keeper.cms
  }

  async run(): Promise<void> {
    const overdue = setTimeout(() => this.#truncate(), JOB_MS)
    try {
      // Alone: where it leads decides what the site is.
      await this.#lane(1)
      await Promise.all(Array.from({ length: config.SCRAPER_CONCURRENCY }, () => this.#lane()))
    } finally {
      clearTimeout(overdue)
      await this.#keeper.close()
    }
    if (this.#fault) throw this.#fault
    if (!settle(this.frontier.start)) throw new MirrorFault(`The start URL: ${this.#startFault}.`)
    const { page, requisite } = this.frontier.isFull
    this.truncated ||= requisite || (page && this.#hasRoom())
  }

  /** Takes one resource after another, so many at most, until there are no more. */
  async #lane(limit = Infinity): Promise<void> {
    for (let taken = 0; taken < limit && !this.#signal.aborted;) {
      const next = this.frontier.take(this.#hasRoom())
      if (next) await this.#process(next)
      else if (this.#busy === 0) return
      else await this.#change.promise
      if (next) taken++
    }
  }

  async #process(resource: Resource) {
    const isPage = resource.kind === 'page'
    this.#busy++
    if (isPage) this.#reserved++
    try {
      await this.#follow(resource)
    } catch (error) {
      this.#stop(error)
    } finally {
      this.#busy--
      if (isPage) this.#reserved--
      this.frontier.return(resource)
      this.#change.resolve()
      this.#change = Promise.withResolvers()
    }
  }

  /** Fetches a resource, and what its redirects lead to. */
  async #follow(first: Resource) {
    for (let resource = first; ;) {
      const got = await this.#download(resource)
      if (got instanceof FetchFault) return this.#fail(resource, 0, got.message)
      const { head } = got
      resource.type = head.contentType
      if (!isRedirect(head)) {
        if ('body' in got) return await this.#keeper.keep(resource, head, got.body)
        if (got.lacks === 'unwanted' || (got.lacks === 'too large' && this.#isLeftOut(resource, head))) return
        const reason = got.lacks === 'unsuccessful' ? `it answers ${head.status}` : `it is ${got.lacks}`
        return this.#fail(resource, head.status, reason)
      }
      resource.status = head.status
      const next = this.frontier.redirect(redirectTarget(head), resource)
      if (next === 'unwanted') return
      if (next === 'fault') return this.#fail(resource, head.status, 'its redirects lead nowhere')
      resource.target = next.resource
      if (!next.isNew) return
      resource = next.resource
    }
  }

  #download(resource: Resource) {
    const { filter, workspace } = this.#order
    const { kind, role, isStart } = resource
    return download(new URL(resource.url), {
      cookies: this.#cookies,
      signal: this.#signal,
      workspace,
      wants: (head) =>
        isStart ||
        filter.accepts(
          { url: head.url, contentType: head.contentType, contentLength: declaredBytes(head) },
          { kind, role },
        ),
      maxBytes: (head) => Math.min(bound(resource, head), isStart ? Infinity : (filter.maxBytes ?? Infinity)),
      onBytes: (bytes) => {
        this.stats.bytes_downloaded += bytes
        if (this.stats.bytes_downloaded > JOB_BYTES) this.#truncate()
      },
    })
  }

  /** The job's own `max_size` is a wish, the bound of the service a fault. */
  #isLeftOut(resource: Resource, head: Head) {
    const { maxBytes } = this.#order.filter
    return !resource.isStart && maxBytes !== null && maxBytes <= bound(resource, head)
  }

  #fail(resource: Resource, status: number, reason: string) {
    resource.status = status
    this.stats.errors++
    if (resource.isStart) this.#startFault = reason
    log.debug({ url: resource.url, status, reason }, 'not mirrored')
  }

  #hasRoom() {
    return this.stats.pages_downloaded + this.#reserved < this.#order.maxPages
  }

  #truncate() {
    this.truncated = true
    this.#enough.abort(new Error('the job has all that it may have'))
  }

  #stop(error: unknown) {
    // What is given up because there is enough is no fault.
    if (this.truncated && !this.#order.signal.aborted && error === this.#enough.signal.reason) return
    this.#fault ??= error
    this.#enough.abort(error)
  }
}

const bound = (resource: Resource, head: Head) =>
  sortOf(resource, head) === 'file' ? FILE_BYTES : DOCUMENT_BYTES
