import { Parser } from 'htmlparser2'

/** Open elements beyond which nothing more is read: no text of a reader is that deep. */
const DEPTH = 300
/** Blocks kept of one page, and characters of all of them. */
const BLOCKS = 3000
const TEXT = 400_000
const LINKS = 500
/** Characters of structured data, all blocks together. */
const DATA = 1_000_000
const NAME = 100
/** A list or table that is one has so many items or rows. */
const ITEMS = 2

/** A piece of the main text; a `label` is what a reader opens an answer with: `summary` and `dt`. */
export type Block = { kind: 'heading' | 'label' | 'paragraph' | 'item' | 'cell'; level: number; text: string }

/** The main text of a page as an answer engine cuts it up, without navigation, footer and asides. */
export type Passages = {
  blocks: Block[]
  /** Those that tell something: no menus, no layout. */
  lists: number
  tables: number
  quotes: number
  /** Addresses that the main text links to, as written. */
  links: string[]
  /** Characters of the main text, and those of them that `data-nosnippet` keeps out of answers. */
  length: number
  withheld: number
  /** Who wrote the page, as its text and metadata have it. */
  authors: string[]
  /** The content of each `<script type="application/ld+json">`. */
  data: string[]
}

const set = (names: string) => new Set(names.split(' '))
const silent = set(
  'script style noscript template svg math head title textarea iframe select option button canvas video audio',
)
const beside = set('nav footer aside')
const roles = set('navigation contentinfo complementary')
const inline = set(
  'a abbr b bdi bdo big cite code data del dfn em font i img ins kbd label mark meter output q s samp small span strong sub sup time tt u var wbr',
)
/** What holds for everything inside an element. */
const states = ['silent', 'beside', 'withheld', 'linked'] as const
const AUTHOR = /(^|[\s_-])(author|byline|autore)([\s_-]|$)/i

type Element = { name: string; isAuthor: boolean } & Record<(typeof states)[number], boolean>
/** A list or table while it is open; `linked`: characters of its text that are links. */
type Collection = { parts: number; cells: number; length: number; linked: number }

/** Reads what answer engines quote from. Bounded in depth, blocks and characters. */
export function readPassages(html: string): Passages {
  const reader = new PassageReader()
  const parser: Parser = new Parser({
    onopentag(name, attributes) {
      if (reader.depth >= DEPTH) return parser.pause()
      reader.open(name, attributes)
    },
    ontext: (text) => reader.text(text),
    onclosetag: () => reader.close(),
  })
  parser.write(html.replaceAll('\0', ''))
  if (reader.depth < DEPTH) parser.end()
  reader.flush()
  return reader.passages
}

class PassageReader {
  readonly passages: Passages = {
    blocks: [],
    lists: 0,
    tables: 0,
    quotes: 0,
    links: [],
    length: 0,
    withheld: 0,
    authors: [],
    data: [],
  }
  #open: Element[] = []
  #text = ''
  #author: string | null = null
  #data: string | null = null
  #dataLength = 0
  readonly #counts = { silent: 0, beside: 0, withheld: 0, linked: 0 }
  readonly #collections: Collection[] = []

  get depth() {
    return this.#open.length
  }

