import { encodeQuery } from './query-encoding.ts'
import type { Document, Notation, Reference } from './references.ts'
import { encodingOf } from './source.ts'

export type Rule = Pick<Reference, 'kind' | 'role'> & { fixed?: true }

// oxlint-disable-next-line no-control-regex
const SCHEME = /^[\0-\x20]*([a-z][a-z0-9+.-]*):(\/\/)?/i

/** Gathers the addresses of one body and resolves them when all is read, because a `<base>` may follow them. */
export class Collector {
  #encoding: Document['encoding']
  #references: Reference[] = []
  #insertions: { at: number; text: string; references: readonly Reference[] | null }[] = []
  #url: string
  #base: string
  #charset: string
  #fixed = new Set<Reference>()
  #resolved = new Map<string, { url: string; fragment: string } | null>()

  constructor(url: URL, charset: string, encoding: Document['encoding']) {
    this.#encoding = encoding
    this.#url = this.#base = withoutFragment(url.href)
    this.#charset = encodingOf(charset) ?? 'utf-8'
  }

  /** What `<base href>` says; the first one counts. */
  setBase(href: string) {
    const base = URL.parse(href, this.#url)
    if (base && base.protocol !== 'data:' && base.protocol !== 'javascript:') this.#base = base.href
  }

  /** Takes an address between two byte offsets, as the notations around it mean it; null when it leads nowhere. */
  add(
    start: number,
    end: number,
    context: readonly Notation[],
    written: string,
    rule: Rule,
  ): Reference | null {
    const scheme = SCHEME.exec(written.slice(0, 32))
    if (scheme && !/^https?$/i.test(scheme[1]!)) return null
    const { kind, role } = rule
    const absolute = scheme?.[2] !== undefined
    const reference = { start, end, url: written, fragment: '', kind, role, absolute, context }
    this.#references.push(reference)
    if (rule.fixed) this.#fixed.add(reference)
    return reference
  }

  /** With references, the text is put in only if one of them leads into the archive. */
  insert(at: number, text: string, references: readonly Reference[] | null = null) {
    this.#insertions.push({ at, text, references })
  }

  end(): Document {
    const inOrder = this.#references
      .filter((reference) => this.#resolve(reference))
      .toSorted((a, b) => a.start - b.start)
    const references = inOrder.filter((reference) => !this.#fixed.has(reference))
    const indexes = new Map(references.map((reference, index) => [reference, index]))
    const insertions = this.#insertions
      .map(({ at, text, references: needed }) => ({
        at,
        text,
        references: needed && needed.flatMap((reference) => indexes.get(reference) ?? []),
      }))
      .toSorted((a, b) => a.at - b.at)
    const fixed = inOrder.filter((reference) => this.#fixed.has(reference))
    return { references, fixed, insertions, encoding: this.#encoding }
  }

  #resolve(reference: Reference): boolean {
    const written = reference.url
    let target = this.#resolved.get(written)
    if (target === undefined) this.#resolved.set(written, (target = this.#targetOf(written)))
    if (!target) return false
    // Nothing written, or only a fragment: this very document, unless a base makes it another one.
    if (/^\s*(#|$)/.test(written) && (reference.kind === 'requisite' || target.url === this.#url))
      return false
    reference.url = target.url
    reference.fragment = target.fragment
    return true
  }

  #targetOf(written: string) {
    // oxlint-disable-next-line no-control-regex
    const isAscii = !/[^\0-\x7f]/.test(written)
    const target = URL.parse(isAscii ? written : encodeQuery(written, this.#charset), this.#base)
    if (!target || (target.protocol !== 'http:' && target.protocol !== 'https:')) return null
    const { href } = target
    const url = withoutFragment(href)
    return { url, fragment: href.slice(url.length) }
  }
}

const withoutFragment = (href: string) => {
  const hash = href.indexOf('#')
  return hash < 0 ? href : href.slice(0, hash)
}
