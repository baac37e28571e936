import type { Facts } from '../facts.ts'
import type { Attributes } from './attributes.ts'

const SOURCES = 30
/** Characters from which a script or style sheet in the page is worth minifying, and the share that would go. */
const LONG = 2048
const WASTE = 0.1
const SCRIPT_TYPE = /^(module|(text|application)\/(x-)?(java|ecma)script)?$/
/** Media queries that do not hold for a screen at first. */
const ELSEWHERE = /^\s*(print|speech|none|not all)\b/i

type CodeFacts = Pick<Facts, 'scripts' | 'scriptSources' | 'blocking' | 'unminified'>

/** Scripts and style sheets: where they come from, which hold up the page, and what is written into the page. */
export class Code {
  #scripts = 0
  #sources: string[] = []
  #blocking = 0
  #unminified = 0
  #text: string | null = null

  /** Between the tags of a script or style element whose text is code. */
  get isOpen() {
    return this.#text !== null
  }

  openScript(attributes: Attributes, inBody: boolean) {
    const isScript = SCRIPT_TYPE.test(attributes.word('type'))
    const source = attributes.get('src')
    if (source === null) {
      if (isScript) this.#text = ''
      return
    }
    this.#scripts++
    if (this.#sources.length < SOURCES) this.#sources.push(source)
    const waits = ['async', 'defer', 'nomodule'].some((name) => attributes.has(name))
    if (isScript && !inBody && !waits && attributes.word('type') !== 'module') this.#blocking++
  }

  openStyle() {
    this.#text = ''
  }

  addStyleSheet(attributes: Attributes, inBody: boolean) {
    if (inBody || attributes.has('disabled') || ELSEWHERE.test(attributes.get('media') ?? '')) return
    if (!attributes.words('rel').includes('alternate')) this.#blocking++
  }

  addText(text: string) {
    this.#text = this.#text === '' ? text : this.#text + text
  }

  close() {
    if (this.#text !== null && this.#text.length > LONG && waste(this.#text) > WASTE * this.#text.length)
      this.#unminified++
    this.#text = null
  }

  facts(): CodeFacts {
    return {
      scripts: this.#scripts,
      scriptSources: this.#sources,
      blocking: this.#blocking,
      unminified: this.#unminified,
    }
  }
}

/** Characters of comments, line breaks and indentation; licences stay. */
function waste(code: string): number {
  let wasted = 0
  let wasBlank = true
  let atStart = true
  for (let i = 0; i < code.length; i++) {
    const c = code.charCodeAt(i)
    if (c === 0x20 || (c >= 0x09 && c <= 0x0d)) {
      if (wasBlank || c === 0x0a || c === 0x0d) wasted++
      wasBlank = true
      if (c === 0x0a || c === 0x0d) atStart = true
      continue
    }
    const end = c === 0x2f ? endOfComment(code, i, atStart) : 0
    if (end > 0) {
      if (code.charCodeAt(i + 2) !== 0x21) wasted += end - i
      i = end - 1
    } else atStart = false
    wasBlank = false
  }
  return wasted
}

/** Where the comment that begins here ends; 0 when none does. Two slashes within a line may be part of an address. */
function endOfComment(code: string, at: number, atStart: boolean): number {
  const next = code.charCodeAt(at + 1)
  if (next === 0x2a) {
    const end = code.indexOf('*/', at + 2)
    return end < 0 ? code.length : end + 2
  }
  if (next !== 0x2f || !atStart) return 0
  const end = code.indexOf('\n', at)
  return end < 0 ? code.length : end
}