  open(name: string, attributes: Record<string, string>) {
    const isAuthor = this.#author === null && namesAuthor(name, attributes)
    const element = {
      name,
      silent: silent.has(name),
      beside: beside.has(name) || roles.has(attributes['role'] ?? ''),
      withheld: 'data-nosnippet' in attributes,
      linked: name === 'a',
      isAuthor,
    }
    if (!inline.has(name)) this.flush()
    this.#open.push(element)
    this.#count(element, 1)
    if (isAuthor) this.#author = ''
    if (name === 'meta' && attributes['name']?.toLowerCase() === 'author')
      this.#addAuthor(attributes['content'] ?? '')
    if (name === 'script' && /^\s*application\/ld\+json/i.test(attributes['type'] ?? '')) this.#data = ''
    if (!this.#isMain) return
    const { links } = this.passages
    if (name === 'a' && attributes['href'] && links.length < LINKS) links.push(attributes['href'])
    if (name === 'ul' || name === 'ol' || name === 'dl' || name === 'table')
      this.#collections.push({ parts: 0, cells: 0, length: 0, linked: 0 })
    const collection = this.#collections.at(-1)
    if (collection && /^(li|dt|tr)$/.test(name)) collection.parts++
    if (collection && /^(td|th)$/.test(name)) collection.cells++
  }

  text(text: string) {
    if (this.#data !== null) {
      this.#dataLength += text.length
      if (this.#dataLength <= DATA) this.#data += text
    }
    if (this.#author !== null && this.#author.length < NAME) this.#author += text
    if (this.#isMain && this.#text.length < TEXT) this.#text += text.slice(0, TEXT - this.#text.length)
    const collection = this.#collections.at(-1)
    if (!collection || !this.#isMain) return
    const { length } = text.trim()
    collection.length += length
    if (this.#counts.linked > 0) collection.linked += length
  }

  close() {
    const element = this.#open.at(-1)
    if (!element) return
    const { name } = element
    if (!inline.has(name)) this.flush()
    else if (name === 'img') this.#text += ' '
    const isMain = this.#isMain
    this.#open.pop()
    this.#count(element, -1)
    if (element.isAuthor) {
      this.#addAuthor(this.#author ?? '')
      this.#author = null
    }
    if (name === 'script' && this.#data !== null) {
      this.passages.data.push(this.#data)
      this.#data = null
    }
    if (!isMain) return
    if (name === 'blockquote' || name === 'cite' || name === 'q') this.passages.quotes++
    if (/^(ul|ol|dl|table)$/.test(name)) this.#judge(name, this.#collections.pop())
  }

  /** Ends the block that is being read. */
  flush() {
    const { passages } = this
    const room = TEXT - passages.length
    const text = this.#text.replace(/\s+/g, ' ').trim().slice(0, room).toWellFormed()
    this.#text = ''
    if (text === '' || passages.blocks.length >= BLOCKS) return
    passages.blocks.push({ ...this.#kind(), text })
    passages.length += text.length
    if (this.#counts.withheld > 0) passages.withheld += text.length
  }

  get #isMain() {
    return this.#counts.silent === 0 && this.#counts.beside === 0
  }

  #count(element: Element, by: 1 | -1) {
    for (const state of states) if (element[state]) this.#counts[state] += by
  }

  #kind(): Omit<Block, 'text'> {
    for (const { name } of this.#open.toReversed()) {
      if (/^h[1-6]$/.test(name)) return { kind: 'heading', level: Number(name[1]) }
      if (name === 'summary' || name === 'dt') return { kind: 'label', level: 0 }
      if (name === 'li' || name === 'dd') return { kind: 'item', level: 0 }
      if (name === 'td' || name === 'th') return { kind: 'cell', level: 0 }
      if (name === 'p' || name === 'blockquote') break
    }
    return { kind: 'paragraph', level: 0 }
  }

  /** Menus are lists of links, and layouts tables of one column. */
  #judge(name: string, collection: Collection | undefined) {
    if (!collection || collection.parts < ITEMS || collection.linked > collection.length / 2) return
    if (name !== 'table') this.passages.lists++
    else if (collection.cells >= 2 * collection.parts) this.passages.tables++
  }

  #addAuthor(written: string) {
    const name = written.replace(/\s+/g, ' ').trim().slice(0, NAME).toWellFormed()
    const { authors } = this.passages
    if (/\p{L}{2}/u.test(name) && authors.length < 10 && !authors.includes(name)) authors.push(name)
  }
}

const namesAuthor = (name: string, { rel, itemprop, class: classes }: Record<string, string>) =>
  name !== 'meta' &&
  name !== 'link' &&
  name !== 'body' &&
  (/\bauthor\b/i.test(rel ?? '') || /\bauthor\b/i.test(itemprop ?? '') || AUTHOR.test(classes ?? ''))
