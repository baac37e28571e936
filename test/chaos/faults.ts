import { setTimeout as sleep } from 'node:timers/promises'

import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import type { Member } from '../support/service.ts'
import type { Fleet } from './fleet.ts'
import { insist } from './insist.ts'
import type { Stage } from './stage.ts'

const PAUSE_MS = { patient: [600, 2500], impatient: [200, 800] } as const
const ROLL_MS = 4000
const AWAY_MS = [1500, 4000] as const
const CUT_EFFECT_MS = 3000
/** Whoever is silent for 30 s is taken for dead, unless the others are told. */
const STALL_MS = { patient: 36_000, impatient: 3000 }
const STALL_EFFECT_MS = 2000

/** Breaks something every second or two, all kinds in turn, and rolls the fleet over, until it is told to stop. */
export function startFaults(stage: Stage, fleet: Fleet, random: () => number, { impatient = false }) {
  const pace = impatient ? 'impatient' : 'patient'
  const counts: Record<string, number> = {}
  const lasting = new Set<Promise<void>>()
  let isAway = false
  const over = new AbortController()
  const pause = (milliseconds: number) =>
    sleep(milliseconds, undefined, { signal: over.signal }).catch(() => {})
  const between = ([least, most]: readonly [number, number]) => least + random() * (most - least)
  const any = (kind: Member['kind']): Member | undefined => {
    const living = fleet.living(kind)
    return living[Math.floor(random() * living.length)]
  }
  const lose = (from: number, effectMs: number) =>
    void stage.losses.push({ from, to: performance.now() + effectMs })

  const kill = (kind: Member['kind']) => async () => {
    const victim = any(kind)
    const from = performance.now()
    if (victim) await fleet.kill(victim)
    lose(from, 0)
  }
  async function cut() {
    const from = performance.now()
    await insist(() =>
      db().any(sql.type(z.object({ cut: z.boolean() }))`
        select pg_terminate_backend(pid) as cut from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and random() < 0.7`),
    )
    lose(from, CUT_EFFECT_MS)
  }
  async function stall() {
    const victim = any('worker')
    if (!victim) return
    const from = performance.now()
    last(fleet.stall(victim, STALL_MS[pace]).finally(() => lose(from, STALL_EFFECT_MS)))
  }
  async function bucketAway() {
    isAway = true
    await stage.s3.leave()
    last(
      pause(between(AWAY_MS)).then(async () => {
        await stage.s3.comeBack()
        isAway = false
      }),
    )
  }
  async function clocks() {
    if (fleet.living('clock').length < 2) last(fleet.addClock().catch(() => {}))
    else await kill('clock')()
  }
  /** What goes on beside the next faults. */
  function last(fault: Promise<void>) {
    lasting.add(fault)
    void fault.then(() => lasting.delete(fault))
  }

  const deck: [name: string, fault: () => Promise<void>][] = [
    ['worker killed', kill('worker')],
    ['connections cut', cut],
    ['worker killed', kill('worker')],
    ['PostgreSQL restarted', () => stage.restartPostgres('politely')],
    ['worker killed', kill('worker')],
    ['bucket away', bucketAway],
    ['API killed', kill('web')],
    ['worker stalled', stall],
    ['clock doubled, or killed', clocks],
    ['connections cut', cut],
    ['PostgreSQL killed', () => stage.restartPostgres('hard')],
  ]

  const { promise: allBroken, resolve: sawAll } = Promise.withResolvers<void>()
  const breaking = (async () => {
    for (; !over.signal.aborted; sawAll())
      for (const [name, fault] of shuffled(deck, random)) {
        await pause(between(PAUSE_MS[pace]))
        if (over.signal.aborted || (name === 'bucket away' && isAway)) continue
        counts[name] = (counts[name] ?? 0) + 1
        await fault()
      }
  })()
  const rolling = (async () => {
    const kinds = ['worker', 'worker', 'web', 'worker', 'clock'] as const
    for (let turn = 0; ; turn++) {
      await pause(ROLL_MS)
      if (over.signal.aborted) return
      const [oldest] = fleet.living(kinds[turn % kinds.length])
      if (!oldest) continue
      counts['process told to stop'] = (counts['process told to stop'] ?? 0) + 1
      await fleet.stop(oldest)
    }
  })()

  return {
    counts,
    /** Until everything was broken once. */
    allBroken,
    async stop() {
      over.abort()
      await Promise.all([breaking, rolling])
      await Promise.all(lasting)
    },
  }
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const left = [...list]
  for (let index = left.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1))
    ;[left[index], left[other]] = [left[other]!, left[index]!]
  }
  return left
}
