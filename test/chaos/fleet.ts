import { setTimeout as sleep } from 'node:timers/promises'

import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import type { Member, Service } from '../support/service.ts'
import { insist } from './insist.ts'

const RESTART_MS = 200

export type Fleet = ReturnType<typeof keepUp>

/**
 * Starts a process anew whenever one ends, as Kubernetes does. Impatient, it tells the others of a killed worker at
 * once, who would find out after 30 s of silence.
 */
export function keepUp(service: Service, { impatient }: { impatient: boolean }) {
  const workerIds = new Map<Member, string>()
  const ended = new Map<Member, number>()
  const asked = new Set<Member>()
  const keepers = new Set<Promise<void>>()
  const leaving = new AbortController()

  function keep(member: Member) {
    const keeper = (async () => {
      const id = /"worker":"([0-9a-f-]{36})"/.exec(member.output())?.[1]
      if (id) workerIds.set(member, id)
      await member.exited
      ended.set(member, performance.now())
      while (!leaving.signal.aborted) {
        await sleep(RESTART_MS)
        // One that cannot reach the database ends before it is ready.
        const next = await service.start(member.kind).catch(() => undefined)
        if (next) return keep(next)
      }
    })()
    keepers.add(keeper)
    void keeper.then(() => keepers.delete(keeper))
  }
  for (const member of service.members) keep(member)

  async function declareDead(member: Member) {
    const id = workerIds.get(member)
    if (!impatient || !id) return
    await insist(() =>
      db().query(sql.typeAlias('void')`update workers set beat_at = '-infinity' where id = ${id}`),
    )
  }

  return {
    living: (kind?: Member['kind']) =>
      service.members.filter((member) => member.alive() && (!kind || member.kind === kind)),
    idOf: (member: Member) => workerIds.get(member),
    async kill(member: Member) {
      asked.add(member)
      await member.kill('SIGKILL')
      await declareDead(member)
    },
    async stop(member: Member) {
      asked.add(member)
      await member.kill('SIGTERM')
    },
    /** Stopped for so long that the others take it for dead; then it comes back, and nobody has told it. */
    async stall(member: Member, milliseconds: number) {
      asked.add(member)
      process.kill(member.pid, 'SIGSTOP')
      try {
        await declareDead(member)
        await sleep(milliseconds)
      } finally {
        if (member.alive()) process.kill(member.pid, 'SIGCONT')
      }
    },
    async addClock() {
      keep(await service.start('clock'))
    },
    /** Those that ended though nobody had asked them to, and when. */
    quitters: () => [...ended].filter(([member]) => !asked.has(member)),
    /** Every process that was there at all. */
    everybody: () => service.members,
    /** Those whose row says that they live. */
    known: () => db().anyFirst(sql.type(z.object({ id: z.string() }))`select id from workers`),
    async leaveAlone() {
      leaving.abort()
      await service.stop()
      await Promise.all(keepers)
      // One was on its way.
      await service.stop()
    },
  }
}
