import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { config } from '../../config.ts'
import { unknownWorkers } from '../../sql/workers.ts'

/** Beside the archives: what is written here is moved there. Each worker process has a directory with its id. */
const root = join(config.DATA_DIR, 'scrape')

/** A directory for the files of one run, gone when it ends. */
export class Workspace {
  readonly directory: string
  #files = 0

  static async open(workerId: string): Promise<Workspace> {
    const own = join(root, workerId)
    await mkdir(own, { recursive: true })
    return new Workspace(await mkdtemp(join(own, 'run-')))
  }

  private constructor(directory: string) {
    this.directory = directory
  }

  /** A path that nothing else has. */
  path(): string {
    return join(this.directory, String(++this.#files))
  }

  async close() {
    await rm(this.directory, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Removes what workers left here that were killed. */
export async function sweepWorkspaces(workerId: string): Promise<void> {
  const found = await readdir(root).catch(() => [])
  const others = found.filter((name) => name !== workerId)
  if (others.length === 0) return
  for (const dead of await unknownWorkers(others))
    await rm(join(root, dead), { recursive: true, force: true })
}
