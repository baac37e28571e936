import { setTimeout as sleep } from 'node:timers/promises'

import type { Verdict, Waiting } from '../../../sql/targets.ts'

/** Requests in flight to hosts outside the site, and to one of them. */
const AT_ONCE = 16
const OF_HOST = 3
/** A host that does not answer so often in a row is left alone, and so is one that says it is asked too often. */
const FAILURES = 2

/** Of what nobody looked at, and nobody will. */
const skipped: Verdict = {
  status: 0,
  fault: 'skipped',
  redirect: null,
  contentType: null,
  bytes: null,
  width: null,
  height: null,
  lifetime: null,
}

export type Pace = {
  /** Requests in flight to hosts of the site, at most. */
  atOnce: number
  /** Between the starts of two requests to one host, milliseconds. */
  spacing: { site: number; elsewhere: number }
}

type Host = { targets: Waiting[]; spacing: number; nextAt: number; failures: number }

/**
 * Looks at targets, several hosts at once and each at its pace, until all are done or `until` fires. `look` answers
 * null when it was interrupted.
 */
export async function goRound(
  waiting: readonly Waiting[],
  pace: Pace,
  until: AbortSignal,
  look: (target: Waiting) => Promise<Verdict | null>,
  keep: (target: Waiting, verdict: Verdict) => void,
): Promise<void> {
  const hostsOf = (internal: boolean): Host[] => {
    const ours = waiting.filter((target) => target.internal === internal)
    const spacing = internal ? pace.spacing.site : pace.spacing.elsewhere
    return [...Map.groupBy(ours, ({ url }) => new URL(url).host).values()].map((targets) => ({
      targets,
      spacing,
      nextAt: 0,
      failures: 0,
    }))
  }
  const ask = async (host: Host) => {
    while (!until.aborted) {
      const target = host.targets.shift()
      if (!target) return
      await turn(host, until)
      const verdict = until.aborted ? null : await look(target)
      if (!verdict) return
      keep(target, verdict)
      host.failures = verdict.status === 0 ? host.failures + 1 : 0
      // What keeps everybody from the host says it of all its addresses.
      const isShut = verdict.fault === 'dns' || verdict.fault === 'tls'
      if (!isShut && verdict.status !== 429 && host.failures < FAILURES) continue
      for (const other of host.targets.splice(0)) keep(other, isShut ? verdict : skipped)
    }
  }
  const walk = async (lanes: Host[]) => {
    for (let host = lanes.shift(); host; host = lanes.shift()) await ask(host)
  }
  const inside = lanesOf(hostsOf(true), pace.atOnce)
  const outside = lanesOf(hostsOf(false), OF_HOST)
  await Promise.all([
    ...Array.from({ length: pace.atOnce }, () => walk(inside)),
    ...Array.from({ length: AT_ONCE }, () => walk(outside)),
  ])
}

/** Each host as often as it may be asked at once: first every host once, so that a large one holds up nobody. */
const lanesOf = (hosts: Host[], most: number) =>
  Array.from({ length: most }, (_, lane) => hosts.filter(({ targets }) => targets.length > lane)).flat()

/** Waits until the host may be asked again. */
async function turn(host: Host, until: AbortSignal) {
  const now = performance.now()
  const at = Math.max(now, host.nextAt)
  host.nextAt = at + host.spacing
  if (at > now) await sleep(at - now, undefined, { signal: until }).catch(() => {})
}
