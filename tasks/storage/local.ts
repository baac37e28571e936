import { mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'

import type { Storage } from '../storage.ts'

/** Files in one directory. What is put has to lie on the same file system. */
export function localStorage(directory: string): Storage {
  const pathOf = (key: string) => join(directory, basename(key))
  return {
    async put(key, file) {
      await mkdir(directory, { recursive: true })
      await sync(file)
      await rename(file, pathOf(key))
      await sync(directory)
    },
    link: async () => null,
    remove: (key) => rm(pathOf(key), { force: true }),
  }
}

async function sync(path: string) {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
