import type { AddressInfo } from 'node:net'

import express from 'express'

/** The files of a directory, served by a process of its own. */
process.on('message', ({ directory }: { directory: string }) => {
  const server = express()
    .use(express.static(directory, { etag: false }))
    .listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      process.send?.({ origin: `http://127.0.0.1:${port}` })
    })
  server.keepAliveTimeout = 60_000
})
