import type { Heading } from '../facts.ts'
import { line } from './text.ts'

const HEADINGS = 2000
/** Code points kept of a heading. */
const TEXT = 2000

/** The headings of a page, in order. */
export class Outline {
  readonly headings: Heading[] = []
  #open: { heading: Heading; parts: string[] } | null = null

  open(level: number, label: string | null) {
    this.close()
    const heading = { level, text: line(label ?? '', TEXT) ?? '' }
    if (this.headings.length < HEADINGS) this.headings.push(heading)
    this.#open = { heading, parts: [] }
  }

  addText(text: string) {
    if (this.#open && this.#open.parts.length < TEXT) this.#open.parts.push(text)
  }

  close() {
    if (!this.#open) return
    const { heading, parts } = this.#open
    heading.text = line(parts.join(''), TEXT) ?? heading.text
    this.#open = null
  }
}
