import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Client } from 'pg'
import type { TestProject } from 'vitest/node'

import { config } from '../../config.ts'
import { publishChecks } from '../../sql/checks.ts'
import { startEmbedded, unsafeSettings } from '../../sql/embedded.ts'
import { migrate } from '../../sql/migrate.ts'
import { closePool, openPool } from '../../sql/pool.ts'
import { registry } from '../../tasks/crawl/checks/index.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The test server, and the migrated database on it that every test file clones. */
    databaseUrl: string
    databaseTemplate: string
  }
}

type Server = { url: string; template: string; stop: () => Promise<void> }

// Vitest loads this file once for each project; they share one server.
const shared = globalThis as { testServer?: { server: Promise<Server>; users: number } }

export default async function setup(project: TestProject) {
  shared.testServer ??= { server: startServer(), users: 0 }
  const mine = shared.testServer
  mine.users++
  const { url, template, stop } = await mine.server
  project.provide('databaseUrl', url)
  project.provide('databaseTemplate', template)
  return async () => {
    if (--mine.users > 0) return
    delete shared.testServer
    await stop()
  }
}

async function startServer(): Promise<Server> {
  const template = `seo_template_${randomBytes(4).toString('hex')}`
  if (config.DATABASE_URL) {
    const url = config.DATABASE_URL
    await makeTemplate(url, template)
    const stop = () => run(url, `alter database ${template} is_template false`, `drop database ${template}`)
    return { url, template, stop }
  }
  const directory = await mkdtemp(join(tmpdir(), 'seo-suite-test-'))
  const postgres = await startEmbedded(directory, { settings: unsafeSettings })
  await makeTemplate(postgres.url, template)
  return {
    url: postgres.url,
    template,
    async stop() {
      await postgres.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function makeTemplate(url: string, template: string) {
  await run(url, `create database ${template}`)
  const inside = new URL(url)
  inside.pathname = template
  await migrate(inside.href)
  await openPool({ url: inside.href, size: 2 })
  await publishChecks(registry)
  await closePool()
  await run(url, `alter database ${template} is_template true allow_connections false`)
}

async function run(url: string, ...statements: string[]) {
  const client = new Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}
