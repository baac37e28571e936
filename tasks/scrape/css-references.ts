import { tokenizer, TokenType } from '@csstools/css-tokenizer'

import { Collector, type Rule } from './collector.ts'
import type { Document } from './references.ts'
import { type Source, sourceOf, within } from './source.ts'

const image: Rule = { kind: 'requisite', role: 'image' }
const font: Rule = { kind: 'requisite', role: 'font' }
const sheet: Rule = { kind: 'requisite', role: 'style' }

/** Functions whose strings are addresses. */
const ADDRESSES = new Set(['url', 'src', 'image-set', '-webkit-image-set'])
/** At-rules whose prelude names things by addresses without loading them. */
const NAMES = new Set(['namespace', 'charset', 'document', '-moz-document'])

/** Every address in a style sheet. `charset`: an encoding's name, as `TextDecoder` has it. */
export function cssReferences(body: Buffer, url: URL, charset: string): Document {
  const source = sourceOf(body, charset)
  const collector = new Collector(url, charset, source.encoding)
  collectCss(source, collector)
  return collector.end()
}

/** The same for a stretch of CSS in a page. */
export function collectCss(source: Source, collector: Collector) {
  if (!/url|import|image-set|src|\\/i.test(source.text)) return
  const tokens = tokenizer({ css: source.text })
  const functions: string[] = []
  let rule = ''
  let inFontFace = false
  while (!tokens.endOfFile()) {
    const token = tokens.nextToken()
    const [type, written, start] = token
    if (type === TokenType.URL || type === TokenType.String) {
      const isImport = rule === 'import'
      const isAddress = type === TokenType.URL || isImport || ADDRESSES.has(functions.at(-1) ?? '')
      if (!isAddress || NAMES.has(rule)) continue
      collectToken(source, collector, type, written, start, isImport ? sheet : inFontFace ? font : image)
      // What follows on an import says for which media it is.
      if (isImport) rule = ''
    } else if (type === TokenType.Function) functions.push(token[4].value.toLowerCase())
    else if (type === TokenType.OpenParen) functions.push('')
    else if (type === TokenType.CloseParen) functions.pop()
    else if (type === TokenType.AtKeyword) rule = token[4].value.toLowerCase()
    else if (type === TokenType.OpenCurly) {
      if (rule === 'font-face') inFontFace = true
      rule = ''
      functions.length = 0
    } else if (type === TokenType.CloseCurly) inFontFace = false
    else if (type === TokenType.Semicolon) rule = ''
  }
}

function collectToken(
  source: Source,
  collector: Collector,
  type: TokenType.URL | TokenType.String,
  token: string,
  start: number,
  rule: Rule,
) {
  const span = type === TokenType.URL ? insideUrl(token) : insideString(token)
  if (span.start === span.end) return
  const inner = within(
    source,
    start + span.start,
    start + span.end,
    type === TokenType.URL ? 'css-url' : 'css-string',
  )
  const text = inner.read(0, inner.text.length)
  const written = text.includes('\\') ? unescaped(text) : text
  collector.add(inner.at(0), inner.at(inner.text.length), inner.context, written, rule)
}

function insideUrl(token: string) {
  const open = token.indexOf('(') + 1
  const from = open + /^\s*/.exec(token.slice(open))![0].length
  const closed = token.endsWith(')') && !/[^\\](\\\\)*\\\)$/.test(token)
  const to = (closed ? token.slice(0, -1) : token).trimEnd().length
  return { start: from, end: Math.max(from, to) }
}

function insideString(token: string) {
  const closed = token.length > 1 && token.endsWith(token[0]!) && !/[^\\](\\\\)*\\.$/s.test(token)
  return { start: 1, end: closed ? token.length - 1 : token.length }
}

/** CSS Syntax 3, "consume an escaped code point"; a backslash before a line's end stands for nothing. */
function unescaped(text: string): string {
  return text.replace(
    /\\(?:([0-9a-f]{1,6})(?:\r\n|[ \t\n\r\f])?|(\r\n|[\n\r\f])|([^])|$)/gi,
    (_, hex?: string, newline?: string, character?: string) => {
      if (newline) return ''
      if (hex === undefined) return character ?? '\ufffd'
      const code = Number.parseInt(hex, 16)
      return code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)
        ? '\ufffd'
        : String.fromCodePoint(code)
    },
  )
}
