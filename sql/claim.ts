import { mkdirSync, statSync } from 'node:fs'
import { createServer } from 'node:net'

/**
 * Claims a data directory for one purpose as long as this process lives; false when another process has it. An abstract
 * socket named after the directory's inode: the kernel lets go of it however the process ends, so no claim is ever stale.
 */
export async function claim(dataDir: string, purpose: 'service' | 'postgres'): Promise<boolean> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  // Elsewhere PostgreSQL's own postmaster.pid is the only guard.
  if (process.platform !== 'linux') return true
  const { dev, ino } = statSync(dataDir)
  const socket = createServer((caller) => caller.destroy())
  return await new Promise((resolve, reject) => {
    socket.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    socket.listen(`\0seo-suite-${purpose}-${dev}-${ino}`, () => resolve(true))
    socket.unref()
  })
}
