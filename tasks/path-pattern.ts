/** A path rule as robots.txt has it: a prefix in which `*` stands for any run, and a final `$` for the end. */
export type Pattern = {
  /** The longer of two matching rules is the more particular. */
  length: number
  /** `path` is path and query, normalised. */
  matches: (path: string) => boolean
}

/** Rules one a line, empty ones and comments left out; the function says whether a path with query falls under any. */
export function pathRules(lines: string): (pathAndQuery: string) => boolean {
  const patterns = lines
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith('#'))
    .map(pattern)
  return (pathAndQuery) => {
    if (patterns.length === 0) return false
    const path = normalise(pathAndQuery)
    return patterns.some((rule) => rule.matches(path))
  }
}

export function pattern(rule: string): Pattern {
  const anchored = rule.endsWith('$')
  const open = anchored ? rule.slice(0, -1) : rule
  const [first = '', ...rest] = open.split('*').map(normalise)
  const last = anchored ? rest.pop() : undefined
  return {
    length: rule.length,
    // The leftmost place for each run leaves most to the next, so nothing is ever tried twice.
    matches(path) {
      if (!path.startsWith(first)) return false
      let at = first.length
      for (const run of rest) {
        const found = path.indexOf(run, at)
        if (found === -1) return false
        at = found + run.length
      }
      if (!anchored) return true
      return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last)
    },
  }
}

/**
 * The form in which rule and path are compared, after RFC 9309 §2.2.2: needless escapes undone, needed ones made, and
 * `*` and `$` escaped, which in a rule's text have another meaning.
 */
export function normalise(text: string): string {
  if (!special.test(text)) return text
  return text.toWellFormed().replace(everySpecial, (found) => {
    if (found.length !== 3 || found[0] !== '%') return escape(found)
    const character = String.fromCharCode(Number.parseInt(found.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : found.toUpperCase()
  })
}

const special = /[^!#&-)+-;=?-Z[\]_a-z~]/
const everySpecial = /%[0-9A-Fa-f]{2}|[^!%#&-)+-;=?-Z[\]_a-z~]/gu

const escape = (character: string) =>
  character === '*' ? '%2A' : character === '$' ? '%24' : encodeURIComponent(character)
