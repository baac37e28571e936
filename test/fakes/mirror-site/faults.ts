import type { ServerResponse } from 'node:http'

import { misbehave } from '../hostile.ts'
import type { Answer } from '../site/server.ts'
import { linksTo, page } from './definition.ts'

const PIECE = 64 * 1024

/**
 * `/faults?pages=reset,bomb&images=endless` links and shows what misbehaves as `fakes/hostile.ts` has it, beside a good
 * page and a good image. `/big?files=20&bytes=50000000` shows as many images of that size, which do not compress.
 */
export function faulty(path: string): Answer | undefined {
  const { pathname, searchParams } = new URL(path, 'http://site.test')
  const names = (kind: string) => searchParams.get(kind)?.split(',').filter(Boolean) ?? []
  const [, first, second, third] = pathname.split('/')
  if (pathname === '/faults') {
    const pages = names('pages').map((name) => `/faults/${name}`)
    const images = names('images').map((name) => `/faults/${name}?image`)
    return shown(
      page('Faults', [linksTo(['/faults/ok', ...pages]), imagesOf(['/img/fine.png', ...images])].join('\n')),
    )
  }
  if (first === 'faults')
    return {
      respond: (request, response) => misbehave(path.slice('/faults'.length), request, response, new Set()),
    }
  if (pathname === '/big') {
    const bytes = searchParams.get('bytes')
    const files = Array.from(
      { length: Number(searchParams.get('files')) },
      (_, index) => `/bytes/${index}/${bytes}.png`,
    )
    return shown(page('Big', imagesOf(files)))
  }
  if (first === 'bytes')
    return { respond: (_request, response) => pour(response, Number(second), Number.parseInt(third ?? '0')) }
  return undefined
}

const shown = ({ type, body }: ReturnType<typeof page>): Answer => ({
  headers: { 'content-type': type },
  body,
})
const imagesOf = (paths: string[]) => paths.map((path) => `<img src="${path}" alt="">`).join('\n')

/** So many bytes like noise, other ones for each seed, as fast as they are taken. */
function pour(response: ServerResponse, seed: number, bytes: number) {
  response.writeHead(200, { 'content-type': 'image/png', 'content-length': String(bytes) })
  let state = seed + 1
  let left = bytes
  const feed = () => {
    while (left > 0 && !response.destroyed) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE, left))
      for (let at = 0; at + 4 <= piece.length; at += 4) {
        state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9
        piece.writeInt32LE(state | 0, at)
      }
      left -= piece.length
      if (!response.write(piece)) return void response.once('drain', feed)
    }
    response.end()
  }
  feed()
}
