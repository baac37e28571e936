import { randomUUID } from 'node:crypto'

import { config } from '../../../config.ts'
import { Problem, type ProblemKey } from '../../../problem.ts'
import { spendLeft } from '../../../sql/ai-spend.ts'
import { giveBack, isSpent, type Quota, use } from '../../../sql/quotas.ts'
import type { User } from '../../../sql/users.ts'
import { configuredEngines } from '../../../tasks/jobs.ts'

/** What an analysis may wait for a worker, and what its last statements may take, beyond its own bound. */
const SPARE_SECONDS = 45

/** Under which an analysis is run. */
export type Terms = {
  quota: Quota
  /** What is said when the quota is used up. */
  spent: ProblemKey
  /** It asks answer engines. */
  paid: boolean
  /** How long its answer is waited for. */
  within: number
}

/** All modules count together; matrix reports count by themselves. */
const shared: Quota = { name: 'ai', runs: 30, hours: 1 }
const matrix: Quota = { name: 'ai-matrix', runs: 10, hours: 24 }
const within = config.AI_TIMEOUT_SECONDS + SPARE_SECONDS

export const freeTerms: Terms = { quota: shared, spent: 'quota', paid: false, within }
export const paidTerms: Terms = { ...freeTerms, paid: true }
export const matrixTerms: Terms = { ...paidTerms, quota: matrix, spent: 'matrix_quota' }

export const freeProblems = ['quota', 'invalid', 'upstream_failed'] as const
export const paidProblems = [...freeProblems, 'spend_limit', 'no_engine'] as const
export const quotaNote = `Analyses of all AI modules together: ${shared.runs} an hour.`
export const matrixNote = `Matrix reports: ${matrix.runs} in 24 hours, and not counted with the others.`

/** Refuses a user who may not run another one now; to be asked before the input is looked at. */
export async function admit(user: User, { quota, spent, paid }: Terms) {
  if (await isSpent(user.id, quota)) throw new Problem(spent)
  if (paid && (await spendLeft(user.id)) <= 0) throw new Problem('spend_limit')
}

type Common = { user: number; run: string; locale: User['locale'] }

/** Runs an analysis and returns its record; one that comes to nothing is not counted. */
export async function analyse<R>(
  user: User,
  { quota, spent, paid, within }: Terms,
  store: { find(userId: number, id: number): Promise<R | null> },
  ask: (common: Common, patience: { within: number }) => Promise<{ id: number }>,
): Promise<R> {
  if (paid && configuredEngines().length === 0) throw new Problem('no_engine')
  const used = await use(user.id, quota)
  if (used === null) throw new Problem(spent)
  const common = { user: user.id, run: randomUUID(), locale: user.locale }
  const { id } = await ask(common, { within }).catch(async (error: unknown) => {
    await giveBack(used)
    throw error
  })
  const record = await store.find(user.id, id)
  if (record === null) throw new Problem('not_found')
  return record
}
