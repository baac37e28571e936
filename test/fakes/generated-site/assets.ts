import type { Answer } from '../site/server.ts'

/** A PNG of this size, as far as those read it who want to know that. */
function png(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(400)
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(bytes)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

const kept = { 'cache-control': 'public, max-age=604800' }
const file = (type: string, body: string | Buffer): Answer => ({
  headers: { ...kept, 'content-type': type, 'content-length': String(body.length) },
  body,
})
const script = (bytes: number) => file('text/javascript', 'x()'.padEnd(bytes, ';'))

/** What a site has besides its pages; some of it is at fault, for pages that name it. */
export const assets = (sitemap: string): Record<string, Answer> => ({
  '/robots.txt': {
    headers: { 'content-type': 'text/plain' },
    body: 'User-agent: *\nDisallow: /closed/\n\nSitemap: {origin}/sitemap.xml\n',
  },
  '/sitemap.xml': { headers: { 'content-type': 'application/xml' }, body: sitemap },
  '/llms.txt': {
    headers: { 'content-type': 'text/plain' },
    body: '# Handbook\n\n> How it is done.\n\n- [Start]({origin}/): where it begins, and all that follows\n',
  },
  '/favicon.ico': file('image/x-icon', Buffer.alloc(100)),
  '/style.css': file('text/css', 'p{margin:0}'),
  '/app.js': script(50),
  '/figure.webp': file('image/webp', Buffer.alloc(300)),
  '/preview.png': file('image/png', png(1200, 630)),
  '/small.png': file('image/png', png(600, 315)),
  '/photo.jpg': file('image/jpeg', Buffer.alloc(60_000)),
  '/large.webp': file('image/webp', Buffer.alloc(210_000)),
  '/large.js': script(260_000),
  '/heavy.js': script(2_600_000),
  '/fresh.css': { headers: { 'content-type': 'text/css', 'cache-control': 'no-store' }, body: 'p{margin:0}' },
  '/closed/app.js': script(50),
})

/** Another host. */
export const elsewhere: Record<string, Answer> = {
  '/': { body: '<!doctype html><title>Elsewhere</title>' },
  '/moved': { status: 301, headers: { location: '/' } },
  '/refuses': { status: 403 },
}
