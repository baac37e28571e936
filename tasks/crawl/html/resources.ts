import { EAGER, ICON, IMAGE, SCRIPT, SOLE, STYLE } from '../targets/uses.ts'
import type { Attributes } from './attributes.ts'

/** Distinct resources kept of one page. */
const RESOURCES = 500
const MODERN = /\.(avif|webp)\b/i
const MODERN_TYPE = /^\s*image\/(avif|webp)\b/i
const INLINE = /^\s*(data|blob|about|javascript):/i

/** An address as written, and what for: bits of `targets/uses.ts`. */
export type Resource = { href: string; uses: number }

/** The images, scripts, style sheets and icons that a page names. */
export class Resources {
  #found = new Map<string, number>()
  /** The sources of the picture that is open. */
  #picture: { modern: boolean; sources: boolean } | null = null

  openPicture() {
    this.#picture = { modern: false, sources: false }
  }

  closePicture() {
    this.#picture = null
  }

  addSource(attributes: Attributes) {
    if (!this.#picture) return
    this.#picture.sources = true
    this.#picture.modern ||=
      MODERN_TYPE.test(attributes.get('type') ?? '') || MODERN.test(attributes.get('srcset') ?? '')
  }

  addImage(attributes: Attributes) {
    const set = attributes.get('srcset')
    const href = attributes.get('src') ?? /^[\s,]*([^\s,]+)/.exec(set ?? '')?.[1]
    if (href === undefined) return
    const chosen = set !== null || this.#picture?.sources === true
    const eager = !chosen && attributes.word('loading') !== 'lazy'
    const sole = !this.#picture?.modern && !MODERN.test(set ?? '')
    this.#add(href, IMAGE | (eager ? EAGER : 0) | (sole ? SOLE : 0))
  }

  addScript(href: string) {
    this.#add(href, SCRIPT | EAGER)
  }

  addLink(attributes: Attributes) {
    const rel = attributes.words('rel')
    const uses = rel.includes('stylesheet')
      ? rel.includes('alternate')
        ? 0
        : STYLE | EAGER
      : rel.includes('icon')
        ? ICON
        : 0
    const href = uses === 0 ? null : attributes.get('href')
    if (href !== null) this.#add(href, uses)
  }

  facts(): { resources: Resource[] } {
    return { resources: [...this.#found].map(([href, uses]) => ({ href, uses })) }
  }

  #add(href: string, uses: number) {
    if (href.trim() === '' || INLINE.test(href)) return
    const known = this.#found.get(href)
    if (known !== undefined || this.#found.size < RESOURCES) this.#found.set(href, (known ?? 0) | uses)
  }
}
