import { type Pool, pools } from '../config.ts'

/** How the jobs at once of a process are divided when it serves several pools. */
const weights: Record<Pool, number> = {
  crawl: 10,
  render: 2,
  scrape: 5,
  interactive: 5,
  alerts: 2,
  maintenance: 1,
}

/**
 * Every pool gets its own share of a process, at least one job: long jobs of one never make another wait. The shares
 * add up to `concurrency` when there is one for each.
 */
export function shares(served: readonly Pool[], concurrency: number): ReadonlyMap<Pool, number> {
  const active = pools.filter((pool) => served.includes(pool))
  const total = active.reduce((sum, pool) => sum + weights[pool], 0)
  const spare = Math.max(0, concurrency - active.length)
  const exact = active.map((pool) => ({ pool, share: (spare * weights[pool]) / total }))
  const divided = new Map(exact.map(({ pool, share }) => [pool, 1 + Math.floor(share)]))
  const left = spare - exact.reduce((sum, { share }) => sum + Math.floor(share), 0)
  const byRest = exact.toSorted((a, b) => (b.share % 1) - (a.share % 1))
  for (const { pool } of byRest.slice(0, Math.round(left))) divided.set(pool, divided.get(pool)! + 1)
  return divided
}
