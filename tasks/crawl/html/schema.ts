import type { SchemaFacts } from '../facts.ts'
import type { Dates } from './dates.ts'
import { isIncomplete, isReference } from './schema-rules.ts'

const DEPTH = 32
/** Distinct types kept of one page, and characters of one type. */
const TYPES = 50
const TYPE_LENGTH = 100
/** Entities that speak for the page they are on. */
const ARTICLE = /^(\w*Article|\w*Posting|Report)$/
const PAGE = /^\w*Page$/

type Entity = Record<string, unknown>

/** Collects the structured data of one page. */
export class Schema {
  #types = new Set<string>()
  #invalid = 0
  #untyped = 0
  #incomplete = new Set<string>()
  /** Entities that stand for themselves, outside any graph. */
  #loose = 0
  #ids = new Set<unknown>()
  #references = new Set<unknown>()
  /** The first entity that speaks for the page; an article before a page. */
  #article: Entity | null = null
  #page: Entity | null = null

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
      if (isObject(entity) && '@type' in entity) this.#loose++
    }
    this.#walk(data, 0, false)
  }

  /** Types as an `itemtype` or `typeof` attribute names them. */
  addTypes(list: string) {
    for (const type of list.split(/\s+/)) this.#add(type)
  }

  /** When the page was written and changed, as its structured data has it. */
  tellDates(dates: Dates) {
    const { datePublished, dateModified } = this.#article ?? this.#page ?? {}
    dates.add('published', datePublished)
    dates.add('modified', dateModified)
  }

  facts(): SchemaFacts {
    return {
      types: [...this.#types],
      invalid: this.#invalid,
      untyped: this.#untyped,
      incomplete: [...this.#incomplete],
      unlinked: [...this.#references].some((id) => this.#ids.has(id)) ? 0 : this.#loose,
    }
  }

  #walk(data: unknown, depth: number, isNested: boolean) {
    if (depth > DEPTH || this.#types.size >= TYPES) return
    if (Array.isArray(data)) {
      for (const item of data) this.#walk(item, depth + 1, isNested)
      return
    }
    if (!isObject(data)) return
    const type = data['@type']
    for (const name of Array.isArray(type) ? type : [type])
      if (typeof name === 'string') this.#judge(this.#add(name), data, isNested)
    if ('@id' in data) (isReference(data) ? this.#references : this.#ids).add(data['@id'])
    for (const [name, value] of Object.entries(data))
      if (typeof value === 'object') this.#walk(value, depth + 1, name !== '@graph')
  }

  #judge(type: string, entity: Entity, isNested: boolean) {
    if (isIncomplete(type, entity, isNested)) this.#incomplete.add(type)
    if (isNested) return
    if (ARTICLE.test(type)) this.#article ??= entity
    else if (PAGE.test(type)) this.#page ??= entity
  }

  /** Its bare name. */
  #add(type: string): string {
    const name = type
      .trim()
      .replace(/^(https?:\/\/([\w-]+\.)*schema\.org\/|schema:)/i, '')
      .replace(/^https?:.*[/#]/, '')
    if (name && name.length <= TYPE_LENGTH && !/[,\s\p{Cc}]/u.test(name) && this.#types.size < TYPES)
      this.#types.add(name.toWellFormed())
    return name
  }
}

const isObject = (data: unknown): data is Entity =>
  typeof data === 'object' && data !== null && !Array.isArray(data)

/** Without the comment or CDATA brackets that XHTML pages put around scripts. */
export const bare = (source: string) =>
  source.replace(/^\s*(\/\/\s*)?(<!--|<!\[CDATA\[)/, '').replace(/(\/\/\s*)?(-->|\]\]>)\s*$/, '')
