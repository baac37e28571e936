import type { FakeServer } from '../fakes/site/server.ts'

/**
 * The requests of a log that fetch pages: by GET and in the crawler's own name. Visits in the names of others, and looks
 * at what pages use, are left out.
 */
export const fetches = (log: FakeServer['log']) =>
  log.filter(({ method, headers }) => method === 'GET' && headers['user-agent']?.startsWith('SeoSuiteBot/'))

/** How often each path was fetched so. */
export function fetched(log: FakeServer['log']): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { path } of fetches(log)) counts.set(path, (counts.get(path) ?? 0) + 1)
  return counts
}
