import { beginLoad, breakOffLoad, replaceLanguages, replaceLocations } from '../../sql/catalogue.ts'
import type { Payload } from '../jobs.ts'
import { Later, type Tools } from '../outcome.ts'
import { UpstreamFault } from '../upstream/fault.ts'
import { orProblem, source } from '../upstream/source.ts'

/** Who has not come back after this long is not waited for; seconds. */
const LOAD = 90
/** Wait while somebody else loads the same, seconds. */
const BUSY = 1

/** Loads the source's locations or languages into their table, unless what is there is fresh. */
export async function loadCatalogue({ name }: Payload<'catalogue.load'>, { signal, workerId }: Tools) {
  const { is_fresh: isFresh, is_mine: isMine } = await beginLoad(name, LOAD)
  if (isFresh) return {}
  if (!isMine) throw new Later(BUSY)
  try {
    const caller = { userId: null, signal, workerId }
    if (name === 'locations') await replaceLocations(await orProblem(source('locations')(caller).then(some)))
    else await replaceLanguages(await orProblem(source('languages')(caller).then(some)))
  } catch (error) {
    await breakOffLoad(name)
    throw error
  }
  return {}
}

/** A catalogue without entries is a fault, and no reason to forget what is known. */
function some<T>(entries: T[]): T[] {
  if (entries.length === 0) throw new UpstreamFault('empty', 'the catalogue is empty')
  return entries
}
