import { decodeHTMLAttribute } from 'entities'
import { QuoteType } from 'htmlparser2'

import type { Collector, Rule } from './collector.ts'
import { collectCss } from './css-references.ts'
import {
  type AttributeRule,
  attributeRule,
  isAddressParameter,
  isLate,
  type Language,
  linkRule,
  rules,
} from './html-rules.ts'
import type { Notation, Reference } from './references.ts'
import { type Source, within } from './source.ts'
import { candidates } from './srcset.ts'

/** HTML standard, "shared declarative refresh steps": all before the address. */
const REFRESH = /^\s*(?:\d|(?=\.))[\d.]*(?=[;,\s])\s*[;,]?\s*(?:url\s*=\s*)?/i
/** What scripts keep for later may be anything: one word with a dot or a slash in it is taken for an address. */
const ADDRESS = /^\s*(?=[^\s{<]*[./])[^\s{<]+\s*$/
const CSS_URL = /^\s*url\(/i

type Attribute = { name: string; at: number; start: number; end: number; quote: QuoteType }

/** The start tag being read, with those of its attributes that matter. */
export class StartTag {
  name = ''
  #source: Source
  #collector: Collector
  #contexts: { [notation in Notation]?: readonly Notation[] }
  #attributes: Attribute[] = []
  #attribute: Attribute | null = null
  #references: Reference[] = []
  #hasBase = false

  constructor(source: Source, collector: Collector) {
    this.#source = source
    this.#collector = collector
    this.#contexts = {
      attribute: ['attribute', ...source.context],
      unquoted: ['unquoted', ...source.context],
    }
  }

  open(name: string) {
    this.name = name
    this.#attributes.length = 0
  }

  /** Of several attributes with one name the first counts. */
  openAttribute(name: string, at: number) {
    this.#attribute = this.#find(name) ? null : { name, at, start: at, end: at, quote: QuoteType.NoValue }
  }

  skipAttribute() {
    this.#attribute = null
  }

  setValue(start: number, end: number) {
    if (!this.#attribute) return
    this.#attribute.start = start
    this.#attribute.end = end
  }

  closeAttribute(quote: QuoteType) {
    if (!this.#attribute) return
    this.#attribute.quote = quote
    this.#attributes.push(this.#attribute)
    this.#attribute = null
  }

  /** The value of an attribute as a source of its own. */
  within(name: string): Source | null {
    const attribute = this.#find(name)
    return attribute ? this.#within(attribute) : null
  }

  /** `<base>`: its address has counted once all others are absolute or lead into the archive. */
  collectBase() {
    const href = this.#find('href')
    if (!href) return
    if (!this.#hasBase) this.#collector.setBase(this.#value(href))
    this.#hasBase = true
    this.#disable(href)
  }

  collect(language: Language) {
    if (this.#attributes.length === 0) return
    this.#references.length = 0
    if (language === 'html') this.#collectSpecial()
    for (const attribute of this.#attributes) {
      const rule = attributeRule(this.name, attribute.name, language)
      if (rule) this.#collect(attribute, rule)
    }
    if (this.#references.length > 0) this.#release()
  }

  add(start: number, end: number, notation: Notation, rule: Rule) {
    // Resources within the address may be large.
    if (this.#source.text.startsWith('data:', start)) return
    const written = this.#source.read(start, end)
    const context = this.#contexts[notation] ?? [notation, ...this.#source.context]
    const value = written.includes('&') ? decodeHTMLAttribute(written) : written
    this.#keep(this.#collector.add(this.#source.at(start), this.#source.at(end), context, value, rule))
  }

  #collectSpecial() {
    if (this.name === 'link') {
      const href = this.#find('href')
      const set = this.#find('imagesrcset')
      if (href) this.#collect(href, linkRule(this.#word('rel'), this.#word('as'), this.#word('type')))
      if (set) this.#collect(set, rules.srcset)
    } else if (this.name === 'meta') this.#collectMeta()
    else if (this.name === 'param') {
      const value = this.#find('value')
      if (value && isAddressParameter(this.#word('name'))) this.#collect(value, rules.object)
    }
  }

  #collectMeta() {
    const pragma = this.#find('http-equiv')
    const content = this.#find('content')
    if (!pragma || !content) return
    const name = this.#value(pragma).toLowerCase()
    // A policy made for a server lets nothing through from files.
    if (name === 'content-security-policy') this.#disable(pragma)
    if (name !== 'refresh') return
    const inner = this.#within(content)
    const start = REFRESH.exec(inner.text)?.[0].length
    if (start === undefined) return
    const quote = /["']/.exec(inner.text[start] ?? '')?.[0]
    const closing = quote ? inner.text.indexOf(quote, start + 1) : -1
    const end = closing < 0 ? inner.text.trimEnd().length : closing
    this.#addWithin(inner, quote ? start + 1 : start, end, 'refresh', rules.refresh)
  }

  #collect(attribute: Attribute, rule: AttributeRule) {
    const { name, start, end, quote } = attribute
    if (quote === QuoteType.NoValue) return
    const isCss = rule.as === 'css' || (isLate(name) && CSS_URL.test(this.#source.text.slice(start, end)))
    if (isCss) return collectCss(this.#within(attribute), this.#collector)
    if (rule.as === 'srcset') {
      const inner = this.#within(attribute)
      for (const span of candidates(inner.text)) {
        if (isLate(name) && !ADDRESS.test(inner.text.slice(span.start, span.end))) continue
        this.#addWithin(inner, span.start, span.end, 'srcset', rule)
      }
    } else if (!isLate(name) || ADDRESS.test(this.#source.text.slice(start, end)))
      this.add(start, end, notationOf(attribute), rule)
  }

  #addWithin(inner: Source, start: number, end: number, notation: Notation, rule: Rule) {
    if (start >= end) return
    const context = [notation, ...inner.context]
    this.#keep(this.#collector.add(inner.at(start), inner.at(end), context, inner.read(start, end), rule))
  }

  #keep(reference: Reference | null) {
    if (reference) this.#references.push(reference)
  }

  /** Files have no origin: what asks for one is blocked, and so is what must match a checksum. */
  #release() {
    for (const name of ['integrity', 'crossorigin']) {
      const attribute = this.#find(name)
      if (attribute) this.#disable(attribute, [...this.#references])
    }
  }

  #disable({ at }: Attribute, references: Reference[] | null = null) {
    this.#collector.insert(this.#source.at(at), 'data-', references)
  }

  #within(attribute: Attribute): Source {
    return within(this.#source, attribute.start, attribute.end, notationOf(attribute))
  }

  #value({ start, end }: Attribute): string {
    return decodeHTMLAttribute(this.#source.read(start, end))
  }

  #word(name: string): string {
    const attribute = this.#find(name)
    return attribute ? this.#value(attribute).trim().toLowerCase() : ''
  }

  #find(name: string): Attribute | undefined {
    for (const attribute of this.#attributes) if (attribute.name === name) return attribute
    return undefined
  }
}

const notationOf = ({ quote }: Attribute): Notation =>
  quote === QuoteType.Unquoted ? 'unquoted' : 'attribute'
