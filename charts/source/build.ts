import { writeFile } from 'node:fs/promises'

import { api } from './api.ts'
import { crawl } from './crawl.ts'
import { database } from './database.ts'
import { fleet } from './fleet.ts'
import { grafana } from './panels.ts'
import { upstreams } from './upstreams.ts'

/** Every dashboard's file, and what is to be in it. */
export const files = [fleet, crawl, api, upstreams, database].map((dashboard) => ({
  path: new URL(`../dashboards/${dashboard.name}.json`, import.meta.url),
  text: `${JSON.stringify(grafana(dashboard), null, 1)}\n`,
}))

if (import.meta.main) for (const { path, text } of files) await writeFile(path, text)
