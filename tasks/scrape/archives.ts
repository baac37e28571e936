import { Problem } from '../../problem.ts'
import type { Payload } from '../jobs.ts'
import type { Tools } from '../outcome.ts'
import { storage } from '../storage.ts'

/** How long a link to an archive is good, seconds: a slow download only has to begin in this time. */
const LINK_SECONDS = 3600

/** Deletes an archive, and what an upload left of it. */
export async function removeArchive({ archive }: Payload<'scrape.remove'>, { log }: Tools): Promise<void> {
  const store = await storage()
  await store.remove(archive)
  log.info({ archive }, 'archive removed')
}

/** Gives an address from which an archive can be had. */
export async function linkArchive({ archive }: Payload<'scrape.link'>): Promise<{ url: string }> {
  const store = await storage()
  const url = await store.link(archive, { seconds: LINK_SECONDS })
  if (url === null) throw new Problem('not_found')
  return { url }
}
