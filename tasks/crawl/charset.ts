import { isUtf8 } from 'node:buffer'

import { prescan } from './prescan.ts'

/** The standard looks for a declaration in this many bytes and no further. */
const prescanBytes = 1024

export type Decoded = {
  html: string
  /** Name of the encoding that was used, in lower case. */
  charset: string
  source: 'bom' | 'header' | 'meta' | 'default'
  /** What the Content-Type header declares: the encoding's name, or the label when nobody knows it. */
  headerCharset?: string
  metaCharset?: string
  /** Whether bytes did not fit the encoding and became U+FFFD. */
  damaged: boolean
}

/** Decodes a page as the HTML standard has it: BOM, then header, then meta; without any, UTF-8 where it fits. */
export function decodeHtml(body: Buffer, contentTypeHeader: string | undefined): Decoded {
  const bom = bomOf(body)
  const label = labelIn(contentTypeHeader)
  const header = label && encodingOf(label)
  const meta = prescan(body.toString('latin1', 0, prescanBytes), encodingOf)
  const [charset, source] = bom
    ? [bom, 'bom' as const]
    : header
      ? [header, 'header' as const]
      : meta
        ? [meta, 'meta' as const]
        : [isUtf8(body) ? 'utf-8' : 'windows-1252', 'default' as const]
  return {
    ...decode(body, charset),
    charset,
    source,
    ...(label && { headerCharset: header ?? label }),
    ...(meta && { metaCharset: meta }),
  }
}

function decode(body: Buffer, charset: string) {
  if (charset === 'utf-8') {
    const start = body[0] === 0xef && bomOf(body) === 'utf-8' ? 3 : 0
    return { html: body.toString('utf8', start), damaged: !isUtf8(body) }
  }
  const html = new TextDecoder(charset).decode(body)
  return { html, damaged: html.includes('\ufffd') }
}

function bomOf(body: Buffer): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8'
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be'
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le'
  return undefined
}

const charsetParameter = /;\s*charset\s*=\s*(?:"([^"]*)"|([^;,\s]*))/i
const labelIn = (contentType: string | undefined) => {
  const found = contentType && charsetParameter.exec(contentType)
  return (found && (found[1] ?? found[2])?.trim().toLowerCase()) || undefined
}

const names = new Map<string, string>()

/** The encoding a label means; undefined when it means none, or one that browsers refuse to decode. */
function encodingOf(label: string): string | undefined {
  const known = names.get(label)
  if (known) return known
  try {
    const { encoding } = new TextDecoder(label)
    names.set(label, encoding)
    return encoding
  } catch {
    return undefined // a RangeError: no such encoding
  }
}
