import { randomUUID } from 'node:crypto'

import { db } from '../../sql/pool.ts'
import * as tasks from '../../sql/rank-tasks.ts'
import { enqueue, enqueueAll } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import { canSource } from '../upstream/configured.ts'

/** Begins the refresh of every project whose turn it is: by the source's cheap queue where it has one. */
export async function scheduleRefreshes(_payload: object, { log, signal }: Tools) {
  if (!canSource('rank')) return
  await tasks.setTurns()
  let projects = 0
  for (let taken = tasks.PROJECTS; taken === tasks.PROJECTS && !signal.aborted;) {
    const due = await takeDue()
    taken = due.length
    projects += due.filter((project) => project.is_wanted).length
  }
  if (projects > 0) log.info({ projects }, 'projects are refreshed')
}

async function takeDue() {
  return await db().transaction(async (on) => {
    const due = await tasks.takeDueProjects(on)
    const wanted = due.filter((project) => project.is_wanted)
    if (wanted.length === 0) return due
    if (canSource('queue')) {
      await tasks.addTasks(
        wanted.map(({ id }) => id),
        on,
      )
      await enqueue('rankings.post', {}, { on, key: 'rankings.post' })
    } else {
      const checks = wanted.map(({ id, user_id: user }) => ({
        payload: { project: id, user, claim: randomUUID() },
        key: `recheck:${id}`,
      }))
      await enqueueAll('rankings.recheck', checks, { on })
    }
    const byUser = [...Map.groupBy(wanted, ({ user_id: user }) => user)]
    const volumes = byUser.map(([user, owned]) => ({
      payload: { user, projects: owned.map(({ id }) => id) },
    }))
    if (canSource('volumes')) await enqueueAll('rankings.volumes', volumes, { on })
    return due
  })
}
