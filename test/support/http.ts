import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, beforeAll } from 'vitest'

/** Called at the top of a test file: a listener on a free port of the loopback while the tests run. */
export function useServer(listener: RequestListener): { readonly url: string; readonly port: number } {
  const server = createServer(listener)
  const where = { url: '', port: 0 }
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    where.port = (server.address() as AddressInfo).port
    where.url = `http://127.0.0.1:${where.port}`
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return where
}
