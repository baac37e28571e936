import { isAscii } from 'node:buffer'

import { type QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

import { Tree } from '../crawl/html/tree.ts'
import { prescan } from '../crawl/prescan.ts'
import { Collector } from './collector.ts'
import { collectCss } from './css-references.ts'
import { attributeNames, rules } from './html-rules.ts'
import type { Document } from './references.ts'
import { encodingOf, type Source, sourceOf, within } from './source.ts'
import { StartTag } from './start-tag.ts'

/** Pages in a `srcdoc` within a `srcdoc`. */
const NESTING = 2
/** Browsers look for the declaration of an encoding in this many bytes. */
const PRESCAN = 1024
/** The tokenizer would stop at each character reference; they are decoded where a value is wanted. */
const OPTIONS = { decodeEntities: false }

/** Every address in a page (or in an SVG file). `charset`: an encoding's name, as `TextDecoder` has it. */
export function htmlReferences(body: Buffer, url: URL, charset: string): Document {
  const source = sourceOf(body, charset)
  const collector = new Collector(url, charset, source.encoding)
  const reader = new Reader(source, collector, 0)
  reader.read()
  const name = encodingOf(charset) ?? 'utf-8'
  if (reader.root !== 'svg' && source.encoding === 'latin1' && isUndeclared(body, name))
    collector.insert(reader.head ?? reader.html ?? reader.doctype, `<meta charset="${name}"/>`)
  return collector.end()
}

/** Whether a reader without the HTTP header would have to guess the encoding. */
function isUndeclared(body: Buffer, name: string): boolean {
  if (isAscii(body) || body.toString('latin1', 0, 3) === '\xef\xbb\xbf') return false
  return prescan(body.toString('latin1', 0, PRESCAN), encodingOf) !== name
}

class Reader implements TokenizerCallbacks {
  /** The first element, and where the start tags of these two and the doctype end. */
  root: string | null = null
  html: number | null = null
  head: number | null = null
  doctype = 0
  #source: Source
  #collector: Collector
  #nesting: number
  #tag: StartTag
  /** What the next text is CSS in. */
  #style: 'html' | 'drawing' | null = null
  /** The tree is kept while a drawing or a formula is open: only their content is read differently. */
  #drawings = 0
  #formulas = 0
  #tree = new Tree(({ name }) => {
    if (name === 'svg') this.#drawings--
    if (name === 'math') this.#formulas--
  })

  constructor(source: Source, collector: Collector, nesting: number) {
    this.#source = source
    this.#collector = collector
    this.#nesting = nesting
    this.#tag = new StartTag(source, collector)
  }

  read() {
    const tokenizer = new Tokenizer(OPTIONS, this)
    tokenizer.write(this.#source.text)
    tokenizer.end()
  }

  onopentagname(start: number, end: number) {
    this.#tag.open(this.#name(start, end))
  }

  onattribname(start: number, end: number) {
    const name = this.#name(start, end)
    if (attributeNames.has(name)) this.#tag.openAttribute(name, start)
    else this.#tag.skipAttribute()
  }

  onattribdata(start: number, end: number) {
    this.#tag.setValue(start, end)
  }

  onattribend(quote: QuoteType) {
    this.#tag.closeAttribute(quote)
  }

  onopentagend(end: number) {
    this.#open(this.#tag.name, end)
  }

  onselfclosingtag(end: number) {
    this.#open(this.#tag.name, end)
    if (this.#tree.foreign) this.#close(this.#tag.name)
  }

  onclosetag(start: number, end: number) {
    this.#close(this.#name(start, end))
  }

  ontext(start: number, end: number) {
    if (!this.#style) return
    collectCss(within(this.#source, start, end, this.#style === 'drawing' ? 'text' : null), this.#collector)
  }

  /** Outside of drawings it is a comment, which the first `>` ends. */
  oncdata(start: number, end: number, offset: number) {
    if (this.#style) collectCss(within(this.#source, start, end - offset, null), this.#collector)
    else if (!this.#tree.foreign) this.#resume(start, end + 1)
  }

  ondeclaration(_start: number, end: number) {
    this.doctype = this.#source.at(end + 1)
  }

  /** Called for processing instructions too, which only XML has. */
  oncomment(start: number, end: number) {
    if (this.#source.text.startsWith('[CDATA[', start)) return this.#resume(start, end)
    if (!this.#source.text.startsWith('?xml-stylesheet', start)) return
    const written = this.#source.text.slice(start, end)
    const span = /\shref\s*=\s*(["'])(.*?)\1/ds.exec(written)?.indices?.[2]
    if (span) this.#tag.add(start + span[0], start + span[1], 'attribute', rules.style)
  }

  isInForeignContext() {
    return this.#tree.foreign
  }

  onend() {}
  onprocessinginstruction() {}
  ontextentity() {}
  onattribentity() {}

  #resume(from: number, end: number) {
    const start = this.#source.text.indexOf('>', from) + 1
    if (start === 0 || start >= end) return
    const rest = within(this.#source, start, end, null)
    // Without sections the tokenizer does the same by itself.
    const text = rest.text.replaceAll('<![CDATA[', '<![cdata[')
    new Reader({ ...rest, text }, this.#collector, this.#nesting).read()
  }

  #open(name: string, end: number) {
    this.root ??= name
    if (name === 'html') this.html ??= this.#source.at(end + 1)
    if (name === 'head') this.head ??= this.#source.at(end + 1)
    const kind = this.#inTree || name === 'svg' || name === 'math' ? this.#tree.kind(name) : null
    if (kind) this.#tree.makeRoom(kind)
    if (name === 'svg') this.#drawings++
    if (name === 'math') this.#formulas++
    this.#meet(name)
    if (kind && this.#inTree) this.#tree.open(kind)
  }

  #close(name: string) {
    this.#style = null
    if (!this.#inTree) return
    // Even an end tag of theirs leaves a drawing.
    if (name === 'p' || name === 'br') this.#tree.makeRoom(this.#tree.kind(name))
    this.#tree.close(name)
  }

  get #inTree() {
    return this.#drawings + this.#formulas > 0
  }

  #meet(name: string) {
    const { foreign } = this.#tree
    if (name === 'style') this.#style = foreign ? 'drawing' : 'html'
    if (this.#nesting === 0 && name === 'base' && !foreign) this.#tag.collectBase()
    if (this.#nesting < NESTING && name === 'iframe' && !foreign) {
      const page = this.#tag.within('srcdoc')
      if (page) new Reader(page, this.#collector, this.#nesting + 1).read()
    }
    if (foreign ? this.#drawings > 0 : name === 'svg') this.#tag.collect('drawing')
    else this.#tag.collect(foreign ? 'formula' : 'html')
  }

  #name(start: number, end: number) {
    const name = this.#source.text.slice(start, end)
    return /[A-Z]/.test(name) ? name.toLowerCase() : name
  }
}
