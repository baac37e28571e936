import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Logger } from 'pino'
import { Counter } from 'prom-client'

import type { Stats } from '../../sql/scrape-jobs.ts'
import * as runs from '../../sql/scrape-runs.ts'
import { registry } from '../../telemetry.ts'
import { enqueue, type Payload } from '../jobs.ts'
import { Later, type Tools } from '../outcome.ts'
import { storage, StorageFault } from '../storage.ts'
import { Archive } from './archive.ts'
import { assemble } from './assemble.ts'
import { parseFilters } from './filters.ts'
import { Mirror, MirrorFault } from './mirror.ts'
import { sweepWorkspaces, Workspace } from './workspace.ts'

/** Wait for a job that another run still holds, seconds. */
const HELD = 5
/** Between two reports; the first after a DELETE stops the run. Milliseconds. */
const REPORT = 700
/** How long a finished archive waits for a bucket that is away, and how often it is tried. Milliseconds. */
const STORE_PATIENCE = 15 * 60_000
const STORE_PAUSES = [1000, 2000, 5000, 10_000, 30_000]

const registers = [registry]
const ended = new Counter({
  name: 'seo_scrape_jobs_total',
  help: 'Runs of scrape jobs, by how they ended',
  labelNames: ['outcome'] as const,
  registers,
})
const counters = {
  pages_downloaded: count('pages', 'Pages mirrored'),
  resources_downloaded: count('resources', 'Files mirrored that are not pages'),
  bytes_downloaded: count('bytes', 'Bytes of decoded bodies received'),
  duplicates_skipped: count('duplicates', 'Bodies that were there already'),
  errors: count('errors', 'Addresses that could not be mirrored'),
}
const archiveBytes = count('archive_bytes', 'Bytes of finished archives')

/** The job was deleted or given to another run. */
class Cancelled extends Error {
  override readonly name = 'Cancelled'
}

/** Mirrors the site of a job into an archive, from the beginning. */
export async function runScrape({ job: id }: Payload<'scrape.run'>, tools: Tools): Promise<void> {
  const lease = randomUUID()
  const job = await runs.take(id, lease, tools.workerId)
  if (!job) {
    if (await runs.isUnderWay(id)) throw new Later(HELD)
    return
  }
  if (job.abandoned !== null) await enqueue('scrape.remove', { archive: job.abandoned })
  await new ScrapeRun(job, lease, tools).go()
}

class ScrapeRun {
  readonly #job: runs.TakenJob
  readonly #lease: string
  readonly #log: Logger
  readonly #workerId: string
  readonly #cancelled = new AbortController()
  readonly #signal: AbortSignal
  readonly #counted: Stats = { ...nothing }
  #stats: Stats = nothing
  #isReporting = false

  constructor(job: runs.TakenJob, lease: string, { log, signal, workerId }: Tools) {
    this.#job = job
    this.#lease = lease
    this.#log = log.child({ scrape: job.public_id })
    this.#workerId = workerId
    this.#signal = AbortSignal.any([signal, this.#cancelled.signal])
  }

  async go() {
    const reporting = setInterval(() => void this.#report(), REPORT)
    try {
      await sweepWorkspaces(this.#workerId)
      const workspace = await Workspace.open(this.#workerId)
      try {
        await this.#mirror(workspace)
      } finally {
        await workspace.close()
      }
      ended.inc({ outcome: 'completed' })
      this.#log.info(this.#stats, 'site mirrored')
    } catch (error) {
      await this.#end(error)
    } finally {
      clearInterval(reporting)
      this.#count()
    }
  }

  async #mirror(workspace: Workspace) {
    const job = this.#job
    const start = new URL(job.url)
    const filter = await parseFilters(job.filters, { htmlOnly: job.html_only, start })
    const file = workspace.path()
    const archive = new Archive(file, new Date(job.started_at))
    const signal = this.#signal
    const order = { start, depth: job.depth, maxPages: job.max_pages, filter, archive, workspace, signal }
    const mirror = new Mirror(order)
    this.#stats = mirror.stats
    try {
      await mirror.run()
      const { truncated } = mirror
      const about = { jobId: job.public_id, url: job.url, startedAt: job.started_at, truncated }
      const zipSize = await assemble(mirror, archive, about, signal)
      await this.#store(file)
      await this.#complete({ stats: mirror.stats, zipSize, truncated, cms: mirror.cms })
      archiveBytes.inc(zipSize)
    } finally {
      archive.destroy(new Error('the run is over'))
      await mirror.spool.close()
    }
  }

  /** A bucket may be away for a while: the archive is finished and can wait, so nothing is fetched twice. */
  async #store(file: string) {
    const store = await storage()
    const until = Date.now() + STORE_PATIENCE
    for (let attempt = 0; ; attempt++) {
      try {
        return await store.put(this.#job.archive, file, this.#signal)
      } catch (error) {
        this.#signal.throwIfAborted()
        if (!(error instanceof StorageFault) || error.kind !== 'away' || Date.now() > until) throw error
        const pause = STORE_PAUSES[Math.min(attempt, STORE_PAUSES.length - 1)]
        this.#log.warn({ err: error, pause }, 'the archive waits for its bucket')
        await sleep(pause, undefined, { signal: this.#signal }).catch(() => this.#signal.throwIfAborted())
      }
    }
  }

  async #complete(result: Parameters<typeof runs.complete>[2]) {
    if (await runs.complete(this.#job.id, this.#lease, result)) return
    // Deleted while the archive was being stored.
    await enqueue('scrape.remove', { archive: this.#job.archive })
    throw new Cancelled()
  }

  async #report() {
    if (this.#isReporting) return
    this.#isReporting = true
    this.#count()
    try {
      if (!(await runs.report(this.#job.id, this.#lease, this.#stats))) this.#cancelled.abort(new Cancelled())
    } catch (error) {
      this.#log.warn({ err: error }, 'progress could not be written')
    }
    this.#isReporting = false
  }

  #count() {
    for (const [name, counter] of Object.entries(counters) as [keyof Stats, Counter][]) {
      counter.inc(this.#stats[name] - this.#counted[name])
      this.#counted[name] = this.#stats[name]
    }
  }

  async #end(error: unknown) {
    const { id } = this.#job
    if (error instanceof Cancelled) {
      ended.inc({ outcome: 'cancelled' })
      return this.#log.info('job cancelled')
    }
    const reason = reasonOf(error)
    if (reason === null) {
      ended.inc({ outcome: 'again' })
      await runs.release(id, this.#lease)
      throw error
    }
    this.#log[error instanceof MirrorFault ? 'info' : 'error']({ err: error }, 'job failed')
    ended.inc({ outcome: 'failed' })
    await runs.fail(id, this.#lease, { stats: this.#stats, reason })
  }
}

/** What the owner is told of a fault that trying again does not mend; null when it may. */
function reasonOf(error: unknown): string | null {
  if (error instanceof MirrorFault) return error.message
  if (error instanceof StorageFault && error.kind === 'refused')
    return `The archive could not be stored: ${error.message}.`
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG')
    return `The archive could not be written: the disk of the worker is full (${code}).`
  return null
}

const nothing: Stats = {
  pages_downloaded: 0,
  resources_downloaded: 0,
  bytes_downloaded: 0,
  duplicates_skipped: 0,
  errors: 0,
}

function count(name: string, help: string) {
  return new Counter({ name: `seo_scrape_${name}_total`, help, registers })
}
