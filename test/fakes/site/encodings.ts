import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'

export const compress: Record<string, (body: string) => Buffer> = {
  gzip: (body) => gzipSync(body),
  br: (body) => brotliCompressSync(body),
  deflate: (body) => deflateSync(body),
  zstd: (body) => zstdCompressSync(body),
}

/** Node decodes Shift_JIS but does not encode it: the table is read off the decoder. */
export function shiftJis(text: string): Buffer {
  const decoder = new TextDecoder('shift_jis', { fatal: true })
  const table = new Map<string, number[]>()
  for (let lead = 0x81; lead <= 0x9f; lead++)
    for (let trail = 0x40; trail <= 0xfc; trail++) {
      try {
        const [character, more] = decoder.decode(Uint8Array.of(lead, trail))
        if (character && !more) table.set(character, [lead, trail])
      } catch {
        continue // not a character of the set
      }
    }
  return Buffer.from(
    Array.from(text).flatMap((character) =>
      character < '\u0080' ? [character.charCodeAt(0)] : (table.get(character) ?? [0x3f]),
    ),
  )
}

export const latin1 = (text: string) => Buffer.from(text, 'latin1')

export const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
