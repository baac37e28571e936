import { setTimeout as sleep } from 'node:timers/promises'

import { db, sql } from '../../sql/pool.ts'
import { raise } from '../../tasks/alerts/raise.ts'
import { enqueue } from '../../tasks/jobs.ts'
import { clientOf } from '../support/client.ts'
import { scraperOf } from '../support/scraper.ts'
import { insist } from './insist.ts'
import type { Stage } from './stage.ts'

const BETWEEN_MS = 350
const SCANS_AT_ONCE = 6
const SCRAPES_AT_ONCE = 4
const REQUEST_MS = 20_000
const KEYWORDS = 25
/** Messages that a channel gets in a minute without a digest. */
const ALERTS_OF_A_USER = 4
const FULL_SITE = 500

/** What the service has acknowledged. */
export type Ledger = {
  scans: Map<number, { limit: number }>
  scrapes: Set<string>
  deletedScans: Set<number>
  deletedScrapes: Set<string>
  alerts: string[]
  counts: Record<string, number>
}

export type Load = Awaited<ReturnType<typeof startLoad>>

/** Users who do this and that until they are told to stop. */
export async function startLoad(stage: Stage, random: () => number) {
  const { service, sites } = stage
  const owner = await stage.user()
  const client = clientOf(service.origin, owner.key)
  const scraper = scraperOf(service.origin, owner.key)
  const ledger: Ledger = {
    scans: new Map(),
    scrapes: new Set(),
    deletedScans: new Set(),
    deletedScrapes: new Set(),
    alerts: [],
    counts: {},
  }
  const busy = new Set<Promise<void>>()
  const [scanning, scraping] = [new Set<number>(), new Set<string>()]
  const readers: Promise<number>[] = []
  let [seeds, alerts] = [0, 0]

  const any = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!

  async function scan() {
    if (scanning.size >= SCANS_AT_ONCE) return
    const limit = random() < 0.3 ? 10 : FULL_SITE
    const { origin } = any(sites.all)
    const body = { start_url: `${origin}/`, max_pages: limit, max_depth: 50, speed: 'turbo' }
    const id = await insist(() => client.begin(body))
    ledger.scans.set(id, { limit })
    scanning.add(id)
    if (random() < 0.1) {
      await sleep(1000)
      ledger.deletedScans.add(id)
      await insist(() => done(client.api('DELETE', `/spider/${id}`), 404))
    } else {
      await insist(() => client.ended(id, REQUEST_MS)).catch(() => {})
      // A scan that is still at it says so with 422.
      if (random() < 0.3) await insist(() => done(client.api('POST', `/spider/${id}/rescan`), 422))
    }
    scanning.delete(id)
  }

  async function scrape() {
    if (scraping.size >= SCRAPES_AT_ONCE) return
    const id = await insist(() =>
      scraper.begin({ url: `${any(sites.all).origin}/`, depth: 5, max_pages: FULL_SITE }),
    )
    ledger.scrapes.add(id)
    scraping.add(id)
    if (random() < 0.2) {
      await sleep(1500)
      ledger.deletedScrapes.add(id)
      await insist(() => done(scraper.remove(id), 404))
    } else await insist(() => scraper.ended(id, REQUEST_MS)).catch(() => {})
    scraping.delete(id)
  }

  async function project() {
    const { data } = await insist(() =>
      done(client.api<{ id: number }>('POST', '/projects', { name: 'chaos', domain: 'shop.example' })),
    )
    const keywords = Array.from({ length: KEYWORDS }, (_, n) => `project ${data.id} keyword ${n}`)
    await insist(() => done(client.api('POST', `/projects/${data.id}/keywords`, { keywords }), 409))
    return data.id
  }

  /** By somebody who waits for it, and may wait in vain. */
  async function refresh() {
    const id = await project()
    await client.api('POST', `/projects/${id}/refresh`)
  }

  /** By the clock, through the source's cheap queue. */
  async function turn() {
    const id = await project()
    await insist(() =>
      db().transaction(async (on) => {
        await on.query(sql.typeAlias('void')`update projects set due_at = now() where id = ${id}`)
        await enqueue('rankings.schedule', {}, { on, key: 'rankings.schedule' })
      }),
    )
    await sleep(2000)
    stage.source.queue.finish()
    await insist(() => enqueue('rankings.collect', {}, { key: 'rankings.collect' }))
  }

  async function research() {
    await client.api('POST', '/keyword-research', { keyword: `seed ${Math.floor(++seeds / 2)}` })
  }

  async function alert() {
    const number = alerts++
    const subject = `chaos:${number}`
    const userId = await (readers[Math.floor(number / ALERTS_OF_A_USER)] ??= readerWithChannel())
    const message = { it: subject, en: subject }
    // Once more when it is not known whether it was: the same is not alerted of twice.
    await insist(() =>
      db().transaction((on) =>
        raise([{ userId, type: 'spider_failed', severity: 'critical', subject, message }], on),
      ),
    )
    ledger.alerts.push(subject)
  }

  async function readerWithChannel() {
    const { id, key } = await insist(() => stage.user())
    const channel = { kind: 'webhook', target: stage.hooks.url }
    await insist(() => done(clientOf(service.origin, key).api('POST', '/alert-channels', channel)))
    return id
  }

  const acts = { scan, scrape, refresh, turn, research, alert }
  const weighted = Object.entries(acts).flatMap(([name, act]) =>
    Array.from({ length: name === 'scan' || name === 'alert' ? 2 : 1 }, () => ({ name, act })),
  )
  const over = new AbortController()
  const going = (async () => {
    while (!over.signal.aborted) {
      const { name, act } = any(weighted)
      ledger.counts[name] = (ledger.counts[name] ?? 0) + 1
      // Requests that are cut off are part of it.
      const doing = act().catch(() => {})
      busy.add(doing)
      void doing.then(() => busy.delete(doing))
      await sleep(BETWEEN_MS * (0.5 + random()), undefined, { signal: over.signal }).catch(() => {})
    }
  })()

  return {
    ledger,
    scraper,
    owner,
    async stop() {
      over.abort()
      await going
      await Promise.all(busy)
    },
  }
}

/** The answer, unless the service could not give one. */
async function done<T extends { status: number }>(answering: Promise<T>, alsoGood = 200): Promise<T> {
  const answer = await answering
  if (answer.status >= 300 && answer.status !== alsoGood) throw new Error(`answered ${answer.status}`)
  return answer
}
