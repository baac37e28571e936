/** Where an entry of a list may say whom it is about: anywhere within a label, at the beginning of other text. */
export type Head = { from: number; to: number; isLabel: boolean }
export type Item = { from: number; heads: Head[] }
type Kind = 'numbered' | 'bullets' | 'bold' | 'table'
export type List = { kind: Kind; items: Item[] }

/** A heading's marks, an emphasis that goes around the number, and a number or a bullet. */
const ENTRY = /^(\s*)(#{1,6}\s+)?(\*\*)?(?:(\d{1,3})[.)]|[-*+•‣–](?=\s))(\*\*)?\s+/
const HEADING = /^\s*#{1,6}\s/
const BOLD = /^\P{L}*?\*\*[^*]+\*\*/u
/** Where a number may begin an entry, within a line too. */
const NUMBER = /(?:^|\s)(?=(\d{1,2})[.)]\s)/g
const NUMBERED = /^\s*\d{1,3}[.)]\s/
const RULE = /^\s*\|?(?:\s*:?-{2,}:?\s*\|)+(?:\s*:?-{2,}:?\s*)?$/
/** Where another part of an entry begins. */
const DIVIDER = /:|\s-+\s|\(|[.!?,;](?=\s|$)/g
/** After its label, or from its beginning, this many parts of an entry may be a name. */
const PARTS = 2

type Line = { kind: Kind | 'heading' | 'text' | 'blank'; indent: number; number: number; item: Item }
type Open = List & { indent: number; last: number }

/**
 * The lists of a folded text in order of appearance: entries that are numbered, which may stand apart, bullets,
 * paragraphs that begin in bold, and rows of tables. What is set in below an entry is part of it. A single bullet is no
 * list.
 */
export function listsIn(text: string): List[] {
  const lists: Open[] = []
  let open = null as Open | null
  let numbered = null as Open | null
  let isAfterGap = false
  for (const line of linesOf(unfolded(text))) {
    const { kind, indent, number, item } = line
    const isNested = open !== null && indent > open.indent + 1
    if (kind === 'heading' || (kind === 'text' && isAfterGap && indent === 0 && open?.kind === 'bullets'))
      open = null
    isAfterGap = kind === 'blank'
    if (kind === 'heading' || kind === 'text' || kind === 'blank' || isNested) continue
    const last: Open | null = kind === 'numbered' ? numbered : open
    const goesOn: boolean =
      kind === 'numbered'
        ? number === (last?.last ?? NaN) + 1 || (number === 1 && last?.last === 1 && last === open)
        : last?.kind === kind
    open = goesOn && last ? last : { kind, indent, last: number, items: [] }
    if (!goesOn) lists.push(open)
    open.last = number
    open.items.push(item)
    if (kind === 'numbered') numbered = open
  }
  return lists.filter(({ kind, items }) => items.length > 1 || kind === 'numbered')
}

/**
 * A list that is written in one line, `1. … 2. …`, on lines of its own, if the text has no other numbered list. Nothing
 * changes its place.
 */
function unfolded(text: string): string {
  const lines = text.split('\n')
  if (lines.filter((line) => NUMBERED.test(line)).length > 1) return text
  return lines
    .map((line) => {
      let next = 1
      const starts = [...line.matchAll(NUMBER)].filter(({ 1: number }) => Number(number) === next && next++)
      if (starts.length < 2) return line
      const units = line.split('')
      for (const { 0: space, index } of starts) if (space) units[index] = '\n'
      return units.join('')
    })
    .join('\n')
}

function* linesOf(text: string): Generator<Line> {
  let from = 0
  let isTable = false
  for (const line of text.split('\n')) {
    const isRule = line.includes('|') && RULE.test(line)
    isTable = isRule || (isTable && line.includes('|'))
    if (!isRule) yield isTable ? rowOf(line, from) : lineOf(line, from)
    from += line.length + 1
  }
}

function lineOf(line: string, from: number): Line {
  const [marker, space = '', heading, opened, number, closed] = ENTRY.exec(line) ?? []
  const indent = marker === undefined ? line.search(/\S|$/) : space.length
  const at = marker?.length ?? 0
  const kind =
    number !== undefined
      ? 'numbered'
      : HEADING.test(line)
        ? 'heading'
        : marker !== undefined
          ? 'bullets'
          : BOLD.test(line)
            ? 'bold'
            : line.trim() === ''
              ? 'blank'
              : 'text'
  const bold = BOLD.exec(line.slice(at))?.[0].length ?? 0
  const around = opened && !closed ? Math.max(0, line.indexOf('**', at) - at) : 0
  const label = at + (heading ? line.length - at : Math.max(bold, around))
  const heads = label > at ? [{ from: from + at, to: from + label, isLabel: true }] : []
  return {
    kind,
    indent,
    number: Number(number ?? 0),
    item: { from, heads: [...heads, ...partsOf(line, from, label)] },
  }
}

/** The text from `at` on, cut where something else begins. */
function partsOf(line: string, from: number, at: number): Head[] {
  const ends = [...line.slice(at).matchAll(DIVIDER)].map(({ index }) => at + index)
  const bounds = [at, ...ends, line.length]
  return bounds
    .slice(1)
    .map((to, i) => ({ from: from + bounds[i]!, to: from + to, isLabel: false }))
    .filter((part) => /[\p{L}\p{N}]/u.test(line.slice(part.from - from, part.to - from)))
    .slice(0, PARTS)
}

/** The first cell of a row, and the second where the first is a place or a sign. */
function rowOf(line: string, from: number): Line {
  const start = /^\s*\|/.exec(line)?.[0].length ?? 0
  const heads: Head[] = []
  let at = start
  for (const cell of line.slice(start).split('|')) {
    heads.push({ from: from + at, to: from + at + cell.length, isLabel: true })
    if (/\p{L}/u.test(cell)) break
    at += cell.length + 1
  }
  return { kind: 'table', indent: 0, number: 0, item: { from, heads: heads.slice(0, PARTS) } }
}
