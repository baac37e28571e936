import { decodeHTML } from 'entities'
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

import type { Facts } from './facts.ts'
import { Attributes } from './html/attributes.ts'
import { Document } from './html/document.ts'

export type { Facts } from './facts.ts'

/** Reads everything that links and checks need in one pass over the HTML; no tree is kept. */
export function parse(html: string, url: URL): Facts {
  // PostgreSQL takes no NUL in a text; browsers drop it too.
  const clean = html.includes('\0') ? html.replaceAll('\0', '') : html
  const reader = new Reader(clean)
  // Entities are decoded where a text is kept: the tokenizer would stop at each of them.
  const tokenizer = new Tokenizer({ decodeEntities: false }, reader)
  tokenizer.write(clean)
  tokenizer.end()
  return reader.document.end(url, clean.length)
}

/** Turns the tokenizer's positions into tags and texts. */
class Reader implements TokenizerCallbacks {
  readonly document = new Document()
  readonly #html: string
  readonly #attributes: Attributes
  #tag = ''
  #attribute = ''
  #start = 0
  #end = 0

  constructor(html: string) {
    this.#html = html
    this.#attributes = new Attributes(html)
  }

  onopentagname(start: number, end: number) {
    this.#tag = lower(this.#html.slice(start, end))
    this.#attributes.clear()
  }

  onattribname(start: number, end: number) {
    this.#attribute = lower(this.#html.slice(start, end))
    this.#start = this.#end = end
  }

  onattribdata(start: number, end: number) {
    this.#start = start
    this.#end = end
  }

  onattribend() {
    this.#attributes.add(this.#attribute, this.#start, this.#end)
  }

  onopentagend() {
    this.document.open(this.#tag, this.#attributes)
  }

  onselfclosingtag() {
    this.document.open(this.#tag, this.#attributes)
    if (this.document.inForeign) this.document.close(this.#tag)
  }

  onclosetag(start: number, end: number) {
    this.document.close(lower(this.#html.slice(start, end)))
  }

  ontext(start: number, end: number) {
    if (this.document.skipsText) return
    const text = this.#html.slice(start, end)
    this.document.text(this.document.inRaw || !text.includes('&') ? text : decodeHTML(text))
  }

  oncdata(start: number, end: number, offset: number) {
    if (this.document.inForeign) this.document.text(this.#html.slice(start, end - offset))
  }

  ondeclaration(start: number, end: number) {
    this.document.doctype ??= this.#html.slice(start, Math.min(end, start + 200)).toLowerCase()
  }

  isInForeignContext() {
    return this.document.inForeign
  }

  oncomment() {}
  onend() {}
  onprocessinginstruction() {}
  ontextentity() {}
  onattribentity() {}
}

/** Nearly all are in lower case already. */
function lower(name: string): string {
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i)
    if (unit <= 0x5a && unit >= 0x41) return name.toLowerCase()
  }
  return name
}
