import { randomBytes } from 'node:crypto'

import { Client } from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'

import { createAccount } from '../../sql/accounts.ts'
import { makeKey } from '../../sql/keys.ts'
import { closePool, openPool } from '../../sql/pool.ts'

const POOL_SIZE = 10

/** Called at the top of a test file: its own migrated database, with the pool open on it. `url` is set before the tests. */
export function useDatabase(): { readonly url: string } {
  const database = { url: '' }
  let drop: () => Promise<void>
  beforeAll(async () => {
    const clone = await cloneDatabase()
    drop = clone.drop
    database.url = clone.url
    await openPool({ url: clone.url, size: POOL_SIZE })
  })
  afterAll(async () => {
    await closePool()
    await drop()
  })
  return database
}

/** A migrated database without a pool, for tests that run whole processes. */
export async function cloneDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await onServer(`create database ${name} template ${inject('databaseTemplate')}`)
  const url = new URL(inject('databaseUrl'))
  url.pathname = name
  return { url: url.href, drop: () => onServer(`drop database if exists ${name} with (force)`) }
}

export type Person = { id: number; email: string; key: string; headers: { Authorization: string } }

/** A user with an API key, in the open pool's database. */
export async function makePerson(
  name: 'mario' | 'giulia' | 'admin' | (string & {}),
  options: { plan?: string } = {},
): Promise<Person> {
  const key = makeKey()
  const email = `${name}@example.test`
  const { id } = await createAccount({ email, name, key, type: name === 'admin' ? 1 : 0, ...options })
  return { id, email, key, headers: { Authorization: `Bearer ${key}` } }
}

async function onServer(statement: string) {
  const client = new Client({ connectionString: inject('databaseUrl') })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
