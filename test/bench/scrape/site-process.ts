import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { generate, type Size } from '../../fakes/generated-site.ts'
import { faulty } from '../../fakes/mirror-site/faults.ts'
import { words } from '../../fakes/site/html.ts'

/** The benchmark's site, with what its pages load, in a process of its own, so that serving it counts for nobody. */
const FIGURES = 9
const FIGURE_BYTES = 12_000

let files = new Map<string, { type: string; body: Buffer | string }>()

const server = createServer((request, response) => {
  const path = request.url ?? ''
  const file = files.get(path)
  // The large site of the memory test.
  const other = file ? undefined : faulty(path)
  if (other?.respond) return other.respond(request, response)
  const { type = 'text/html', body = other?.body ?? '' } = file ?? {}
  response.writeHead(file || other ? 200 : 404, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
})
server.keepAliveTimeout = 60_000

process.on('message', ({ size }: { size: Size }) => {
  files = new Map(
    [...generate(size).pages].map(([path, { body = '' }]) => [
      path,
      { type: 'text/html; charset=utf-8', body },
    ]),
  )
  const figures = Array.from({ length: FIGURES }, (_, index) => `/figure-${index}.png`)
  for (const path of [...figures, '/back.png', '/font.woff2'])
    files.set(path, {
      type: path.endsWith('png') ? 'image/png' : 'font/woff2',
      body: Buffer.from(words(FIGURE_BYTES / 7, path)),
    })
  files.set('/style.css', {
    type: 'text/css',
    body: '@font-face { font-family: own; src: url(font.woff2) } body { font-family: own; background: url(back.png) }',
  })
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    process.send?.({ origin: `http://127.0.0.1:${port}` })
  })
})
