import { decodeHTML, decodeHTMLAttribute } from 'entities'

import type { Document, Notation } from './references.ts'

/** A body, or a stretch of it in a notation of its own, as tokenizers can read it without losing the byte offsets. */
export type Source = {
  /** ASCII is itself; any other character only says that it is no syntax. */
  text: string
  /** The characters that really stand there. */
  read(start: number, end: number): string
  /** Offset in the body, in bytes. */
  at(index: number): number
  /** The notations around it, innermost first. */
  context: readonly Notation[]
}

/** `charset`: an encoding's name or label as `TextDecoder` knows it; an unknown one is read as UTF-8. */
export function sourceOf(body: Buffer, charset: string): Source & { encoding: Document['encoding'] } {
  const decoder = new TextDecoder(encodingOf(charset) ?? 'utf-8')
  if (decoder.encoding === 'utf-16le' || decoder.encoding === 'utf-16be') return wide(body, decoder.encoding)
  const text = masked(body.toString('latin1'), decoder.encoding)
  const read =
    decoder.encoding === 'utf-8'
      ? (start: number, end: number) => body.toString('utf8', start, end)
      : (start: number, end: number) => decoder.decode(body.subarray(start, end))
  return {
    text,
    read: (start, end) => {
      const slice = text.slice(start, end)
      return NON_ASCII.test(slice) ? read(start, end) : slice
    },
    at: (index) => index,
    context: [],
    encoding: 'latin1',
  }
}

function wide(body: Buffer, encoding: 'utf-16le' | 'utf-16be'): ReturnType<typeof sourceOf> {
  const whole = body.subarray(0, body.length & ~1)
  const text = (encoding === 'utf-16le' ? whole : Buffer.from(whole).swap16()).toString('utf16le')
  return {
    text,
    read: (start, end) => text.slice(start, end),
    at: (index) => index * 2,
    context: [],
    encoding: encoding === 'utf-16le' ? 'utf16le' : 'utf16be',
  }
}

/** A stretch of a source that stands in `notation`; the character references of HTML are undone. */
export function within(source: Source, start: number, end: number, notation: Notation | null): Source {
  const context = notation ? [notation, ...source.context] : source.context
  const written = source.text.slice(start, end)
  const decode = notation && DECODERS[notation]
  if (!decode || !written.includes('&'))
    return {
      text: written,
      read: (from, to) => source.read(start + from, start + to),
      at: (index) => source.at(start + index),
      context,
    }
  const { text, positions } = unescaped(written, decode)
  const position = (index: number) => start + positions[index]!
  return {
    text,
    read: (from, to) => decode(source.read(position(from), position(to))),
    at: (index) => source.at(position(index)),
    context,
  }
}

const DECODERS: { [notation in Notation]?: (text: string) => string } = {
  attribute: decodeHTMLAttribute,
  unquoted: decodeHTMLAttribute,
  text: decodeHTML,
}

/** The text with its character references decoded, and for each of its characters, and its end, where it was written. */
function unescaped(written: string, decode: (text: string) => string) {
  // No reference is shorter than what it means.
  const positions = new Uint32Array(written.length + 1)
  let text = ''
  let length = 0
  let last = 0
  const copy = (to: number) => {
    for (let i = last; i < to; i++) positions[length++] = i
    text += written.slice(last, to)
  }
  // What follows a reference without semicolon decides whether it is one.
  for (const { 0: reference, index } of written.matchAll(/&#?[0-9A-Za-z]+[;=]?/g)) {
    const character = decode(reference)
    if (character === reference) continue
    copy(index)
    for (let i = 0; i < character.length; i++) positions[length++] = index
    text += character
    last = index + reference.length
  }
  copy(written.length)
  positions[length] = written.length
  return { text, positions }
}

// oxlint-disable-next-line no-control-regex
const NON_ASCII = /[^\0-\x7f]/

/** Encodings in which the second byte of a character may be an ASCII letter, a backslash or a bracket. */
const DOUBLE: Record<string, RegExp | undefined> = {
  shift_jis: /[\x81-\x9f\xe0-\xfc][\x40-\x7e\x80-\xfc]/g,
  big5: /[\x81-\xfe][\x40-\x7e\xa1-\xfe]/g,
  gbk: /[\x81-\xfe][\x40-\x7e\x80-\xfe]/g,
  gb18030: /[\x81-\xfe][\x40-\x7e\x80-\xfe]/g,
  'euc-kr': /[\x81-\xfe][\x41-\x5a\x61-\x7a\x81-\xfe]/g,
  // oxlint-disable-next-line no-control-regex
  'iso-2022-jp': /\x1b\$[@B][^\x1b]*|\x1b\(I[^\x1b]*/g,
}

function masked(text: string, encoding: string): string {
  const double = DOUBLE[encoding]
  return double ? text.replace(double, (bytes) => '\x80'.repeat(bytes.length)) : text
}

/** The encoding that a label means; undefined when it means none. */
export function encodingOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined // a RangeError: no such encoding
  }
}
