import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'

import { Client } from 'pg'
import { inject } from 'vitest'

import { migrate } from '../../sql/migrate.ts'

export const roles = ['owner', 'worker', 'api', 'keda'] as const
export type Role = (typeof roles)[number]

/** A new database as an installation makes it: roles by sql/roles.sql, everything else by the owner's migration. */
export async function databaseWithRoles(): Promise<{
  urls: Record<Role, string>
  drop: () => Promise<void>
}> {
  const name = `roles_${randomBytes(6).toString('hex')}`
  const password = randomBytes(12).toString('hex')
  const server = inject('databaseUrl')
  const own = new URL(server)
  own.pathname = name
  await run(server, `create database ${name}`)
  await run(own.href, await readFile(new URL('../../sql/roles.sql', import.meta.url), 'utf8'))
  await run(own.href, ...roles.map((role) => `alter role seo_${role} password '${password}'`))
  const urls = Object.fromEntries(
    roles.map((role) => {
      const url = new URL(own)
      url.username = `seo_${role}`
      url.password = password
      return [role, url.href]
    }),
  ) as Record<Role, string>
  await migrate(urls.owner)
  const drop = () =>
    run(
      server,
      `drop database ${name} with (force)`,
      ...roles.map((role) => `drop role if exists seo_${role}`),
    )
  return { urls, drop }
}

/** What a statement answers under this address: its first row, or the code of its error. */
export async function attempt(url: string, statement: string): Promise<unknown> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows[0]
  } catch (error) {
    return (error as { code?: string }).code
  } finally {
    await client.end()
  }
}

async function run(url: string, ...statements: string[]) {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
