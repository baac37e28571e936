import { db, type Executor } from '../../sql/pool.ts'
import { close } from '../../sql/rank-tasks.ts'
import { keepRank } from '../../sql/refreshes.ts'
import { rankDrop } from '../alerts/rules/rank-drop.ts'
import { rankGain } from '../alerts/rules/rank-gain.ts'
import { judge, settle } from '../alerts/rules/rule.ts'
import type { Rank } from '../upstream/keyword-data.ts'

/** Stores where a keyword stands, together with the alert if it moved far. */
export async function storeRank(keywordId: number, rank: Rank): Promise<void> {
  await db().transaction((tx) => store(keywordId, rank, tx))
}

/** Stores the answer to a queued question likewise, once however often it is collected. */
export async function storeAnswer(taskId: number, rank: Rank): Promise<void> {
  await db().transaction(async (tx) => {
    const keywordId = await close(taskId, tx)
    if (keywordId !== null) await store(keywordId, rank, tx)
  })
}

async function store(keywordId: number, rank: Rank, tx: Executor) {
  const before = await keepRank(keywordId, rank, tx)
  if (!before?.is_comparable) return
  const { user_id: userId, project_id: projectId, domain, keyword, position: from } = before
  const move = { keywordId, keyword, projectId, domain, from, to: rank.position }
  await settle([judge(rankDrop, userId, move), judge(rankGain, userId, move)], tx)
}
