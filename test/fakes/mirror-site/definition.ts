import type { Answer } from '../site/server.ts'

export type Sort = 'html' | 'style' | 'script' | 'image' | 'video' | 'audio' | 'font' | 'other'

/**
 * One address: what it answers, and what that refers to. Addresses are paths with query as a browser sends them, with
 * `cdn:` before those of the other host. In text, `{site}` and `{cdn}` stand for the origins.
 */
export type Definition = Pick<Answer, 'status' | 'respond'> & {
  sort: Sort
  type: string
  headers?: Record<string, string>
  body: string | Buffer
  /** Pages it links to. */
  links?: readonly string[]
  /** What it needs to be shown. */
  needs?: readonly string[]
  redirectsTo?: string
  /** A phrase that a reader sees. */
  marker?: string
}
export type Definitions = Record<string, Definition>

/** A page of this markup; what it links to and needs is declared, not read from it. */
export function page(
  marker: string,
  markup: string,
  refers: Pick<Definition, 'links' | 'needs'> = {},
  { head = '', encode, charset = 'utf-8' }: PageOptions = {},
): Definition {
  const html = `<!doctype html>\n<html lang="en"><head><title>${marker}</title>${head}</head>\n<body><h1>${marker}</h1>\n${markup}\n</body></html>\n`
  return {
    sort: 'html',
    type: charset ? `text/html; charset=${charset}` : 'text/html',
    body: encode?.(html) ?? html,
    marker,
    ...refers,
  }
}
type PageOptions = { head?: string; encode?: (text: string) => Buffer; charset?: string | null }

export const linksTo = (paths: readonly string[]) =>
  paths.map((path) => `<a href="${path.replaceAll('&', '&amp;')}">${path.length}</a>`).join('\n')

export const redirect = (redirectsTo: string, status = 301): Definition => ({
  sort: 'other',
  type: 'text/html',
  status,
  body: '',
  redirectsTo,
})

export const css = (body: string, needs: readonly string[] = []): Definition => ({
  sort: 'style',
  type: 'text/css',
  body,
  needs,
})

const byExtension: Record<string, [Sort, string]> = {
  css: ['style', 'text/css'],
  js: ['script', 'text/javascript'],
  mjs: ['script', 'text/javascript'],
  png: ['image', 'image/png'],
  gif: ['image', 'image/gif'],
  jpg: ['image', 'image/jpeg'],
  webp: ['image', 'image/webp'],
  avif: ['image', 'image/avif'],
  svg: ['image', 'image/svg+xml'],
  ico: ['image', 'image/vnd.microsoft.icon'],
  mp4: ['video', 'video/mp4'],
  webm: ['video', 'video/webm'],
  mp3: ['audio', 'audio/mpeg'],
  ogg: ['audio', 'audio/ogg'],
  woff2: ['font', 'font/woff2'],
  vtt: ['other', 'text/vtt'],
  pdf: ['other', 'application/pdf'],
  webmanifest: ['other', 'application/manifest+json'],
}

/** A file whose type follows from its name, and whose content is like no other's. */
export function asset(path: string): Definition {
  const extension = /\.(\w+)(?:\?|$)/.exec(path)?.[1] ?? ''
  const [sort, type] = byExtension[extension] ?? ['other', 'application/octet-stream']
  const body =
    extension === 'svg'
      ? `<svg xmlns="http://www.w3.org/2000/svg"><desc>${path}</desc><g id="icon"/></svg>`
      : sort === 'style' || sort === 'script'
        ? `/* ${path} */`
        : Buffer.concat([Buffer.of(0x89, 0x00, 0xff), Buffer.from(path)])
  return { sort, type, body }
}
