import type { Facts } from '../facts.ts'
import type { Attributes } from './attributes.ts'
import { Controls } from './controls.ts'
import { Embeds } from './embeds.ts'
import { Head } from './head.ts'
import { Links } from './links.ts'
import { Outline } from './outline.ts'
import { Prose } from './prose.ts'
import { Schema } from './schema.ts'
import type { Tag } from './tags.ts'
import { line } from './text.ts'
import { Tree } from './tree.ts'

/** Characters of text before which a picture is seen without scrolling. */
const FOLD = 1000
/** Characters of a language tag. */
const LANG = 35
/** Body and html of error pages, by the classes and ids that frameworks give them. */
const ERROR_SHELL =
  /(^|\s)(error-?404|template-404|page-404|path-404|page-not-found|__next_error__|next-error-h1|error-page-404)(\s|$)/

/** The page while it is read: knows where in it we are, and hands every tag and text to those whom it concerns. */
export class Document {
  doctype: string | null = null
  /** Inside an element whose content is neither markup nor entities. */
  inRaw = false
  #lang: string | null = null
  #inBody = false
  #head = new Head()
  #links = new Links()
  #outline = new Outline()
  #embeds = new Embeds()
  #controls = new Controls()
  #schema = new Schema()
  #prose = new Prose()
  #tree = new Tree((tag) => this.#leave(tag))
  #ids = new Set<string>()
  #names: string[] = []
  #duplicateIds = 0
  /** `html`, `head` and `body` exist in every page. */
  #elements = 3
  #bodyElements = 0
  #deprecated = 0
  #inert = 0
  /** The text of a title or of structured data while it is open. */
  #kept: { tag: Tag; text: string; ofDrawing: boolean } | null = null
  #hasMain = false
  #isErrorShell = false

  get inForeign() {
    return this.#tree.foreign
  }

  /** What the next text says matters to nobody. */
  get skipsText() {
    return this.inRaw && !this.#kept && !this.#embeds.code.isOpen
  }

