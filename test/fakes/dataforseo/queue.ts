import { randomUUID } from 'node:crypto'

import type { Refusal } from './results.ts'

type Task = Record<string, unknown>
type Outcome = Refusal | { result: unknown[] }

export type Queue = {
  post: (task: Task) => object
  ready: () => object[]
  get: (id: string) => Outcome
  /** From now on everything posted has its answer. */
  finish: () => void
}

/** The standard queue: tasks are taken, and answered when the test says so. Ready ones are listed until collected. */
export function startQueue(answer: (task: Task) => Outcome): Queue {
  const tasks = new Map<string, { task: Task; done: boolean; collected: boolean }>()
  return {
    post(task) {
      const id = randomUUID()
      const checked = answer(task)
      const refused = 'code' in checked && checked.code !== 40102 ? checked : null
      if (!refused) tasks.set(id, { task, done: false, collected: false })
      return {
        id,
        status_code: refused?.code ?? 20100,
        status_message: refused?.message ?? 'Task Created.',
        cost: refused ? 0 : 0.0006,
        result_count: 0,
        path: [],
        data: task,
        result: null,
      }
    },
    ready: () =>
      [...tasks]
        .filter(([, { done, collected }]) => done && !collected)
        .map(([id, { task }]) => ({
          id,
          se: 'google',
          se_type: 'organic',
          date_posted: '2026-11-21 00:00:00 +00:00',
          tag: task['tag'] ?? null,
          endpoint_advanced: `/v3/serp/google/organic/task_get/advanced/${id}`,
        })),
    get(id) {
      const known = tasks.get(id)
      if (!known) return { code: 40401, message: 'Task Not Found.' }
      if (!known.done) return { code: 40602, message: 'Task In Queue.' }
      known.collected = true
      return answer(known.task)
    },
    finish() {
      for (const each of tasks.values()) each.done = true
    },
  }
}
