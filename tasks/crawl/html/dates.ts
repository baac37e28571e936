import type { DateFacts } from '../facts.ts'
import type { Attributes } from './attributes.ts'

/** Dates kept of each kind. */
const DATES = 50
/** Days are compared as written, whatever the hour and the time zone. */
const DAY = /^\s*(\d{4}-\d{2}-\d{2})/
/** Elements that show when the page itself was written, not what it tells of. */
const BYLINE = /publish|updated|modified|(entry|post|article|byline)[-_]?(date|time)|pubdate/i

type Kind = keyof DateFacts

/** When a page says it was written and changed. */
export class Dates {
  #facts: DateFacts = { published: [], modified: [], shown: [], times: [] }

  /** `article:published_time` and `article:modified_time`; null for any other property. */
  addMeta(property: string, content: string) {
    if (property === 'article:published_time') this.add('published', content)
    else if (property === 'article:modified_time' || property === 'og:updated_time')
      this.add('modified', content)
  }

  /** A `<time datetime>`. */
  addTime(attributes: Attributes) {
    const date = attributes.get('datetime')
    if (date === null) return
    this.add('times', date)
    const marks = `${attributes.get('itemprop') ?? ''} ${attributes.get('class') ?? ''}`
    if (attributes.has('pubdate') || BYLINE.test(marks)) this.add('shown', date)
  }

  add(kind: Kind, written: unknown) {
    const day = typeof written === 'string' ? DAY.exec(written)?.[1] : undefined
    if (day === undefined || this.#facts[kind].length >= DATES) return
    const date = Date.parse(day)
    if (Number.isFinite(date)) this.#facts[kind].push(date)
  }

  facts(): { dates: DateFacts } {
    return { dates: this.#facts }
  }
}
