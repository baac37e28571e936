import { decodeHTMLAttribute } from 'entities'

/** The attributes of the start tag being read; values are cut out and decoded only when asked for. */
export class Attributes {
  #html: string
  #names: string[] = []
  #spans: number[] = []
  #count = 0

  constructor(html: string) {
    this.#html = html
  }

  clear() {
    this.#count = 0
  }

  add(name: string, start: number, end: number) {
    this.#names[this.#count] = name
    this.#spans[2 * this.#count] = start
    this.#spans[2 * this.#count + 1] = end
    this.#count++
  }

  has(name: string): boolean {
    return this.#find(name) >= 0
  }

  hasPrefix(prefix: string): boolean {
    for (let i = 0; i < this.#count; i++) if (this.#names[i]!.startsWith(prefix)) return true
    return false
  }

  /** The decoded value of the first attribute of this name; null when there is none. */
  get(name: string): string | null {
    const at = this.#find(name)
    if (at < 0) return null
    const value = this.#html.slice(this.#spans[2 * at], this.#spans[2 * at + 1])
    return value.includes('&') ? decodeHTMLAttribute(value) : value
  }

  /** The value trimmed and in lower case, for attributes that are keywords. */
  word(name: string): string {
    return this.get(name)?.trim().toLowerCase() ?? ''
  }

  words(name: string): string[] {
    const value = this.word(name)
    return value ? value.split(/\s+/) : []
  }

  #find(name: string): number {
    for (let i = 0; i < this.#count; i++) if (this.#names[i] === name) return i
    return -1
  }
}
