import type { Document, Notation, Reference } from './references.ts'

/**
 * The body with its references leading elsewhere; every byte that need not change stays. `target` gives a relative path
 * as `relativePath` writes it, or an absolute address, both without fragment (that of the reference is kept); null leaves
 * what is written.
 */
export function rewrite(
  body: Buffer,
  document: Document,
  target: (reference: Reference) => string | null,
): Buffer {
  const edits = editsOf(document, target)
  const chunks: Buffer[] = []
  let last = 0
  for (const { start, end, text } of edits) {
    chunks.push(body.subarray(last, start), bytesOf(text, document.encoding))
    last = end
  }
  chunks.push(body.subarray(last))
  return Buffer.concat(chunks)
}

type Edit = { start: number; end: number; text: string }

function editsOf(
  { references, fixed, insertions }: Document,
  target: (reference: Reference) => string | null,
): Edit[] {
  const edits: Edit[] = []
  const saved = new Set<number>()
  for (const [index, reference] of references.entries()) {
    const to = target(reference)
    if (to === null) continue
    if (!ABSOLUTE.test(to)) saved.add(index)
    else if (reference.absolute && to === reference.url) continue
    edits.push(edit(reference, to))
  }
  for (const reference of fixed) if (!reference.absolute) edits.push(edit(reference, reference.url))
  for (const { at, text, references: needed } of insertions)
    if (!needed || needed.some((index) => saved.has(index))) edits.push({ start: at, end: at, text })
  return edits.toSorted((a, b) => a.start - b.start)
}

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i

const edit = ({ start, end, fragment, context }: Reference, to: string): Edit => ({
  start,
  end,
  text: context.reduce((text, notation) => escapes[notation](text), to + fragment),
})

/** Each writes an address so that its notation reads it back; blanks and control characters are in none. */
const escapes: Record<Notation, (text: string) => string> = {
  attribute: (text) => text.replace(/[&"']/g, characterReference),
  unquoted: (text) => text.replace(/[&"'<>`\s]/g, characterReference),
  text: (text) => text.replace(/[&<]/g, characterReference),
  srcset: (text) => text.replace(/^,|,$/g, '%2C'),
  refresh: (text) => text.replace(/["']/g, (quote) => (quote === '"' ? '%22' : '%27')),
  'css-url': (text) => text.replace(/["'()\\\s]/g, '\\$&'),
  'css-string': (text) => text.replace(/["'\\]/g, '\\$&'),
}

const characterReference = (character: string) =>
  character === '&' ? '&amp;' : character === '"' ? '&quot;' : `&#${character.charCodeAt(0)};`

function bytesOf(text: string, encoding: Document['encoding']): Buffer {
  if (encoding !== 'utf16be') return Buffer.from(text, encoding)
  return Buffer.from(text, 'utf16le').swap16()
}
