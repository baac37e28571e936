import { type Tag, tag } from './tags.ts'

/** Browsers nest no deeper: what is further inside becomes a sibling. It also bounds every search below. */
const DEPTH = 512

type Kind = { tag: Tag; open: number }
type Element = { kind: Kind; foreign: boolean }

const sections = new Set(['tbody', 'thead', 'tfoot'])
const cells = new Set(['td', 'th'])
const table = new Map([
  ['tr', new Set(['tr'])],
  ['td', cells],
  ['th', cells],
  ['tbody', sections],
  ['thead', sections],
  ['tfoot', sections],
  ['caption', new Set(['caption'])],
])
const items = new Map([
  ['li', new Set(['li'])],
  ['dd', new Set(['dd', 'dt'])],
  ['dt', new Set(['dd', 'dt'])],
])
const lists = new Set(['ul', 'ol', 'menu', 'dir', 'dl'])
const islands = new Set(['foreignobject', 'desc', 'title', 'mi', 'mo', 'mn', 'ms', 'mtext', 'annotation-xml'])

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

  /** The element of this name; its tag decides what becomes of it. */
  kind(name: string): Kind {
    let kind = this.#kinds.get(name)
    if (!kind) this.#kinds.set(name, (kind = { tag: tag(name), open: 0 }))
    return kind
  }

  /** Closes what the start tag of `kind` ends without saying so. */
  makeRoom(kind: Kind) {
    const { tag } = kind
    if (this.foreign) {
      if (!tag.breaksOut) return
      while (this.foreign) this.#pop()
    }
    if (tag.closesP && this.#isOpen('p'))
      this.#closeFirst(
        (open) => open.name === 'p',
        (open) => open.scope || open.name === 'button',
      )
    const item = items.get(tag.name)
    if (item)
      this.#closeFirst(
        (open) => item.has(open.name),
        (open) => open.scope || lists.has(open.name),
      )
    const peers = table.get(tag.name)
    if (peers)
      this.#closeFirst(
        (open) => peers.has(open.name),
        (open) => open.name === 'table' || open.name === 'template',
      )
    const top = this.#stack.at(-1)?.kind.tag
    if (tag.heading && top?.heading) this.#pop()
    if (tag.name === 'a' && kind.open > 0) this.close('a')
    if ((tag.name === 'option' || tag.name === 'optgroup') && top?.name === 'option') this.#pop()
    if (tag.name === 'button' && kind.open > 0)
      this.#closeFirst(
        (open) => open.name === 'button',
        (open) => open.scope,
      )
  }

  open(kind: Kind) {
    const { tag } = kind
    this.deepest = Math.max(this.deepest, this.#stack.length + 1)
    if (tag.void && !this.foreign) return
    if (this.#stack.length >= DEPTH) return this.#closed(tag)
    this.#stack.push({ kind, foreign: this.foreign })
    kind.open++
    if (tag.name === 'svg' || tag.name === 'math') this.foreign = true
    else if (this.foreign && islands.has(tag.name)) this.foreign = false
  }

  close(name: string) {
    const kind = this.#kinds.get(name)
    if (!kind) return
    const { tag } = kind
    if (tag.heading)
      return this.#closeFirst(
        (open) => open.heading > 0,
        (open) => open.scope,
      )
    if (kind.open === 0) return
    const ofTable = table.has(name) || name === 'table'
    this.#closeFirst(
      (open) => open === tag,
      (open) =>
        ofTable ? open.name === 'table' || open.name === 'template' : tag.special ? open.scope : open.special,
    )
  }

  /** Ends the document. */
  closeAll() {
    while (this.#stack.length > 0) this.#pop()
  }

  #isOpen = (name: string) => (this.#kinds.get(name)?.open ?? 0) > 0

  #closeFirst(wanted: (open: Tag) => boolean, stop: (open: Tag) => boolean) {
    for (let i = this.#stack.length - 1; i >= 0; i--) {
      const open = this.#stack[i]!.kind.tag
      if (wanted(open)) {
        while (this.#stack.length > i) this.#pop()
        return
      }
      if (stop(open)) return
    }
  }

  #pop() {
    const { kind, foreign } = this.#stack.pop()!
    kind.open--
    this.foreign = foreign
    this.#closed(kind.tag)
  }
}
