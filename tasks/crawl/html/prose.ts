import type { Facts, TextFacts } from '../facts.ts'
import type { Attributes } from './attributes.ts'
import { hides } from './hiding.ts'
import { Lexicon } from './lexicon.ts'
import { read } from './reading.ts'
import type { Tag } from './tags.ts'
import { BLOCK, measure } from './text.ts'

/** Nodes that client-side frameworks mount into, by id or element name. */
const MOUNTS = new Set([
  'app',
  'root',
  '__next',
  '__nuxt',
  'react-root',
  'app-root',
  'svelte',
  'redoc',
  'swagger-ui',
  'redoc-container',
])
const ASKS_FOR_SCRIPT = /javascript/i
/** Languages that there is a measure of readability for. */
const READ = /^(en|it)(-|$)/i
const PLACEHOLDER = /lorem\s+ipsum/i
/** Characters read of what a page says to those without JavaScript. */
const NOSCRIPT = 1000

/** The text a reader sees: what is the subject apart from navigation and footer, what is not text left out. */
export class Prose {
  #main: string[] = []
  #beside: string[] = []
  #quiet = 0
  #inert: Tag[] = []
  #aside = 0
  #noscript = ''
  #mount: { tag: Tag; depth: number; text: number } | null = null
  /** The outermost element that its own style hides. */
  #hidden: { tag: Tag; depth: number } | null = null
  #hiddenWords = 0
  /** Characters of the main text so far. */
  mainLength = 0

  get isQuiet() {
    return this.#quiet > 0
  }

  get isBeside() {
    return this.#aside > 0
  }

  get inTemplate() {
    return this.#inert.some((tag) => tag.name === 'template')
  }

  enter(tag: Tag, attributes: Attributes) {
    if (tag.quiet) this.#quiet++
    if (tag.inert) this.#inert.push(tag)
    if (tag.aside) this.#aside++
    if (this.#mount) {
      if (tag === this.#mount.tag) this.#mount.depth++
    } else if (MOUNTS.has(tag.name) || MOUNTS.has(attributes.get('id') ?? '')) {
      this.#mount = { tag, depth: 1, text: 0 }
    }
    if (this.#hidden) {
      if (tag === this.#hidden.tag) this.#hidden.depth++
    } else if (hides(attributes)) this.#hidden = { tag, depth: 1 }
  }

  leave(tag: Tag) {
    if (tag.quiet) this.#quiet--
    if (tag.inert) this.#inert.pop()
    if (tag.aside) this.#aside--
    if (tag.block) this.space()
    if (this.#mount && tag === this.#mount.tag) this.#mount.depth--
    if (this.#hidden?.tag === tag && --this.#hidden.depth === 0) this.#hidden = null
  }

  /** Keeps two blocks from making one word, or one sentence. */
  space() {
    this.#pieces.push(BLOCK)
  }

  /** Takes a text; true when it names the link or heading it stands in. */
  add(text: string): boolean {
    if (this.#inert.length > 0) {
      if (this.#inert.at(-1)?.name === 'noscript' && this.#noscript.length < NOSCRIPT) this.#noscript += text
      return false
    }
    if (this.#quiet > 0) return false
    this.#pieces.push(text)
    if (this.#aside === 0) this.mainLength += text.length
    if (this.#hidden) this.#hiddenWords += text.split(/\s+/).filter(Boolean).length
    if (this.#mount && this.#mount.depth > 0) this.#mount.text += text.trim().length
    return true
  }

  /** `title` and `description`: what the page says it is about. */
  facts({
    lang,
    title,
    description,
  }: Record<'lang' | 'title' | 'description', string | null>): { text: TextFacts } & Pick<
    Facts,
    'mountText' | 'asksForScript'
  > {
    const lexicon = new Lexicon()
    const text = this.#main.join('')
    const main = measure(text, lexicon)
    lexicon.counts = false
    const besideText = this.#beside.join('')
    const beside = measure(besideText, lexicon)
    return {
      text: {
        words: main.words + beside.words,
        mainWords: main.words,
        length: main.length + beside.length,
        key: main.key,
        damaged: main.damaged || beside.damaged,
        placeholder: lexicon.has('lorem') && (PLACEHOLDER.test(text) || PLACEHOLDER.test(besideText)),
        hiddenWords: this.#hiddenWords,
        mostRepeated: lexicon.mostRepeated,
        reading: READ.test(lang ?? '') ? read(text) : null,
        likeness: lexicon.shingles.likeness(),
        titleShare: title === null ? null : lexicon.shareOf(title),
        descriptionShare: description === null ? null : lexicon.shareOf(description),
      },
      mountText: this.#mount?.text ?? null,
      asksForScript: ASKS_FOR_SCRIPT.test(this.#noscript),
    }
  }

  get #pieces() {
    return this.#aside > 0 ? this.#beside : this.#main
  }
}
