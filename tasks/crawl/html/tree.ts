import { type Tag, tag } from './tags.ts'

/** Browsers nest no deeper: what is further inside becomes a sibling. */
const DEPTH = 512

/** All elements of one name: their tag, and where in the stack the open ones are. */
type Kind = { tag: Tag; open: number[] }

/** Where in the stack the nearest elements are that stop a search; -1 when there is none. */
type Stops = { special: number; scope: number; button: number; list: number; table: number }

type Element = { kind: Kind; foreign: boolean; stops: Stops }

const none: Stops = { special: -1, scope: -1, button: -1, list: -1, table: -1 }
const lists = new Set(['ul', 'ol', 'menu', 'dir', 'dl'])
const islands = new Set(['foreignobject', 'desc', 'title', 'mi', 'mo', 'mn', 'ms', 'mtext', 'annotation-xml'])

/** What a start tag closes, and how far the search for it goes. */
const ends: Record<string, { names: string[]; within: keyof Stops }> = {
  li: { names: ['li'], within: 'list' },
  dd: { names: ['dd', 'dt'], within: 'list' },
  dt: { names: ['dd', 'dt'], within: 'list' },
  button: { names: ['button'], within: 'scope' },
  tr: { names: ['tr'], within: 'table' },
  td: { names: ['td', 'th'], within: 'table' },
  th: { names: ['td', 'th'], within: 'table' },
  tbody: { names: ['tbody', 'thead', 'tfoot'], within: 'table' },
  thead: { names: ['tbody', 'thead', 'tfoot'], within: 'table' },
  tfoot: { names: ['tbody', 'thead', 'tfoot'], within: 'table' },
  caption: { names: ['caption'], within: 'table' },
}
const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const ofTable = new Set(['table', 'tr', 'td', 'th', 'tbody', 'thead', 'tfoot', 'caption'])

/** The open elements, kept as the HTML standard's tree construction keeps them, as far as text and nesting depend on it. */
export class Tree {
  #kinds = new Map<string, Kind>()
  #stack: Element[] = []
  #closed: (tag: Tag) => void
  /** Inside SVG or MathML. */
  foreign = false
  deepest = 0

  constructor(closed: (tag: Tag) => void) {
    this.#closed = closed
  }

  /** All elements of this name; their tag decides what becomes of them. */
  kind(name: string): Kind {
    let kind = this.#kinds.get(name)
    if (!kind) this.#kinds.set(name, (kind = { tag: tag(name), open: [] }))
    return kind
  }

  /** Closes what the start tag of `kind` ends without saying so. */
  makeRoom({ tag, open }: Kind) {
    if (this.foreign) {
      if (!tag.breaksOut) return
      while (this.foreign) this.#pop()
    }
    if (tag.closesP) this.#closeNearest(['p'], 'button')
    const end = Object.hasOwn(ends, tag.name) ? ends[tag.name] : undefined
    if (end) this.#closeNearest(end.names, end.within)
    const top = this.#stack.at(-1)?.kind.tag
    if (tag.heading && top?.heading) this.#pop()
    if (tag.name === 'a' && open.length > 0) this.close('a')
    if ((tag.name === 'option' || tag.name === 'optgroup') && top?.name === 'option') this.#pop()
  }

  open(kind: Kind) {
    const { tag } = kind
    const at = this.#stack.length
    this.deepest = Math.max(this.deepest, at + 1)
    if (tag.void && !this.foreign) return
    if (at >= DEPTH) return this.#closed(tag)
    this.#stack.push({
      kind,
      foreign: this.foreign,
      stops: stopsAt(at, tag, this.#stack.at(-1)?.stops ?? none),
    })
    kind.open.push(at)
    if (tag.name === 'svg' || tag.name === 'math') this.foreign = true
    else if (this.foreign && islands.has(tag.name)) this.foreign = false
  }

  /** An end tag: it closes its element and what is open inside, unless something in between forbids it. */
  close(name: string) {
    const { tag } = this.kind(name)
    if (tag.heading) this.#closeNearest(headings, 'scope')
    else this.#closeNearest([name], ofTable.has(name) ? 'table' : tag.special ? 'scope' : 'special')
  }

  /** Ends the document. */
  closeAll() {
    this.#popTo(0)
  }

  #closeNearest(names: string[], within: keyof Stops) {
    let at = -1
    for (const name of names) at = Math.max(at, this.#kinds.get(name)?.open.at(-1) ?? -1)
    if (at >= 0 && at >= this.#stack.at(-1)!.stops[within]) this.#popTo(at)
  }

  #popTo(height: number) {
    while (this.#stack.length > height) this.#pop()
  }

  #pop() {
    const { kind, foreign } = this.#stack.pop()!
    kind.open.pop()
    this.foreign = foreign
    this.#closed(kind.tag)
  }
}

/** Kept with every element, so that no end tag has to search the stack. */
function stopsAt(at: number, { name, special, scope }: Tag, below: Stops): Stops {
  const isList = lists.has(name)
  const isTable = name === 'table' || name === 'template'
  if (!special && !scope) return below
  return {
    special: special ? at : below.special,
    scope: scope ? at : below.scope,
    button: scope || name === 'button' ? at : below.button,
    list: scope || isList ? at : below.list,
    table: isTable ? at : below.table,
  }
}
