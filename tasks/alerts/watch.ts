import { db } from '../../sql/pool.ts'
import * as watched from '../../sql/watched-hosts.ts'
import { rules } from '../agent.ts'
import { MISNAMED, readCertificate } from '../crawl/probes/certificate.ts'
import { faultOf } from '../fault.ts'
import type { FetchOptions } from '../http.ts'
import { enqueueAll, type Payload } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import { readRobots } from '../robots.ts'
import { judgeHosts, type Look } from './hosts.ts'
import { settle } from './rules/rule.ts'

/** Hosts of one job, and of these looked at together. */
const HOSTS = 50
const IN_HAND = 10
/** For all that is asked of one host. */
const HOST_MS = 20_000

/** Queues the daily look at every host that is tracked, or was crawled by https. */
export async function watchHosts(_payload: object, { log, signal }: Tools) {
  await watched.watchProjects()
  let hosts = 0
  for (let taken = watched.TAKEN; taken === watched.TAKEN && !signal.aborted;)
    taken = await db().transaction(async (on) => {
      const due = await watched.takeDue(on)
      const wanted = [...new Set(due.filter((one) => one.is_wanted).map(({ host }) => host))]
      const jobs = Array.from({ length: Math.ceil(wanted.length / HOSTS) }, (_, at) => ({
        payload: { hosts: wanted.slice(at * HOSTS, (at + 1) * HOSTS) },
      }))
      await enqueueAll('alerts.look', jobs, { on })
      hosts += wanted.length
      return due.length
    })
  if (hosts > 0) log.info({ hosts }, 'hosts are looked at')
}

/** Looks at hosts and tells those who watch them what changed. Can be repeated: only what was not told yet is. */
export async function lookAtHosts(
  { hosts }: Payload<'alerts.look'>,
  { signal }: Tools,
  look: typeof lookAt = lookAt,
) {
  const looks: Look[] = []
  const left = hosts.values()
  const lanes = Array.from({ length: IN_HAND }, async () => {
    for (const host of left) {
      looks.push(await look(host, signal))
      signal.throwIfAborted()
    }
  })
  await Promise.all(lanes)
  await db().transaction(async (tx) => settle(await judgeHosts(looks, null, tx), tx))
}

type Way = { rules: typeof rules; through?: NonNullable<FetchOptions['through']> }

/** A host's certificate and robots.txt, by https or, where there is no site by that, by http. */
export async function lookAt(
  host: string,
  signal: AbortSignal,
  { rules: guard, through }: Way = { rules },
): Promise<Look> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(HOST_MS)])
  const unanswered = (error: unknown) => {
    signal.throwIfAborted()
    return faultOf(error)
  }
  const secure = new URL(`https://${host}`)
  const seen = await readCertificate(secure, { rules: guard, signal: bounded }).catch(unanswered)
  const isFault = seen instanceof Error
  const isPlain = isFault ? seen.kind === 'connection' : seen?.error === MISNAMED
  const options = { signal: bounded, ...(through && { through }) }
  const robots = await readRobots(isPlain ? new URL(`http://${host}`) : secure, options).catch(unanswered)
  return { host, certificate: isFault ? null : seen, robots: robots instanceof Error ? null : robots }
}
