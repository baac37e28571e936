import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

import { db, sql } from '../../sql/pool.ts'
import { closeAnswers } from '../../tasks/jobs.ts'
import { useCrew } from '../support/crew.ts'
import { useDatabase } from '../support/database.ts'
import { ask, createMarks, emptyQueue, marks, queued } from '../support/jobs.ts'

const database = useDatabase()
const startCrew = useCrew(database)
beforeAll(createMarks)
beforeEach(emptyQueue)
afterAll(closeAnswers)

const soon = { timeout: 10_000, interval: 20 }

const states = async () =>
  await db().anyFirst(
    sql.type(z.object({ state: z.string() }))`select state from answers order by created_at`,
  )

/** Ends the connections that listen for answers, as a failover would. */
const cutListener = async () =>
  await db().anyFirst(sql.type(z.object({ cut: z.boolean() }))`
    select pg_terminate_backend(pid) as cut from pg_stat_activity where application_name = 'listen answers'
       and datname = current_database()`)

describe('ask', () => {
  test('returns what the job answers', async () => {
    await startCrew()
    expect(await ask('test.echo', { word: 'hello' }, { within: 10 })).toEqual({ word: 'hello' })
    expect((await states()).at(-1)).toBe('done')
  })

  test('gives many at once each its own answer', async () => {
    await startCrew()
    const words = Array.from({ length: 40 }, (_, n) => `w${n}`)
    const answers = await Promise.all(words.map((word) => ask('test.echo', { word }, { within: 10 })))
    expect(answers.map(({ word }) => word)).toEqual(words)
    const listeners = await db().anyFirst(sql.type(z.object({ pid: z.int() }))`
      select pid from pg_stat_activity where application_name = 'listen answers' and datname = current_database()`)
    expect(listeners).toHaveLength(1)
  })

  test('throws the problem that the job throws', async () => {
    await startCrew()
    const asked = ask('test.echo', { word: 'p', fail: 'problem' }, { within: 10 })
    await expect(asked).rejects.toMatchObject({ name: 'Problem', key: 'quota', params: { seconds: 7 } })
    await vi.waitFor(async () => expect(await queued()).toEqual([]), soon)
  })

  test('turns any other failure into upstream_failed', async () => {
    await startCrew()
    const asked = ask('test.echo', { word: 'e', fail: 'error' }, { within: 10 })
    await expect(asked).rejects.toMatchObject({ name: 'Problem', key: 'upstream_failed' })
  })

  test('gives up in time, and then no worker begins the work', async () => {
    const asked = ask('test.echo', { word: 'too late' }, { within: 0.2 })
    await expect(asked).rejects.toMatchObject({ key: 'upstream_failed' })
    await vi.waitFor(async () => expect((await states()).at(-1)).toBe('failed'), soon)
    await startCrew()
    await vi.waitFor(async () => expect(await queued()).toEqual([]), soon)
    expect(await marks('echo too late')).toEqual([])
  })

  test('survives a notification that is lost', async () => {
    const asked = ask('test.echo', { word: 'lost' }, { within: 10 })
    await vi.waitFor(async () => expect(await queued()).toHaveLength(1), soon)
    const [job] = await queued()
    // Written without a word to anybody.
    await db().query(sql.typeAlias('void')`
      update answers set state = 'done', result = '{"word": "silent"}' where id = ${String(job?.payload['_answer'])}`)
    expect(await asked).toEqual({ word: 'silent' })
  })

  test('survives the loss of its connection', async () => {
    const asked = ask('test.echo', { word: 'cut' }, { within: 10 })
    await vi.waitFor(async () => expect(await queued()).toHaveLength(1), soon)
    expect(await cutListener()).toEqual([true])
    await startCrew()
    expect(await asked).toEqual({ word: 'cut' })
    expect(await ask('test.echo', { word: 'afterwards' }, { within: 10 })).toEqual({ word: 'afterwards' })
  })
})
