import type { SchemaFacts } from '../facts.ts'

const DEPTH = 32
/** Distinct types kept of one page, and characters of one type. */
const TYPES = 50
const TYPE_LENGTH = 100

/** Collects the structured data of one page. */
export class Schema {
  #types = new Set<string>()
  #invalid = 0
  #untyped = 0

  /** The content of a `<script type="application/ld+json">`. */
  addJson(source: string) {
    let data: unknown
    try {
      data = JSON.parse(bare(source))
    } catch {
      this.#invalid++
      return
    }
    for (const entity of Array.isArray(data) ? data : [data]) {
      if (!isObject(entity)) this.#untyped++
      else if (!('@context' in entity) || !('@type' in entity || '@graph' in entity)) this.#untyped++
    }
    this.#walk(data, 0)
  }

  /** Types as an `itemtype` or `typeof` attribute names them. */
  addTypes(list: string) {
    for (const type of list.split(/\s+/)) this.#add(type)
  }

  facts(): SchemaFacts {
    return { types: [...this.#types], invalid: this.#invalid, untyped: this.#untyped }
  }

  #walk(data: unknown, depth: number) {
    if (depth > DEPTH || this.#types.size >= TYPES) return
    if (Array.isArray(data)) {
      for (const item of data) this.#walk(item, depth + 1)
    } else if (isObject(data)) {
      const type = data['@type']
      for (const name of Array.isArray(type) ? type : [type]) if (typeof name === 'string') this.#add(name)
      for (const value of Object.values(data)) if (typeof value === 'object') this.#walk(value, depth + 1)
    }
  }

  #add(type: string) {
    const name = type
      .trim()
      .replace(/^(https?:\/\/([\w-]+\.)*schema\.org\/|schema:)/i, '')
      .replace(/^https?:.*[/#]/, '')
    if (name && name.length <= TYPE_LENGTH && !/[,\s\p{Cc}]/u.test(name) && this.#types.size < TYPES)
      this.#types.add(name.toWellFormed())
  }
}

const isObject = (data: unknown): data is Record<string, unknown> =>
  typeof data === 'object' && data !== null && !Array.isArray(data)

/** Without the comment or CDATA brackets that XHTML pages put around scripts. */
const bare = (source: string) =>
  source.replace(/^\s*(\/\/\s*)?(<!--|<!\[CDATA\[)/, '').replace(/(\/\/\s*)?(-->|\]\]>)\s*$/, '')
