/** A candidate's address: its place in the attribute's value. */
type Span = { start: number; end: number }

const BLANK = /[\t\n\f\r ]/

/** The addresses of a `srcset`, by the HTML standard's "parse a srcset attribute"; candidates that it drops are left out. */
export function candidates(value: string): Span[] {
  const found: Span[] = []
  let at = 0
  for (;;) {
    while (at < value.length && (value[at] === ',' || BLANK.test(value[at]!))) at++
    if (at >= value.length) return found
    const start = at
    while (at < value.length && !BLANK.test(value[at]!)) at++
    let end = at
    while (value[end - 1] === ',') end--
    if (end < at) {
      found.push({ start, end })
      continue
    }
    const { descriptors, next } = descriptorsAt(value, at)
    if (isValid(descriptors)) found.push({ start, end })
    at = next
  }
}

/** All up to the next comma that is not in parentheses. */
function descriptorsAt(value: string, from: number): { descriptors: string[]; next: number } {
  let at = from
  let inParentheses = false
  for (; at < value.length; at++) {
    const c = value[at]
    if (inParentheses) inParentheses = c !== ')'
    else if (c === '(') inParentheses = true
    else if (c === ',') break
  }
  return {
    descriptors: value
      .slice(from, at)
      .split(/[\t\n\f\r ]+/)
      .filter(Boolean),
    next: at + 1,
  }
}

/** One width or density at most, and a height only beside a width. */
function isValid(descriptors: string[]): boolean {
  const kinds = descriptors.map((descriptor) =>
    /^\d+[wh]$/.test(descriptor)
      ? descriptor.at(-1)
      : /^-?(\d+|\d*\.\d+)(e[+-]?\d+)?x$/i.test(descriptor)
        ? 'x'
        : '?',
  )
  return ['', 'w', 'x', 'w,h', 'h,w'].includes(kinds.join())
}
