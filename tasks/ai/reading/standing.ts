import type { Answer } from '../../upstream/answer-engine.ts'
import { type Brand, liesOn } from './brands.ts'
import { type Head, listsIn } from './lists.ts'
import { type Mention, mentionsIn } from './mentions.ts'
import { proseOf } from './prose.ts'
import { linksOf } from './sources.ts'

/** Characters kept of the sentence that names a brand. */
const PASSAGE = 300
/** What may stand before a name. */
const LEAD =
  /^[^\p{L}\p{N}]*(?:(?:the|il|lo|la|i|gli|le|der|die|das|les?|los|las|el|an?|un[ao]?|[ld]')(?:\s+|(?<=')))?[^\p{L}\p{N}]*/u

/** What one answer does for one brand. */
export type Standing = {
  /** Its name stands in the text, or its host as a word; an address that is linked names nobody. */
  named: boolean
  /** A page on its domain is cited or linked; null when its domain is not known. */
  linked: boolean | null
  /** Its place in a list whose entry is about it: a numbered list if there is one, else the first. Null: in none. */
  position: number | null
  /** That position, else its turn among the brands that the text names, all entries of numbered lists before it counted. Null when not named. */
  place: number | null
  /** The addresses on its domain, in order. */
  links: string[]
  /** The sentence that names it first. */
  passage: string | null
}

type Said = Pick<Answer, 'text' | 'citations' | 'ended'>

/** What an answer does for each of these brands, in their order. A refusal does nothing for anybody. */
export function standingsIn({ text, citations, ended }: Said, brands: readonly Brand[]): Standing[] {
  if (ended === 'refused')
    return brands.map(({ hosts }) => ({ ...absent, linked: hosts.length > 0 ? false : null }))
  const prose = proseOf(text)
  const mentions = mentionsIn(prose.text, brands)
  const positions = positionsIn(prose.text, mentions)
  const all = linksOf({ text, citations })
  const order = [...new Set(mentions.map(({ brand }) => brand))]
  return brands.map((brand) => {
    const links = all.filter(({ host }) => liesOn(host, brand.hosts)).map(({ url }) => url)
    const linked = brand.hosts.length > 0 ? links.length > 0 : null
    const first = mentions.find((mention) => mention.brand === brand)
    if (!first) return { ...absent, linked, links }
    const position = positions.of(brand)
    return {
      named: true,
      linked,
      position,
      place: position ?? Math.max(order.indexOf(brand), positions.entriesBefore(first.from)) + 1,
      links,
      passage: passageOf(text, brand),
    }
  })
}

const absent = { named: false, linked: null, position: null, place: null, links: [], passage: null }

function positionsIn(text: string, mentions: readonly Mention[]) {
  const lists = listsIn(text)
  const ranked = [
    ...lists.filter(({ kind }) => kind === 'numbered'),
    ...lists.filter(({ kind }) => kind !== 'numbered'),
  ]
  const isAbout = (head: Head, { from, to }: Mention) => {
    if (from < head.from || from >= head.to) return false
    return head.isLabel || from <= head.from + (LEAD.exec(text.slice(head.from, to))?.[0].length ?? 0)
  }
  return {
    of(brand: Brand): number | null {
      const own = mentions.filter((mention) => mention.brand === brand)
      for (const { items } of ranked) {
        const at = items.findIndex(({ heads }) => heads.some((head) => own.some((one) => isAbout(head, one))))
        if (at >= 0) return at + 1
      }
      return null
    },
    entriesBefore: (place: number) =>
      lists
        .filter(({ kind }) => kind === 'numbered')
        .flatMap(({ items }) => items)
        .filter(({ from }) => from <= place).length,
  }
}

const sentences = new Intl.Segmenter('und', { granularity: 'sentence' })

function passageOf(text: string, brand: Brand): string | null {
  for (const { segment } of sentences.segment(text))
    if (mentionsIn(proseOf(segment).text, [brand]).length > 0)
      return segment
        .replace(/^[\s#>|*-]+|\*\*|[\s|]+$/g, '')
        .replace(/\s+/g, ' ')
        .slice(0, PASSAGE)
        .toWellFormed()
  return null
}
