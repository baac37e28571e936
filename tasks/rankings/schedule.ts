import { db } from '../../sql/pool.ts'
import * as tasks from '../../sql/rank-tasks.ts'
import { claim } from '../../sql/refreshes.ts'
import { enqueue } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import { canSource } from '../upstream/configured.ts'

/** Begins the refresh of every project whose turn it is: by the source's cheap queue where it has one. */
export async function scheduleRefreshes(_payload: object, { log }: Tools) {
  if (!canSource('rank')) return
  await db().transaction(async (tx) => {
    const due = await tasks.takeDueProjects(tx)
    if (canSource('queue')) {
      await tasks.addTasks(
        due.map(({ id }) => id),
        tx,
      )
      await enqueue('rankings.post', {}, { on: tx, key: 'rankings.post' })
    } else {
      for (const { id, user_id: user } of due) {
        if (await claim(id, tx)) await enqueue('rankings.refresh', { project: id, user }, { on: tx })
      }
    }
    if (due.length > 0) log.info({ projects: due.length }, 'projects are refreshed')
  })
}