  open(name: string, attributes: Attributes) {
    if (name === 'html' || name === 'head' || name === 'body') return this.#openFrame(name, attributes)
    const kind = this.#tree.kind(name === 'image' && !this.#tree.foreign ? 'img' : name)
    const { tag } = kind
    if (!tag.head && this.#inert === 0) this.#inBody = true
    this.#tree.makeRoom(kind)
    this.#elements++
    if (this.#inBody) this.#bodyElements++
    if (tag.block) this.#prose.space()
    if (this.#inert === 0) this.#meet(tag, attributes)
    else if (name === 'a' && !this.#prose.inTemplate) this.#links.openHidden(attributes)
    if (!tag.void) this.#enter(tag, attributes)
    this.#tree.open(kind)
  }

  close(name: string) {
    this.inRaw = false
    if ((name === 'body' || name === 'html' || name === 'br') && this.#inert === 0) this.#inBody = true
    if (name === 'a') this.#links.close()
    if (name === 'br') this.#prose.space()
    this.#tree.close(name)
  }

  text(text: string) {
    if (this.#kept) {
      this.#kept.text += text
      return
    }
    if (this.#embeds.code.isOpen) return this.#embeds.code.addText(text)
    if (!this.#inBody && this.#inert === 0 && !this.#prose.isQuiet) {
      if (!/\S/.test(text)) return
      this.#inBody = true
    }
    if (!this.#prose.add(text)) return
    this.#addName(text)
  }

  end(url: URL, htmlLength: number): Facts {
    this.#tree.closeAll()
    this.#links.close()
    const base = this.#head.baseOf(url)
    const head = this.#head.facts(base)
    this.#schema.tellDates(this.#head.dates)
    return {
      htmlLength,
      doctype: this.doctype,
      lang: this.#lang,
      base: base.href,
      ...head,
      ...this.#links.facts(base, head.refresh?.url ?? null),
      ...this.#embeds.facts(),
      ...this.#prose.facts({ lang: this.#lang, title: head.title, description: head.metaDescription }),
      headings: this.#outline.headings,
      schema: this.#schema.facts(),
      deprecated: this.#deprecated,
      duplicateIds: this.#duplicateIds,
      anchors: new Set([...this.#ids, ...this.#names]),
      elements: this.#elements,
      bodyElements: this.#bodyElements,
      // The stack is without `html` and `body`.
      depth: this.#tree.deepest + 2,
      ...this.#controls.facts(),
      hasMain: this.#hasMain,
      isErrorShell: this.#isErrorShell,
    }
  }

  #openFrame(name: string, attributes: Attributes) {
    if (this.#inert > 0) return
    if (name === 'html') this.#lang ??= line(attributes.get('lang') ?? '', LANG)
    if (name === 'body') this.#inBody = true
    this.#seekErrorShell(attributes)
    this.#meetAny(attributes)
  }

  /** What any element may say. */
  #meetAny(attributes: Attributes) {
    const id = attributes.get('id')
    if (id) {
      if (this.#ids.has(id)) this.#duplicateIds++
      else this.#ids.add(id)
    }
    const types = attributes.get('itemtype') ?? attributes.get('typeof')
    if (types) this.#schema.addTypes(types)
    if (this.#links.isOpen || this.#controls.isButtonOpen) this.#name(attributes.get('aria-label'))
    if (!this.#hasMain && attributes.word('role') === 'main') this.#hasMain = true
  }

  #meet(tag: Tag, attributes: Attributes) {
    this.#meetAny(attributes)
    if (tag.heading) {
      this.#seekErrorShell(attributes)
      return this.#outline.open(tag.heading, attributes.get('aria-label'))
    }
    if (tag.deprecated) this.#deprecated++
    if (tag.name === 'a' && attributes.has('name')) this.#names.push(attributes.get('name')!)
    const isAbove = !this.#prose.isBeside && this.#prose.mainLength < FOLD
    this.#embeds.meet(tag, attributes, this.#inBody, isAbove)
    switch (tag.name) {
      case 'a':
      case 'area':
        return this.#links.open(tag.name, attributes)
      case 'img':
        return this.#name(attributes.get('alt'))
      case 'meta':
        return this.#head.addMeta(attributes, this.#inBody)
      case 'link':
        return this.#head.addLink(attributes, this.#inBody)
      case 'base':
        return this.#head.addBase(attributes)
      case 'main':
        this.#hasMain = true
        return
      case 'time':
        return this.#head.dates.addTime(attributes)
      case 'button':
      case 'input':
      case 'label':
      case 'select':
      case 'textarea':
        return this.#controls.open(tag.name, attributes)
      case 'frame':
      case 'iframe':
        return this.#links.addFrame(attributes)
    }
  }

  #seekErrorShell(attributes: Attributes) {
    const marks = `${attributes.get('id') ?? ''} ${attributes.get('class') ?? ''}`
    if (marks.length > 1 && ERROR_SHELL.test(marks)) this.#isErrorShell = true
  }

  /** A text that stands for a picture gives its name to the link and heading around it. */
  #name(text: string | null) {
    if (text) this.#addName(` ${text} `)
  }

  #addName(text: string) {
    this.#links.addText(text)
    this.#outline.addText(text)
    this.#controls.addText(text)
  }

  #enter(tag: Tag, attributes: Attributes) {
    if (tag.inert) this.#inert++
    const ofDrawing = this.#tree.foreign
    this.inRaw = tag.raw && !ofDrawing
    if (this.#inert === 0 && keeps(tag, attributes)) this.#kept = { tag, text: '', ofDrawing }
    this.#prose.enter(tag, attributes)
  }

  /** Called for every element that closes, in whatever way. */
  #leave(tag: Tag) {
    if (tag.inert) this.#inert--
    this.#prose.leave(tag)
    if (tag.heading) this.#outline.close()
    if (tag.name === 'a') this.#links.close()
    this.#embeds.leave(tag)
    if (tag.name === 'button' || tag.name === 'label') this.#controls.close(tag.name)
    if (this.#kept?.tag !== tag) return
    const { text, ofDrawing } = this.#kept
    this.#kept = null
    if (ofDrawing) this.#name(text)
    else if (tag.name === 'script') this.#schema.addJson(text)
    else if (tag.name === 'title') this.#head.addTitle(text, this.#inBody)
  }
}

const keeps = (tag: Tag, attributes: Attributes) =>
  tag.name === 'title' || (tag.name === 'script' && attributes.word('type') === 'application/ld+json')
